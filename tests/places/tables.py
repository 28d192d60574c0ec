"""Tables of SQLite, PostgreSQL and MariaDB."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

from cormorant.model.url import canonical
from cormorant.plugins import source_kind, source_settings
from cormorant.testing import Commands, CrawlPlace
from tests.clocks import until
from tests.sources.table import databases
from tests.sources.table.databases import Database, ServerDatabase, SqliteFile, statements, values

_INSERT = "INSERT INTO notes VALUES (?, ?, ?, ?, ?)"
_BATCH = 5_000


class SqlitePlace(CrawlPlace):
    """Rows of a SQLite table, by their checksum."""

    kind = "table"
    renames = True
    restricts = True
    incremental: ClassVar[str] = "checksum"
    database: Database

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Choose where the database is."""
        self.ticks = 0
        self.database = SqliteFile(folder / "desk.db")
        yield

    def counterpart(self) -> str:
        """Name the library."""
        return f"SQLite {sqlite3.sqlite_version}"

    def made(self) -> None:
        """Make the table."""
        types = values(self.database)
        self.database.run(
            f"CREATE TABLE notes (name varchar(50) PRIMARY KEY, body {types['text']}, changed_at {types['time']},"
            " author varchar(50), readers varchar(200))"
        )

    def settings(self) -> Mapping[str, object]:
        """Name the table."""
        return {
            **self.database.settings(), "table": "notes", "key": "name", "title": "name", "content": "body",
            "attributes": "author=Author", "grants_column": "readers", "incremental": self.incremental,
            "display_url": "https://desk.example/{name}",
        }  # fmt: skip

    def prepare(self, commands: Commands) -> None:
        """Keep the password."""
        commands.run("secret", "add", "desk", given=databases.PASSWORD)

    def put(self, name: str, word: str) -> None:
        """Insert or update a row."""
        self.database.run(("DELETE FROM notes WHERE name = ?", (name,)), (_INSERT, self._row(name, word)))

    def put_all(self, words: Mapping[str, str]) -> None:
        """Insert rows, many in a transaction."""
        rows = [(_INSERT, self._row(*each)) for each in words.items()]
        for start in range(0, len(rows), _BATCH):
            self.database.run(*rows[start : start + _BATCH])

    def remove(self, name: str) -> None:
        """Delete a row."""
        self.database.run(("DELETE FROM notes WHERE name = ?", (name,)))

    def rename(self, name: str, other: str) -> None:
        """Give a row another key."""
        change = "UPDATE notes SET name = ?, changed_at = ? WHERE name = ?"
        self.database.run((change, (other, self._tick(), name)))

    def allow(self, name: str, readers: Sequence[str]) -> None:
        """Write the readers of a row."""
        change = "UPDATE notes SET readers = ?, changed_at = ? WHERE name = ?"
        self.database.run((change, (",".join(readers), self._tick(), name)))

    def url(self, name: str) -> str:
        """Return the address that people open."""
        return canonical(f"https://desk.example/{name}")

    def attributes(self, name: str, word: str) -> Mapping[str, str]:
        """Each text has an author of its own."""
        return {"Author": f"by {word}"}

    def take_away(self) -> None:
        """Rename the table, so that it is not there."""
        self.database.run("ALTER TABLE notes RENAME TO away")

    def bring_back(self) -> None:
        """Rename it back."""
        self.database.run("ALTER TABLE away RENAME TO notes")

    def _row(self, name: str, word: str) -> tuple[str, ...]:
        return name, f"The text has {word}.", self._tick(), f"by {word}", "everyone"

    def _tick(self) -> str:
        self.ticks += 1
        return f"2026-11-28 {self.ticks // 3600:02}:{self.ticks // 60 % 60:02}:{self.ticks % 60:02}"


class SqliteLogPlace(SqlitePlace):
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


class PostgresqlPlace(SqlitePlace):
    """Rows of a PostgreSQL table, by their modification time."""

    incremental = "modified"

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Start a server."""
        self.ticks = 0
        with databases.postgres_server() as self.server, self.server.database() as self.database:
            yield

    def counterpart(self) -> str:
        """Ask for its version."""
        with closing(self.server.connect("postgres")) as connection:
            row = connection.execute("SHOW server_version").fetchone()
        return f"PostgreSQL {row[0].partition(' ')[0]}"

    def settings(self) -> Mapping[str, object]:
        """Name the column."""
        return {**super().settings(), "modified_column": "changed_at", "overlap_s": 0}

    def stop(self) -> None:
        """End the server at once, as a kill does."""
        self.server.server.control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start it at the same port."""
        self.server.server.control("-o", databases.LISTENING.format(port=self.server.port), "start")


class PostgresqlLogPlace(SqliteLogPlace, PostgresqlPlace):
    """The same by a log table."""

    incremental = "log"


class MariadbPlace(SqlitePlace):
    """Rows of a MariaDB table, by their checksum."""

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Start a server."""
        self.ticks = 0
        self._again: subprocess.Popen[bytes] | None = None
        with databases.maria_server() as self.server:
            try:
                with self.server.database() as self.database:
                    assert isinstance(self.database, ServerDatabase)
                    yield
            finally:
                self._end()

    def counterpart(self) -> str:
        """Ask for its version."""
        said = subprocess.run(["mariadbd", "--version"], capture_output=True, text=True, check=True).stdout
        return f"MariaDB {said.partition('Ver ')[2].partition('-')[0]}"

    def stop(self) -> None:
        """Kill the server."""
        number = int((self.server.folder / "pid").read_text())
        os.kill(number, signal.SIGKILL)
        self._end()
        (self.server.folder / "pid").unlink()
        (self.server.folder / "socket").unlink(missing_ok=True)

    def start(self) -> None:
        """Start it at the same port."""
        self._again = subprocess.Popen(
            self.server.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        until((self.server.folder / "socket").exists)

    def _end(self) -> None:
        """Wait for the end of the server that was started again."""
        if self._again is not None:
            self._again.terminate()
            self._again.wait()


class MariadbLogPlace(SqliteLogPlace, MariadbPlace):
    """The same by a log table."""
