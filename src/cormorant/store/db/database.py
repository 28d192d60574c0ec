"""Access to the database: open it, begin a transaction, read.

    Store.open(url) --begin()--> Tx (read and write, takes the write lock at once) --> commit, or roll back on an
    exception
                    `--read()--> Tx (reads one moment, takes no lock)

On SQLite `begin` is BEGIN IMMEDIATE with a busy time-out of 30 s, so two writers wait for each other and never fail
halfway. A Store belongs to the process that opened it: after a fork open another.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import exc

from cormorant.base.errors import CormorantError, StoreError
from cormorant.store.db import drivers
from cormorant.store.db.clock_steps import ServerClock, Steady
from cormorant.store.schema import metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection, CursorResult, Engine

    from cormorant.base.clock import Clock


class Tx:
    """A transaction under way. Functions below `crawl` and `operate` take one and never commit it."""

    __slots__ = ("_steady", "clock", "connection", "sqlite")

    def __init__(self, connection: Connection, clock: Clock, steady: Steady) -> None:
        self.connection = connection
        self.clock = clock
        self._steady = steady
        self.sqlite = connection.dialect.name == "sqlite"

    def execute(self, statement: sa.Executable, parameters: Any = None) -> CursorResult[Any]:
        """Run a Core statement."""
        return self.connection.execute(statement, parameters)

    def driver(self, sql: str, parameters: Any = ()) -> CursorResult[Any]:
        """Run SQL in the driver's dialect and parameter style; only for hot statements of `bulk` and `frontier`."""
        return self.connection.exec_driver_sql(sql, parameters)

    def now(self) -> float:
        """Return the store's time in epoch seconds: PostgreSQL's clock, or this machine's for a store in a file."""
        if self.sqlite:
            now = self.clock.now()
        else:
            now = float(self.connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())").scalar_one())
        self._steady.look(now)
        return now

    def lapsed(self, seconds: float, now: float) -> float:
        """Return the store time up to which waits of `seconds` have ended: `now`, unless the clock was set.

        If the clock was set forward since, earlier rows would seem to end too soon.
        """
        return now - self._steady.ahead(seconds)

    def run_out(self, seconds: float, now: float) -> float:
        """Return the same for leases, which must not end too soon: none has ended before this process can know."""
        return -inf if self._steady.doubts(seconds) else self.lapsed(seconds, now)

    @property
    def was_set(self) -> bool:
        """Return whether the clock was set since this process opened the store."""
        return self._steady.was_set

    def stepped(self) -> float:
        """Return the sum of the clock's steps since this process opened the store: without it times form intervals."""
        return self._steady.total

    def rows(self, statement: sa.Executable, parameters: Any = None) -> Sequence[Any]:
        """Return all rows of a Core select."""
        return self.connection.execute(statement, parameters).fetchall()


class Store:
    """A database of one installation. Make it with `Store.open`."""

    def __init__(self, engine: Engine, clock: Clock, url: str) -> None:
        self._engine = engine
        self._clock = clock
        self.steady = Steady(clock)
        self._pid = os.getpid()
        self.url = url
        self.sqlite = engine.dialect.name == "sqlite"

    @property
    def clock(self) -> Clock:
        """The clock that dates rows: this machine's for a store in a file, else the server's."""
        return self._clock if self.sqlite else ServerClock(self._clock, self.steady)

    @classmethod
    def open(cls, url: str, clock: Clock, *, made: bool = False) -> Store:
        """Connect to `sqlite:///PATH` or `postgresql://...`; with `made` only to an existing file.

        Raises StoreError when the SQLite library is too old, UsageError for another kind of URL. The first use raises
        Unreachable when no server answers.
        """
        return cls(drivers.engine(url, made=made), clock, url)

    @contextmanager
    def begin(self) -> Iterator[Tx]:
        """Open a transaction that commits at the end of the block and rolls back on an exception.

        Exceptions of the block pass; errors of the database are raised as ours.
        """
        with self._translated(), self._engine.connect() as connection:
            if self.sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            with connection.begin() if not self.sqlite else _closing(connection):
                yield Tx(connection, self._clock, self.steady)

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """Open a consistent view of one moment. It must not write, which is not enforced."""
        with self._translated(), self._engine.connect() as connection:
            if self.sqlite:
                connection.exec_driver_sql("BEGIN")
            else:
                connection.execution_options(isolation_level="REPEATABLE READ")
            try:
                yield Tx(connection, self._clock, self.steady)
            finally:
                connection.rollback()

    def copy_to(self, target: Path) -> None:
        """Write a consistent copy of a SQLite database to a new file; readers and writers continue meanwhile."""
        with self._translated(), self._engine.connect() as connection:
            connection.exec_driver_sql("VACUUM INTO ?", (str(target),))

    def compact(self) -> None:
        """Return the space of deleted rows to the disk.

        No other process may write meanwhile; a kill changes nothing.
        """
        with self._translated(), self._engine.connect() as connection:
            if self.sqlite:
                connection.exec_driver_sql("VACUUM")
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
                return
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            for name in metadata.tables:
                alone.exec_driver_sql(f"VACUUM (ANALYZE) {name}")

    def scrub(self) -> None:
        """Rewrite every table, so that no byte of a deleted row stays in the files of the database.

        Other processes wait meanwhile. Raises StoreError when they do not release the database in time.
        """
        with self._translated(), self._engine.connect() as connection:
            if not self.sqlite:
                alone = connection.execution_options(isolation_level="AUTOCOMMIT")
                for name in metadata.tables:
                    alone.exec_driver_sql(f"VACUUM (FULL) {name}")
                return
            connection.exec_driver_sql("VACUUM")

    def truncate_log(self) -> None:
        """Empty the write-ahead log of SQLite, once no reader uses it. Raises StoreError before."""
        if not self.sqlite:
            return
        with self._translated(), self._engine.connect() as connection:
            if connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]:
                raise StoreError(
                    "The write-ahead log of the database is in use. Wait until readers end, then try again."
                )

    def files(self) -> list[Path]:
        """Return the existing files of a SQLite database; none for PostgreSQL."""
        if not self.sqlite:
            return []
        path = Path(self.url.removeprefix("sqlite:///"))
        return [each for each in (path, path.with_name(f"{path.name}-wal")) if each.exists()]

    def size(self) -> int:
        """Return the bytes that the database takes on disk."""
        if not self.sqlite:
            with self.read() as tx:
                return int(tx.driver("SELECT pg_database_size(current_database())").scalar_one())
        return sum(each.stat().st_size for each in self.files())

    def close(self) -> None:
        """Close all connections of this process."""
        self._engine.dispose(close=os.getpid() == self._pid)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn driver errors into ours; exceptions of the block itself pass."""
        try:
            yield
        except exc.DBAPIError as error:
            raise drivers.translate(error.orig, self.url) from error
        except self._engine.dialect.loaded_dbapi.Error as error:  # COPY uses the driver directly
            raise drivers.translate(error, self.url) from error


def is_of_database(error: BaseException) -> bool:
    """Return whether an error says that the database failed, and not what the code that used it did."""
    return isinstance(error, CormorantError) and isinstance(error.__cause__, exc.DBAPIError)


@contextmanager
def _closing(connection: Connection) -> Iterator[None]:
    """Commit what BEGIN IMMEDIATE began, or roll it back.

    There is no roll-back if SQLite has done it itself (disk full, I/O error), or if the connection was closed after an
    interrupted statement.
    """
    try:
        yield
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        raw: Any = None if connection.invalidated else connection.connection.dbapi_connection
        if raw is not None and raw.in_transaction:
            raw.execute("ROLLBACK")
        raise
