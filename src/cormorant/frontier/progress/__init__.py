"""Progress of a source: URLs by state, work that remains, and how long a run may be idle."""
