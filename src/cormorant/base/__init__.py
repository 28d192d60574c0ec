"""Errors, clock, log and other things that every package needs.

Errors with their problem codes, the clock, the names of events and metrics. Nothing here opens a file or a connection;
everything else may import it and it imports nothing of ours.

    CormorantError -> one sentence, one code, one exit code     (errors)
    Clock          -> wall time and monotonic time, passed in    (clock)
    nap            -> wait in a loop for an event, and not long  (naps)
    Steps          -> where a page's time goes, off by default   (steps)

Invariants: no I/O; no global state; no import from another package of this project.
"""
