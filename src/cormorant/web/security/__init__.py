"""Authentication, authorization and limits of HTTP requests."""
