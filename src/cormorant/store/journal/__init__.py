"""Rows that runs write: runs, visits, counters, queries.

    run begins -> counts by process, visits that changed something, addresses excluded -> run ends, the report

Invariants: a visit that changed nothing is a count, not a row; a run's figures are the sum of what every process
counted for itself, so nobody waits for anybody; nothing here decides anything.
"""
