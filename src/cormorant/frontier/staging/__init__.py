"""Documents that wait for a review: staged versions, pending deletes, clusters of duplicates."""
