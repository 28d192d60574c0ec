"""Query log: what was searched for, written as it is answered, then listed and counted for operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cormorant.base.clock import timestamp
from cormorant.base.errors import UsageError
from cormorant.operate.installation import Installation
from cormorant.operate.records.queries import CountedQuery, Query
from cormorant.store.journal import query_log
from cormorant.store.journal.query_log import ClickRow, Face, QueryReport, QueryRow, together

__all__ = [
    "DAYS",
    "MOST",
    "MOST_DAYS",
    "ClickRow",
    "Face",
    "QueryReport",
    "QueryRow",
    "counted",
    "listed",
    "together",
    "trim",
    "write",
]

DAYS: Final = 30
"""Days that are counted by default."""
MOST_DAYS: Final = 3_650
MOST: Final = 50
"""Searches in a report."""


def write(house: Installation, asked: Sequence[QueryRow], clicks: Sequence[ClickRow]) -> None:
    """Keep searches and clicks."""
    with house.store.begin() as tx:
        query_log.write(tx, asked, clicks)


def trim(house: Installation) -> int:
    """Let go of what is older than the installation keeps; returns how many searches."""
    with house.store.begin() as tx:
        return query_log.trim(tx, house.query_days)


def listed(house: Installation, before: int | None = None, most: int = 100) -> list[Query]:
    """Searches, the newest first, as records; those `before` a number are older."""
    with house.store.read() as tx:
        return [_record(each) for each in query_log.listed(tx, before, most)]


def counted(house: Installation, which: QueryReport, days: int = DAYS, most: int = MOST) -> list[CountedQuery]:
    """Searches of the last days counted together, the most frequent first. Raises UsageError for no days."""
    if not 1 <= days <= MOST_DAYS:
        raise UsageError(f"A report covers 1 to {MOST_DAYS:,} days, not {days}.")
    with house.store.read() as tx:
        found = query_log.report(tx, which, days, most)
    return [
        {"query": each.words, "times": each.times, "last_at": timestamp(each.last_at), "total": each.total,
         "clicks": each.clicks}
        for each in found
    ]  # fmt: skip


def _record(row: dict[str, Any]) -> Query:
    return {
        "number": row["id"], "at": timestamp(row["at"]), "text": row["text"], "understood": row["understood"],
        "total": row["total"], "took_ms": row["took_ms"], "page": row["page"], "who": row["who"],
        "sources": row["sources"], "face": row["face"], "clicks": row["clicks"],
    }  # fmt: skip
