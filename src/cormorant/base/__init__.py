"""Errors, clock, log and other basics of every package.

Errors with their problem codes, the clock, the names of events and metrics. No module here opens a file or connection;
all other packages may import this one, and it imports none of them.

    CormorantError -> one sentence, one code, one exit code     (errors)
    Clock          -> wall time and monotonic time, passed in    (clock)
    nap            -> wait for an event with a time limit        (polling)
    Steps          -> where a page's time goes, off by default   (profiling)

Invariants: no I/O; no global state; no import from another package of this project.
"""
