"""Databases for the tests of table sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources.table.databases import (
    Database,
    MariaServer,
    PostgresServer,
    SqliteFile,
    maria_server,
    postgres_server,
)


@pytest.fixture(scope="session")
def postgres_tcp() -> Iterator[PostgresServer]:
    """A PostgreSQL of this process that asks for passwords."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def maria() -> Iterator[MariaServer]:
    """A MariaDB of this process."""
    with maria_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql", pytest.param("mysql", marks=pytest.mark.server)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of each dialect."""
    if request.param == "sqlite":
        yield SqliteFile(tmp_path / "desk.db")
        return
    server = request.getfixturevalue("postgres_tcp" if request.param == "postgresql" else "maria")
    with server.database() as made:
        yield made
