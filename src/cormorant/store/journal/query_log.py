"""Query log: searches, the number of results found, and the results that were opened.

The web process writes it in batches; rows are kept for so many days, at most MOST_ROWS. The reader is not recorded:
neither a name nor an address, nor anything that distinguishes two readers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import click, query

DAY_S: Final = 86_400
MOST_ROWS: Final = 1_000_000
LONGEST: Final = 500
"""Characters of a query that are kept."""
FIRST_PAGE: Final = 1


class Face(StrEnum):
    """Interface through which a search was made."""

    PAGE = "page"
    API = "api"


class QueryRow(NamedTuple):
    """A search. `words` is the text by which searches are grouped; `sources` is a list in JSON."""

    at: float
    token: str
    text: str
    words: str
    understood: str
    total: int
    took_ms: float
    page: int
    who: str
    sources: str
    face: str


class ClickRow(NamedTuple):
    """An opened result; `place` counts the hits of the search from 1."""

    at: float
    token: str
    resource_id: int
    place: int


class Counted(NamedTuple):
    """Searches for the same words: their number, the time of the last, the most results, and the opened results."""

    words: str
    times: int
    last_at: float
    total: int
    clicks: int


class QueryReport(StrEnum):
    """Query report: all searches, those without results, or those without an opened result."""

    TOP = "top"
    ZERO = "zero"
    UNCLICKED = "unclicked"


def together(text: str) -> str:
    """Return the normalized query by which searches are grouped and counted."""
    return " ".join(text.lower().split())[:LONGEST]


def write(tx: Tx, queries: Sequence[QueryRow], clicks: Sequence[ClickRow]) -> None:
    """Insert searches and clicks."""
    storable = [
        row._replace(text=bulk.storable(row.text), words=bulk.storable(row.words),
                     understood=bulk.storable(row.understood), sources=bulk.storable(row.sources))
        for row in queries
    ]  # fmt: skip
    bulk.insert(tx, query, QueryRow._fields, storable)
    bulk.insert(tx, click, ClickRow._fields, clicks)


def trim(tx: Tx, days: int) -> int:
    """Delete searches older than so many days, and the oldest beyond MOST_ROWS; returns the number of searches."""
    before = tx.now() - days * DAY_S
    gone = 0
    for table in (click, query):
        newest = tx.execute(sa.select(sa.func.max(table.c.id))).scalar_one() or 0
        old = sa.or_(table.c.at < before, table.c.id <= int(newest) - MOST_ROWS)
        gone = tx.execute(sa.delete(table).where(old)).rowcount
    return gone


def wordings(tx: Tx) -> list[str]:
    """Return every wording in the log, each once."""
    return [row.words for row in tx.rows(sa.select(query.c.words).distinct())]


def forget(tx: Tx, words: Sequence[str]) -> int:
    """Delete searches of these wordings, with their clicks; returns their number."""
    gone = 0
    for start in range(0, len(words), 500):
        mine = query.c.words.in_(words[start : start + 500])
        tx.execute(sa.delete(click).where(click.c.token.in_(sa.select(query.c.token).where(mine))))
        gone += tx.execute(sa.delete(query).where(mine)).rowcount
    return gone


def listed(tx: Tx, before: int | None, most: int) -> list[dict[str, Any]]:
    """Return searches, the newest first, with their clicks; those `before` a number are older."""
    clicks = sa.select(sa.func.count()).where(click.c.token == query.c.token).scalar_subquery().label("clicks")
    statement = sa.select(query, clicks).order_by(query.c.id.desc()).limit(most)
    if before is not None:
        statement = statement.where(query.c.id < before)
    names = statement.selected_columns.keys()
    found = (dict(zip(names, row, strict=True)) for row in tx.rows(statement))
    return [row | {"sources": json.loads(row["sources"])} for row in found]


def report(tx: Tx, which: QueryReport, days: int, most: int) -> list[Counted]:
    """Return searches of the last days, grouped, the most frequent first.

    Further pages of the same search are not counted. A program opens no results, so only searches of the web page count
    as unclicked.
    """
    columns = query.c
    clicks = sa.select(click.c.token, sa.func.count().label("opened")).group_by(click.c.token).subquery()
    opened = sa.func.coalesce(sa.func.sum(clicks.c.opened), 0)
    times = sa.func.count()
    statement = (
        sa.select(columns.words, times.label("times"), sa.func.max(columns.at), sa.func.max(columns.total), opened)
        .select_from(query.outerjoin(clicks, clicks.c.token == columns.token))
        .where(columns.at >= tx.now() - days * DAY_S, columns.page == FIRST_PAGE, columns.words != "")
        .group_by(columns.words)
        .order_by(times.desc(), columns.words)
        .limit(most)
    )
    if which is QueryReport.ZERO:
        statement = statement.where(columns.total == 0)
    elif which is QueryReport.UNCLICKED:
        statement = statement.where(columns.total > 0, columns.face == Face.PAGE).having(opened == 0)
    return [Counted(row[0], int(row[1]), float(row[2]), int(row[3]), int(row[4])) for row in tx.rows(statement)]
