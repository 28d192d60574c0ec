"""Databases, tables and kept copies.

In SQLite on one machine, in PostgreSQL on many: one code, one test list.

    Store.open(url) -> with store.begin() as tx: ... -> committed, durable
                       with store.read() as tx:  ... -> a consistent look, no lock taken

`schema/` has a file a subject; packages own their statements and write them in SQLAlchemy Core; hot ones hand tuples to
`bulk`. `migrations/` brings an older database to today's schema.

Invariants: only this package opens database connections and knows drivers; lease time is the store's time (`tx.now()`);
what a commit acknowledged survives a power cut (WAL with synchronous=FULL); nothing is computed between begin and
commit that could have been computed before.
"""
