"""Request log of a site: requests by hour, and the tightest gap between two, beside the delay asked for.

It shows the politeness of a crawl. A retriever tallies its requests to leased sites, and writes the tallies when it
settles a batch; requests to redirect targets on other sites are written separately (`redirect_hosts.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import site_hour

HOUR_S: Final = 3600
KEPT_HOURS: Final = 14 * 24
_LONG_S: Final = 86_400.0
"""A gap as long as this is not counted: it lies between two crawls."""


class HostHour(NamedTuple):
    """An hour at a site: requests, the tightest gap in seconds and the delay that was asked for then (None: no gap).

    `rule` names the origin of the newest request's delay.
    """

    hour: int
    requests: int
    gap_s: float | None = None
    asked_s: float | None = None
    rule: str = ""

    @property
    def tightness(self) -> float:
        """The gap as a share of the delay asked for; infinite if there was none."""
        return self.gap_s / self.asked_s if self.gap_s is not None and self.asked_s else inf

    def and_then(self, other: HostHour) -> HostHour:
        """Merge two, `other` the newer: the tighter gap counts, or the shorter one without a delay."""
        gaps = [each for each in (self, other) if each.gap_s is not None]
        tightest = min(gaps, key=lambda each: (each.tightness, each.gap_s), default=self)
        return HostHour(self.hour, self.requests + other.requests, tightest.gap_s, tightest.asked_s, other.rule)


class RequestTally:
    """Request tally of a leased site since the last write."""

    __slots__ = ("hours",)

    def __init__(self) -> None:
        self.hours: dict[int, HostHour] = {}

    def count(self, at: float, gap_s: float, asked_s: float, rule: str) -> None:
        """Count a request at epoch seconds, its gap to the one before, and the delay that a rule asked for."""
        hour = int(at // HOUR_S)
        new = HostHour(hour, 1, gap_s, asked_s, rule) if 0 <= gap_s < _LONG_S else HostHour(hour, 1, rule=rule)
        self._put(new)

    def add(self, newer: RequestTally) -> None:
        """Add the counts of a newer tally."""
        for each in newer.hours.values():
            self._put(each)

    def _put(self, new: HostHour) -> None:
        known = self.hours.get(new.hour)
        self.hours[new.hour] = new if known is None else known.and_then(new)

    def take(self) -> list[HostHour]:
        """Return the tallied hours and start a new tally."""
        hours, self.hours = list(self.hours.values()), {}
        return hours


_WRITTEN = sa.select(site_hour).where(
    site_hour.c.site_id.in_(sa.bindparam("sites", expanding=True)),
    site_hour.c.hour.in_(sa.bindparam("hours", expanding=True)),
)


def write(tx: Tx, tallies: Mapping[int, RequestTally]) -> None:
    """Write the tallies of these sites (by number); the caller owns the site's lease or holds its row lock."""
    tallied = {number: tally.take() for number, tally in tallies.items() if tally.hours}
    if not tallied:
        return
    hours = {hour.hour for each in tallied.values() for hour in each}
    written = tx.rows(_WRITTEN, {"sites": list(tallied), "hours": list(hours)})
    known = {(row[0], row[1]): HostHour(*row[1:]) for row in written}
    rows = []
    for number, each in tallied.items():
        for hour in each:
            before = known.get((number, hour.hour))
            rows.append((number, *(hour if before is None else before.and_then(hour))))
    names = ("site_id", *HostHour._fields)
    bulk.insert(tx, site_hour, names, rows, bulk.OnConflict(names[:2], names[2:]))


def forget(tx: Tx) -> None:
    """Delete hours older than two weeks."""
    tx.execute(sa.delete(site_hour).where(site_hour.c.hour < int(tx.now() // HOUR_S) - KEPT_HOURS))


def of(tx: Tx, numbers: Sequence[int]) -> dict[int, list[HostHour]]:
    """Return the request log of each of these sites, the newest hour first."""
    columns, found = site_hour.c, {number: list[HostHour]() for number in numbers}
    statement = sa.select(*columns).where(columns.site_id.in_(numbers))
    for row in tx.rows(statement.order_by(columns.site_id, columns.hour.desc())):
        found[row[0]].append(HostHour(*row[1:]))
    return found
