"""Text of drawings, charts and diagrams, in whatever document they stand."""
