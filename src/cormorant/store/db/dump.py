"""Database dump: copies all rows from one database to another.

    snapshot(store) -> Tx of one moment -> chunks(tx, table) ...       while others write
    replaced(tx, schema) -> put(table, columns, rows) ... -> settle    in one transaction, all or nothing

Rows are tuples of values that every driver accepts, so they are the same for SQLite and PostgreSQL. Older rows are
inserted into a schema of their version, which is then upgraded like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.base.errors import ArchiveDamaged, DataFolderError
from cormorant.store.db import bulk, migrate
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import SCHEMA_VERSION, metadata, process, session, stream_head

LEFT_OUT = frozenset((process.name, session.name))
"""Running processes and browser sessions: they belong to the moment and to that installation."""
CHUNK = 1000


@contextmanager
def snapshot(store: Store, beside: Path) -> Iterator[Tx]:
    """Open a view of one moment for as long as it takes to read everything.

    For SQLite a copy is made at `beside`, read and removed: a long read of the file itself would keep its log from
    being checkpointed, so it would grow with every write. PostgreSQL keeps such a view by itself.
    """
    if not store.sqlite:
        with store.read() as tx:
            tx.driver("SELECT 1")  # the moment is that of the first statement
            yield tx
        return
    _remove(beside)
    try:
        store.copy_to(beside)
        copy = Store.open(f"sqlite:///{beside}", SystemClock())
        try:
            with copy.read() as tx:
                yield tx
        finally:
            copy.close()
    finally:
        _remove(beside)


def _remove(database: Path) -> None:
    for name in (database.name, f"{database.name}-wal", f"{database.name}-shm", f"{database.name}-journal"):
        database.with_name(name).unlink(missing_ok=True)


def kept(tables: sa.MetaData = metadata) -> list[sa.Table]:
    """Return the tables that are dumped, referenced ones first."""
    return [each for each in tables.sorted_tables if each.name not in LEFT_OUT]


def reflected(tx: Tx) -> sa.MetaData:
    """Return our tables as they are in a database of an older version."""
    found = sa.MetaData()
    found.reflect(bind=tx.connection, only=lambda name, _: name in metadata.tables)
    return found


def chunks(tx: Tx, table: sa.Table) -> Iterator[list[tuple[Any, ...]]]:
    """Yield all rows of a table by its key, in chunks: memory is that of one chunk."""
    statement = sa.select(table).order_by(*table.primary_key.columns)
    found = tx.connection.execute(statement, execution_options={"yield_per": CHUNK})
    for some in found.partitions():
        yield [tuple(row) for row in some]


def every(tx: Tx, tables: sa.MetaData = metadata) -> Iterator[tuple[sa.Table, list[tuple[Any, ...]]]]:
    """Yield all rows of all dumped tables, in chunks."""
    for table in kept(tables):
        for some in chunks(tx, table):
            yield table, some


def counters(tx: Tx, tables: sa.MetaData = metadata) -> dict[str, int]:
    """Return the greatest number ever assigned, for each table with numbered rows and at least one number."""
    if tx.sqlite:
        return {str(name): int(last) for name, last in map(tuple, tx.driver("SELECT name, seq FROM sqlite_sequence"))}
    asked = "SELECT last_value FROM pg_sequences WHERE schemaname || '.' || sequencename = %s"
    given: dict[str, int] = {}
    for name in _numbered(tx, tables):
        last = tx.driver(asked, (_sequence(tx, name),)).scalar_one_or_none()
        if last is not None:
            given[name] = int(last)
    return given


def _numbered(tx: Tx, tables: sa.MetaData = metadata) -> list[str]:
    """Return the tables whose rows the database numbers."""
    numbered = [(each.name, each.autoincrement_column) for each in tables.sorted_tables]
    return [name for name, column in numbered if column is not None and _sequence(tx, name) is not None]


def _sequence(tx: Tx, table: str) -> str | None:
    """Return the sequence that numbers a table in PostgreSQL, None if there is none."""
    return tx.driver("SELECT pg_get_serial_sequence(%s, 'id')", (table,)).scalar_one_or_none()


@dataclass(slots=True)
class Coming:
    """Rows that are being inserted into a database: their schema, its tables, and the number of rows so far."""

    tx: Tx
    schema: str
    tables: Mapping[str, sa.Table]
    counts: dict[str, int]

    def put(self, name: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert rows into a table. Raises ArchiveDamaged for rows that do not fit, and for existing keys."""
        table = self.tables.get(name)
        if table is None or name in LEFT_OUT or not set(columns) <= set(table.columns.keys()):
            raise ArchiveDamaged(f"There are rows for {name}, and version {self.schema} has no such table or columns.")
        if any(len(row) != len(columns) for row in rows):
            raise ArchiveDamaged(f"Rows of {name} are not as long as they should be.")
        if bulk.insert(self.tx, table, tuple(columns), rows) != len(rows):
            raise ArchiveDamaged(f"Rows of {name} have the same key, which no database would have given them.")
        self.counts[name] = self.counts.get(name, 0) + len(rows)

    def settle(self, given: Mapping[str, int]) -> None:
        """Upgrade the schema after the last row, and let numbers continue after those assigned before."""
        migrate.bring_up(self.tx, self.schema)
        before = {name: int(last) for name, last in given.items() if name in metadata.tables}
        if self.tx.sqlite:
            _number_sqlite(self.tx, before)
        else:
            _number_postgresql(self.tx, before)


def replaced(tx: Tx, schema: str) -> Coming:
    """Drop all our tables and create empty ones of that schema, to insert rows into.

    Raises DataFolderError for a schema that this program does not know.
    """
    if schema > SCHEMA_VERSION:
        raise DataFolderError(
            f"It is of version {schema}, and this program knows {SCHEMA_VERSION}. Install a newer version of cormorant."
        )
    migrate.recreate(tx, schema)
    tables: Mapping[str, sa.Table] = metadata.tables
    if schema < SCHEMA_VERSION:
        older = sa.MetaData()
        older.reflect(bind=tx.connection)
        tables = older.tables
    tx.execute(sa.delete(stream_head))
    return Coming(tx, schema, tables, {})


def _number_sqlite(tx: Tx, given: Mapping[str, int]) -> None:
    """Set the counters of the SQLite tables that never assign a number twice."""
    there = {str(row[0]) for row in tx.driver("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'")}
    for name, last in given.items():
        if name in there:
            newest = tx.driver("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).scalar_one_or_none()
            tx.driver("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
            tx.driver("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, max(last, int(newest or 0))))


def _number_postgresql(tx: Tx, given: Mapping[str, int]) -> None:
    """Set the sequences of PostgreSQL, which do not count rows inserted with a number."""
    for name in _numbered(tx):
        newest = tx.execute(sa.select(sa.func.max(metadata.tables[name].c.id))).scalar_one()
        last = max(int(newest or 0), given.get(name, 0))
        if last:
            tx.driver("SELECT setval(%s::regclass, %s)", (_sequence(tx, name), last))
