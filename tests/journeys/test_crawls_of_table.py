"""Tables of real databases pass the suite of whole crawls, in each way of finding changes."""

from __future__ import annotations

import pytest

from cormorant.testing import CrawlSuite
from tests.places.tables import (
    MariadbLogPlace,
    MariadbPlace,
    PostgresqlLogPlace,
    PostgresqlPlace,
    SqliteLogPlace,
    SqlitePlace,
)
from tests.places.variants import VariantSuite


class TestSqlite(SqlitePlace, CrawlSuite):
    """Rows of a SQLite table, by their checksum."""


class TestSqliteLog(SqliteLogPlace, VariantSuite):
    """The same by a log table."""


class TestPostgresql(PostgresqlPlace, CrawlSuite):
    """Rows of a PostgreSQL table, by their modification time."""


class TestPostgresqlLog(PostgresqlLogPlace, VariantSuite):
    """The same by a log table."""


@pytest.mark.server
class TestMariadb(MariadbPlace, CrawlSuite):
    """Rows of a MariaDB table, by their checksum."""


@pytest.mark.server
class TestMariadbLog(MariadbLogPlace, CrawlSuite):
    """The same by a log table."""
