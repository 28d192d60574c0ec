"""Connections, transactions and statements for SQLite and PostgreSQL.

    Store.open(url) -> with store.begin() as tx: ... -> committed, durable
                       with store.read() as tx:  ... -> a consistent view, no lock taken

Invariants: only this package knows database drivers; lease time is the time of the database (`tx.now()`); a commit that
was acknowledged survives a power cut (SQLite: WAL with synchronous=FULL); nothing is computed between begin and commit
that could be computed before.
"""
