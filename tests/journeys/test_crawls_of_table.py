"""Tables of real databases pass the suite of whole crawls, in each way of finding changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import ClassVar

import pytest

from cormorant.model.url import canonical
from cormorant.plugins import source_kind, source_settings
from cormorant.testing import CrawlSuite
from cormorant.testing.crawls import Commands
from tests.sources.table.databases import (
    PASSWORD,
    Database,
    ServerDatabase,
    SqliteFile,
    maria_server,
    postgres_server,
    statements,
    values,
)


class TestSqlite(CrawlSuite):
    """Rows of a SQLite table, by their checksum."""

    kind = "table"
    incremental: ClassVar[str] = "checksum"
    database: Database

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> Iterator[None]:
        """Choose where the database is."""
        self.ticks = 0
        with nullcontext(SqliteFile(tmp_path / "desk.db")) as self.database:
            yield

    def made(self) -> None:
        """Make the table."""
        types = values(self.database)
        self.database.run(
            f"CREATE TABLE notes (name varchar(50) PRIMARY KEY, body {types['text']}, changed_at {types['time']})"
        )

    def settings(self) -> Mapping[str, object]:
        """Name the table."""
        return {
            **self.database.settings(), "table": "notes", "key": "name", "title": "name", "content": "body",
            "incremental": self.incremental, "display_url": "https://desk.example/{name}",
        }  # fmt: skip

    def prepare(self, commands: Commands) -> None:
        """Keep the password, and let the account read the table."""
        commands.run("secret", "add", "desk", given=PASSWORD)

    def put(self, name: str, word: str) -> None:
        """Insert or update a row."""
        self.ticks += 1
        moment = f"2026-11-28 10:{self.ticks // 60:02}:{self.ticks % 60:02}"
        self.database.run(
            ("DELETE FROM notes WHERE name = ?", (name,)),
            ("INSERT INTO notes VALUES (?, ?, ?)", (name, f"The text has {word}.", moment)),
        )

    def remove(self, name: str) -> None:
        """Delete a row."""
        self.database.run(("DELETE FROM notes WHERE name = ?", (name,)))

    def url(self, name: str) -> str:
        """Return the address that people open."""
        return canonical(f"https://desk.example/{name}")

    def take_away(self) -> None:
        """Rename the table, so that it is not there."""
        self.database.run("ALTER TABLE notes RENAME TO away")

    def bring_back(self) -> None:
        """Rename it back."""
        self.database.run("ALTER TABLE away RENAME TO notes")


class TestSqliteLog(TestSqlite):
    """The same by a log table."""

    incremental = "log"

    def made(self) -> None:
        """Make the table, its log and the triggers."""
        super().made()
        settings = source_settings("table", self.settings())
        write = source_kind("table").script
        assert write is not None
        self.database.run(*statements(write(settings)))

    def settings(self) -> Mapping[str, object]:
        """Name the log."""
        return {**super().settings(), "log_table": "notes_log", "overlap_s": 0, "full_every": 100}


class TestPostgresql(TestSqlite):
    """Rows of a PostgreSQL table, by their modification time."""

    incremental = "modified"

    @pytest.fixture(autouse=True)
    def place(self) -> Iterator[None]:
        """Start a server."""
        self.ticks = 0
        with postgres_server() as server, server.database() as self.database:
            yield

    def settings(self) -> Mapping[str, object]:
        """Name the column."""
        return {**super().settings(), "modified_column": "changed_at", "overlap_s": 0}


class TestPostgresqlLog(TestSqliteLog, TestPostgresql):
    """The same by a log table."""

    incremental = "log"


@pytest.mark.server
class TestMariadb(TestSqlite):
    """Rows of a MariaDB table, by their checksum."""

    @pytest.fixture(autouse=True)
    def place(self) -> Iterator[None]:
        """Start a server."""
        self.ticks = 0
        with maria_server() as server, server.database() as self.database:
            assert isinstance(self.database, ServerDatabase)
            yield


@pytest.mark.server
class TestMariadbLog(TestSqliteLog, TestMariadb):
    """The same by a log table."""
