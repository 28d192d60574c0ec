"""Rows that administrators write: sources, receivers, schedules, secrets, takedowns.

Sources and receivers with their settings, and the access lists that documents share.

    add -> (edit)* -> delete

Invariants: settings are stored as entered and read through the kind's settings class; a run keeps the version it began
with; deleting a source deletes its documents, and no others.
"""
