"""Newest rows of a table, whose content is compared though their modification time is the same.

A clock ticks: a row that was changed twice within one tick has the same time as when it was listed in between. So the
newest rows are known by a digest of their content from one listing to the next. Their version is that of all others,
until a digest differs while the time does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from cormorant.sources.table.rows.row_key import RowAddress, row_path
from cormorant.sources.table.rows.row_version import ListedRow, version_of

MOST: Final = 2_000
"""Rows that are remembered, the newest ones."""


class RecentRow(NamedTuple):
    """A row as it was listed: its version by its time, the digest of its content, and the version that was named."""

    plain: str
    digest: str
    named: str


class RecentRows:
    """Versions of the newest rows by their path. `since` is the time from which on rows are among them, "" for none."""

    def __init__(self, rows: Mapping[str, RecentRow], since: str | float = "") -> None:
        self.rows, self.since = dict(rows), since

    def named(self, row: ListedRow) -> ListedRow:
        """Return a row as it is to be named, with its attachments."""
        found = self.rows.get(row_path(RowAddress(row.key)))
        if found is None or found.plain != row.version or found.named == row.version:
            return row
        attachments = tuple((column, version_of((found.named, version))) for column, version in row.attachments)
        return row._replace(version=found.named, attachments=attachments)

    def followed_by(self, path: str, plain: str, digest: str) -> RecentRow:
        """Return a row of these as it is now."""
        before = self.rows.get(path)
        if before is None or before.plain != plain:
            return RecentRow(plain, digest, plain)
        named = before.named if before.digest == digest else version_of((plain, digest))
        return RecentRow(plain, digest, named)

    def as_json(self) -> list[object]:
        """Return what `of_json` takes."""
        return [self.since, {path: list(row) for path, row in self.rows.items()}]

    @classmethod
    def of_json(cls, kept: object) -> RecentRows:
        """Read what was kept; nothing of what is no such thing."""
        match kept:
            case [str() | int() | float() as since, dict(rows)]:
                return cls({path: RecentRow(*map(str, row)) for path, row in rows.items()}, since)
            case _:
                return cls({})
