"""A source of documents in a table of a SQLite database: columns `id`, `title`, `body` and `changed`."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from pydantic import Field

from cormorant.plugins import (
    BaseSource,
    Batches,
    Content,
    Deferred,
    Gone,
    Outcome,
    Resource,
    SourceSettings,
    Unreachable,
    VisitTrace,
)


class TableSettings(SourceSettings):
    """What can be set on a source of this kind, beside what every source has."""

    path: Path = Field(description="The database, like /srv/desk.db.")
    table: str = Field(default="documents", pattern="[A-Za-z_]+", description="The table, in letters.")


class TableSource(BaseSource[TableSettings]):
    """Rows of a table."""

    kind, about = "sqlite", "Rows of a table in a SQLite database."
    Settings = TableSettings

    def discover(self, cursor: str) -> Batches:
        """Name every row, with its version: what is not named is deleted, so a fault is raised."""
        try:
            rows = self._rows(f"SELECT id, changed FROM {self.settings.table}")
        except sqlite3.Error as error:
            raise Unreachable(f"{self.settings.path} cannot be read: {error}. Check the setting path.") from error
        yield [self.found(str(number), str(changed)) for number, changed in rows]

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Read one row."""
        question = f"SELECT title, body FROM {self.settings.table} WHERE CAST(id AS TEXT) = ?"
        try:
            rows = await asyncio.to_thread(self._rows, question, self.key_of(resource.address))
        except sqlite3.Error as error:
            return Deferred(905, f"The row cannot be read now: {error}.")
        if not rows:
            return Gone()
        body = "# {}\n\n{}".format(*rows[0]).encode()
        wire.received += len(body)
        return Content(resource.address, body, "text/markdown", "utf-8")

    def _rows(self, question: str, *values: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(f"{self.settings.path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return database.execute(question, values).fetchall()
