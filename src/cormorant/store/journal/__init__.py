"""Rows that runs write: runs, visits, counters, queries.

    run begins -> counts by process, visits with changes, excluded addresses -> run ends, the report

Invariants: a visit without a change is only counted; a run's counters are the sum of those of all processes, which need
no locks; this package decides nothing.
"""
