"""URLs that are due, by host: who works on a host, and which of its URLs comes next.

    refill -> ready_queue -> workbench --lease of a host--> URLs in order of priority

Invariant: one worker owns a host at a time; a lease is fenced by its epoch.
"""
