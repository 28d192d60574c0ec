"""Databases, tables and kept copies.

In SQLite on one machine, in PostgreSQL on many: one code, one test list.

    Store.open(url) -> with store.begin() as tx: ... -> committed, durable
                       with store.read() as tx:  ... -> a consistent view, no lock taken

`schema/` has a file for each subject; packages own their statements and write them in SQLAlchemy Core; hot ones pass
tuples to `bulk`. `migrations/` upgrades an older database to the present schema.

Invariants: only this package opens database connections and knows drivers; lease time is the store's time (`tx.now()`);
an acknowledged commit survives a power cut (WAL with synchronous=FULL); nothing is computed between begin and commit
that could be computed before.
"""
