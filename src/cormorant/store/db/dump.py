"""Database dump: how all rows leave a database and get into another one.

    snapshot(store) -> Tx of one moment -> chunks(tx, table) ...       while others write
    replaced(tx, schema) -> put(table, columns, rows) ... -> settle    in one transaction, all or nothing

Rows are tuples of what every driver takes, so they are the same of SQLite and of PostgreSQL. Older ones come into a
schema of their own time, which is then upgraded like any other.
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
"""Who is at work, and which browsers have signed in: of the moment, and of that installation."""
CHUNK = 1000


@contextmanager
def snapshot(store: Store, beside: Path) -> Iterator[Tx]:
    """Look at one moment for as long as it takes to read everything.

    Of SQLite a copy is read, made at `beside` and removed: a long look at the file itself would keep its log from being
    worked in, which then grows with every write. PostgreSQL keeps such a moment by itself.
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
    """The tables whose rows are kept, those first that others name."""
    return [each for each in tables.sorted_tables if each.name not in LEFT_OUT]


def reflected(tx: Tx) -> sa.MetaData:
    """The tables of ours as a database of an older version has them."""
    found = sa.MetaData()
    found.reflect(bind=tx.connection, only=lambda name, _: name in metadata.tables)
    return found


def chunks(tx: Tx, table: sa.Table) -> Iterator[list[tuple[Any, ...]]]:
    """All rows of a table by its key, some at a time: memory is that of one chunk."""
    statement = sa.select(table).order_by(*table.primary_key.columns)
    found = tx.connection.execute(statement, execution_options={"yield_per": CHUNK})
    for some in found.partitions():
        yield [tuple(row) for row in some]


def every(tx: Tx, tables: sa.MetaData = metadata) -> Iterator[tuple[sa.Table, list[tuple[Any, ...]]]]:
    """All rows of all tables that are kept, in chunks."""
    for table in kept(tables):
        for some in chunks(tx, table):
            yield table, some


def counters(tx: Tx, tables: sa.MetaData = metadata) -> dict[str, int]:
    """The greatest number that was ever given to a row, of each table that gives numbers and has given one."""
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
    """Tables whose rows the database numbers."""
    numbered = [(each.name, each.autoincrement_column) for each in tables.sorted_tables]
    return [name for name, column in numbered if column is not None and _sequence(tx, name) is not None]


def _sequence(tx: Tx, table: str) -> str | None:
    """Return the sequence that gives the numbers of a table in PostgreSQL, None when there is none."""
    return tx.driver("SELECT pg_get_serial_sequence(%s, 'id')", (table,)).scalar_one_or_none()


@dataclass(slots=True)
class Coming:
    """Rows that are on their way into a database: of which schema they are, its tables, and how many came."""

    tx: Tx
    schema: str
    tables: Mapping[str, sa.Table]
    counts: dict[str, int]

    def put(self, name: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Put rows into a table. Raises ArchiveDamaged for what does not fit it, and for one that is there already."""
        table = self.tables.get(name)
        if table is None or name in LEFT_OUT or not set(columns) <= set(table.columns.keys()):
            raise ArchiveDamaged(f"There are rows for {name}, and version {self.schema} has no such table or columns.")
        if any(len(row) != len(columns) for row in rows):
            raise ArchiveDamaged(f"Rows of {name} are not as long as they should be.")
        if bulk.insert(self.tx, table, tuple(columns), rows) != len(rows):
            raise ArchiveDamaged(f"Rows of {name} have the same key, which no database would have given them.")
        self.counts[name] = self.counts.get(name, 0) + len(rows)

    def settle(self, given: Mapping[str, int]) -> None:
        """All rows have come: bring the schema up to today's, and have numbers go on behind those that were given."""
        migrate.bring_up(self.tx, self.schema)
        before = {name: int(last) for name, last in given.items() if name in metadata.tables}
        if self.tx.sqlite:
            _number_sqlite(self.tx, before)
        else:
            _number_postgresql(self.tx, before)


def replaced(tx: Tx, schema: str) -> Coming:
    """Remove all tables of ours and make those of that schema, without a row; what comes is put into them.

    Raises DataFolderError for a schema that this program does not know.
    """
    if schema > SCHEMA_VERSION:
        raise DataFolderError(
            f"It is of version {schema}, and this program knows {SCHEMA_VERSION}. Install a newer version of cormorant."
        )
    migrate.make_anew(tx, schema)
    tables: Mapping[str, sa.Table] = metadata.tables
    if schema < SCHEMA_VERSION:
        older = sa.MetaData()
        older.reflect(bind=tx.connection)
        tables = older.tables
    tx.execute(sa.delete(stream_head))
    return Coming(tx, schema, tables, {})


def _number_sqlite(tx: Tx, given: Mapping[str, int]) -> None:
    """SQLite keeps the numbers of the tables that never give one a second time."""
    there = {str(row[0]) for row in tx.driver("SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'")}
    for name, last in given.items():
        if name in there:
            newest = tx.driver("SELECT seq FROM sqlite_sequence WHERE name = ?", (name,)).scalar_one_or_none()
            tx.driver("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
            tx.driver("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, max(last, int(newest or 0))))


def _number_postgresql(tx: Tx, given: Mapping[str, int]) -> None:
    """PostgreSQL has a sequence for each such table, which knows nothing of rows that came with a number."""
    for name in _numbered(tx):
        newest = tx.execute(sa.select(sa.func.max(metadata.tables[name].c.id))).scalar_one()
        last = max(int(newest or 0), given.get(name, 0))
        if last:
            tx.driver("SELECT setval(%s::regclass, %s)", (_sequence(tx, name), last))
