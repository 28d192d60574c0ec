"""Connections to the database of a source, and read-only transactions on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import sqlalchemy as sa

from cormorant.net.egress.dialer import Dialer
from cormorant.sources.connection_pool import ConnectionPool
from cormorant.sources.kind import Tools
from cormorant.sources.table.driver_check import see_driver
from cormorant.sources.table.faults import ERRORS, translate
from cormorant.sources.table.place import MYSQL, ORACLE, POSTGRESQL, SQLITE, url_of
from cormorant.sources.table.settings import TableSettings
from cormorant.sources.table.wire import DatabaseLogin, limit_sqlite, open_raw, sqlite_driver


class DatabaseClient:
    """Opens connections to one database; those for documents are kept and lent."""

    def __init__(self, settings: TableSettings, tools: Tools) -> None:
        self._settings, self._tools, self.place = settings, tools, settings.place
        self._dialer: Dialer | None = None
        if tools.egress is not None and self.place.host:
            self._dialer = Dialer(tools.egress, settings.consent(self.place.host, self.place.port))
        self._engines: dict[float, sa.Engine] = {}
        self.pool = ConnectionPool(self._kept, _disconnect, tools.clock)

    @contextmanager
    def listing(self) -> Iterator[sa.Connection]:
        """Lend a new connection in a transaction that sees one moment, where the dialect can. Raises Unreachable."""
        seconds = self._settings.listing_s
        connection = self._connect(seconds)
        try:
            with self.reading(connection, seconds):
                yield connection
        finally:
            _disconnect(connection)

    @contextmanager
    def reading(self, connection: sa.Connection, seconds: float) -> Iterator[None]:
        """Keep a read-only transaction open, whose statements take at most so many seconds, and roll it back.

        Raises Unreachable and LoginRefused for what the database does; see `faults.report` for its errors.
        """
        self._begin(connection, seconds)
        try:
            yield
        finally:
            with suppress(*ERRORS):
                connection.rollback()

    def _begin(self, connection: sa.Connection, seconds: float) -> None:
        match self.place.dialect:
            case "sqlite":
                limit_sqlite(connection.connection.dbapi_connection, self._tools.clock, seconds)
                connection.exec_driver_sql("BEGIN")
            case "postgresql":
                connection.exec_driver_sql(f"SET LOCAL statement_timeout = {round(seconds * 1000)}")
            case "mysql":
                connection.exec_driver_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
            case "oracle":
                connection.exec_driver_sql("SET TRANSACTION READ ONLY")
            case _:  # SQLAlchemy begins one with the first statement
                pass

    def _kept(self) -> sa.Connection:
        return self._connect(self._settings.timeout_s)

    def _connect(self, seconds: float) -> sa.Connection:
        """Return a new connection. Raises Unreachable and LoginRefused."""
        try:
            connection = self._engine(seconds).connect()
            self._prepare(connection, seconds)
        except ERRORS as error:
            raise translate(error, self.place) from None
        return connection

    def _prepare(self, connection: sa.Connection, seconds: float) -> None:
        """Say once for a connection how it is used."""
        if self.place.dialect == POSTGRESQL:
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        elif self.place.dialect == MYSQL:
            is_maria = bool(getattr(connection.dialect, "is_mariadb", False))
            limit = f"max_statement_time={seconds:g}" if is_maria else f"max_execution_time={round(seconds * 1000)}"
            connection.exec_driver_sql("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            connection.exec_driver_sql(f"SET SESSION {limit}, time_zone='+00:00'")
            connection.rollback()
        elif self.place.dialect in (SQLITE, ORACLE):
            connection.rollback()

    def _engine(self, seconds: float) -> sa.Engine:
        """Return the engine whose connections may be silent for so long; engines keep no connections."""
        if seconds not in self._engines:
            see_driver(self.place)
            options: dict[str, Any] = {}
            if self.place.dialect == SQLITE:
                options = {"module": sqlite_driver()}
            login = self._login(seconds)
            self._engines[seconds] = sa.create_engine(
                url_of(self.place), creator=lambda: open_raw(self.place, login, self._dialer),
                poolclass=sa.pool.NullPool, **options,
            )  # fmt: skip
        return self._engines[seconds]

    def _login(self, seconds: float) -> DatabaseLogin:
        secrets, names = self._tools.secrets, self._settings.secrets
        password = "".join(secrets.reveal(name) for name in names) if secrets is not None else ""
        return DatabaseLogin(password, self._settings.tls, self._settings.ca, self._settings.connect_timeout_s, seconds)


def _disconnect(connection: sa.Connection) -> None:
    """Close a connection, in whatever state it is."""
    with suppress(*ERRORS):
        connection.invalidate()
    with suppress(*ERRORS):
        connection.close()
