"""Rows of tables, views and queries of SQL databases. One kind of source.

    settings, place -> DatabaseClient -> Relation (columns, key)   connection, read-only      (client, wire, relation)
    Relation -> TableListing -> (key, version) of every row        checksum or modified       (listing, rows/)
    Relation + log table -> ChangeLog -> keys of changed rows      log, written by triggers   (change_log, triggers)
    address -> RowReader -> Content, or an outcome                 one row, by its key        (rows/)

A source is a LISTING: a row that a complete listing does not name is gone. With a log table most runs are a FEED.

Invariants: everything runs in read-only transactions; identifiers are quoted by the dialect and values are bound, only
the query of an administrator is used as it was written; a listing is read to its end before any of it is handed on, so
that it holds no transaction open while documents are admitted; no cell above 64 MiB is read.
"""
