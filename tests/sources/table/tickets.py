"""Sources and rows that tests of tables share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from cormorant.extract.html.page import extract_html
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.resource import DiscoveredUrl
from cormorant.plugins import Source, make_source
from cormorant.testing.sources import resource_of
from tests.sources.table.databases import PASSWORD, Database, values, ways


def made(database: Database, **settings: Any) -> Source:
    """A source that reads the table `tickets`."""
    table = {} if "query" in settings else {"table": "tickets"}
    return make_source("table", 3, {**database.settings(), **table, **settings}, ways(desk=PASSWORD))


def tickets(database: Database, *rows: Sequence[Any], table: str = "tickets") -> None:
    """Make a table with these rows: id, subject, body, author, changed_at, scan, readers."""
    types = values(database)
    database.run(
        f"CREATE TABLE {table} (id {types['id']}, subject varchar(200), body {types['text']}, author varchar(80), "
        f"changed_at {types['time']}, scan {types['blob']}, readers varchar(200))",
        *((f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?)", each) for each in rows),
    )


ONE = (1, "Pump leaks", "The <pump> leaks.\n\nDaily.", "Ada", "2026-11-01 10:00:00", None, "everyone")
TWO = (2, "Valve", "It is stuck.", "Bob", "2026-11-02 10:00:00", b"\x89PNG..", "staff; user:ada")


def listed(source: Source, cursor: str = "") -> dict[str, DiscoveredUrl]:
    """The rows that a discovery names, by the end of their address."""
    found = [each for batch in source.discover(cursor) for each in batch]
    assert all(isinstance(each, DiscoveredUrl) for each in found)
    return {each.address.partition("/3/")[2]: each for each in found if isinstance(each, DiscoveredUrl)}


def visit(source: Source, found: DiscoveredUrl) -> Content | Outcome:
    """Fetch one row."""

    async def fetch() -> Content | Outcome:
        try:
            return await source.fetch(resource_of(found, source), VisitTrace())
        finally:
            await source.close()

    return asyncio.run(fetch())


def read(source: Source, key: str) -> Content:
    """Fetch the row with this key."""
    got = visit(source, DiscoveredUrl(f"table://3/{key}", "table://3"))
    assert isinstance(got, Content), got
    return got


def text_of(content: Content) -> str:
    """The words of a page."""
    return " ".join(extract_html(content.body, address=content.address, charset="utf-8").text.split())
