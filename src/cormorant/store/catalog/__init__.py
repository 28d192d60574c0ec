"""Rows that administrators write: sources, receivers, schedules, secrets, takedowns.

Sources with their settings, receivers with theirs, and the access lists that documents share.

    add -> (edit)* -> delete

Invariants: settings are kept as they were given and read through the kind's settings class; a run keeps the version it
began with; what is deleted here takes its documents along, and nothing else's.
"""
