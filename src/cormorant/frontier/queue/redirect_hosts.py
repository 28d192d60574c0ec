"""Redirect hosts: pacing of requests to a site that a visit has not leased.

A redirect of another site leads there, or an administrator tests an address of it.

    turn (the stored newest request becomes the time of ours) -> sent -> flush (request log)

The owner of a leased site sees a turn taken here when it next writes to the site's row. Its own next request may be due
at the same moment, so this module leaves that turn free and takes the second from now. Requests that an owner sends
between two writes are not seen.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from cormorant.frontier.queue import request_log
from cormorant.frontier.queue.host_leases import AHEAD_S, LEASE_S
from cormorant.frontier.queue.request_log import RequestTally
from cormorant.frontier.state import host_facts
from cormorant.frontier.state.enqueue import SiteNumbers
from cormorant.frontier.state.host_facts import INSTALLATION, Fact
from cormorant.model.other_hosts import KnownFact
from cormorant.model.pace import Pace
from cormorant.store.schema import site

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from cormorant.base.clock import Clock
    from cormorant.store.db.database import Store, Tx

MOST = 4_096
"""Sites whose newest request is cached."""
LATE_S = 0.02
"""A turn is taken again if storing it took longer: a late request would be too near to the next."""
TRIES = 4
"""Attempts to take a turn in time: a store may be slow each time."""
_ROW = sa.select(site.c.id, site.c.requested_at, site.c.owner, site.c.lease_until).where(
    site.c.key == sa.bindparam("key")
)


class _Last(NamedTuple):
    """The newest known request to a site (epoch seconds), and the site's pace."""

    at: float
    pace: Pace


class _Turn(NamedTuple):
    """A turn, taken or not, and its time: in epoch seconds of the store, and in monotonic ones."""

    at: float
    at_monotonic: float
    is_ours: bool


class OtherSites:
    """The unleased sites of one process, read and written through the store."""

    def __init__(self, store: Store, clock: Clock, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._store, self._clock, self._sleep = store, clock, sleep
        self._tallies: dict[str, RequestTally] = {}
        self._last: dict[str, _Last] = {}

    def facts(self, key: str) -> dict[str, bytes]:
        """Return the facts of a site that hold for every source."""
        return {name: known.value for name, known in self._facts(key).items()}

    def fact(self, key: str, name: str) -> KnownFact | None:
        """Return one of these facts, with its expiry."""
        return self._facts(key).get(name)

    def _facts(self, key: str) -> Mapping[str, KnownFact]:
        with self._store.read() as tx:
            row = _row(tx, key)
            found = host_facts.read(tx, [row.id], [INSTALLATION]) if row is not None else []
        return {each.name: KnownFact(each.value, each.valid_until) for each in found}

    def learn(self, key: str, name: str, value: bytes, seconds: float) -> None:
        """Store a fact for every source, and the time of its request: the fact may set the next delay."""
        with self._store.begin() as tx:
            host_facts.write(tx, [Fact(_number(tx, key), INSTALLATION, name, value, tx.now() + seconds)])
            _asked(tx, key, self.last(key))

    def last(self, key: str) -> float:
        """Return when the last request to a site before this turn was sent (epoch s), -inf if unknown."""
        return self._last[key].at if key in self._last else -inf

    async def turn(self, key: str, pace: Pace, most_s: float) -> float:
        """Wait for the next turn at a site. Returns 0.0, or the wait in seconds if it exceeds `most_s`."""
        last = self._last.get(key)
        self._last[key] = _Last(last.at if last else -inf, pace)
        if not pace.delay_s:
            return 0.0
        mine, tries, wait, ends = None, 0, 0.0, self._clock.monotonic() + most_s
        while self._clock.monotonic() + wait <= ends:
            await self._sleep(wait)
            turn = self._take(key, pace, ends - self._clock.monotonic(), mine)
            left = turn.at_monotonic - self._clock.monotonic()
            wait = max(left, 0.0)
            if turn.is_ours and (left >= -LATE_S or tries == TRIES):
                await self._sleep(wait)
                return 0.0
            mine, tries = (turn.at, tries + 1) if turn.is_ours else (None, tries)
        return wait or pace.delay_s

    def _take(self, key: str, pace: Pace, most_s: float, mine: float | None = None) -> _Turn:
        """Take the next turn if it has come, or was left free.

        `mine` is a turn taken before, which stays ours while no other process takes one. The row is locked while the
        time is computed, and other processes see it at the commit.
        """
        with self._store.begin() as tx:
            _number(tx, key)
            row = _row(tx, key, locking=not tx.sqlite)
            found, now = self._clock.monotonic(), tx.now()
            before = row.requested_at if row.requested_at <= now + AHEAD_S else 0.0
            is_leased = row.owner is not None and row.lease_until > tx.run_out(LEASE_S, now)
            at = max(before + pace.delay_s, now)
            if is_leased:
                at += pace.delay_s
            if before == mine:
                at = now
            is_ours = at <= now or (is_leased and at - now <= most_s)
            if is_ours:
                tx.execute(sa.update(site).where(site.c.id == row.id).values(requested_at=at))
                if before != mine:
                    self._last[key] = _Last(before or -inf, pace)
        return _Turn(float(at), found + float(at - now), is_ours)

    def sent(self, key: str) -> None:
        """Record that a request to a site goes out now; the next turn counts from here."""
        now, last = self._clock.now(), self._last.get(key) or _Last(-inf, Pace(0.0, 1, ""))
        self._tallies.setdefault(key, RequestTally()).count(now, now - last.at, last.pace.delay_s, last.pace.rule)
        self._last[key] = last._replace(at=now)
        if last.pace.delay_s:
            with self._store.begin() as tx:
                _asked(tx, key, tx.now())

    def add(self, key: str, tally: RequestTally) -> None:
        """Add a newer tally of requests to a site."""
        if tally.hours:
            self._tallies.setdefault(key, RequestTally()).add(tally)

    def flush(self) -> None:
        """Write the request log in a transaction of its own: the owner of a site's lease writes to it as well."""
        if not self._tallies:
            return
        tallies, self._tallies = self._tallies, {}
        with self._store.begin() as tx:
            numbers = {key: _number(tx, key) for key in tallies}
            if not tx.sqlite:
                mine = sa.select(site.c.id).where(site.c.id.in_(numbers.values()))
                tx.rows(mine.order_by(site.c.id).with_for_update())
            request_log.write(tx, {numbers[key]: tally for key, tally in tallies.items()})
        if len(self._last) > MOST:
            self._last.clear()


def _row(tx: Tx, key: str, *, locking: bool = False) -> Any:
    rows = tx.rows(_ROW.with_for_update() if locking else _ROW, {"key": key})
    return rows[0] if rows else None


def _asked(tx: Tx, key: str, at: float) -> None:
    """Store the time of a request to a site (epoch seconds)."""
    earlier = sa.and_(site.c.key == key, site.c.requested_at < at)
    tx.execute(sa.update(site).where(earlier).values(requested_at=at))


def _number(tx: Tx, key: str) -> int:
    """Return the number of a site, which gets a row if it has none."""
    return SiteNumbers().of(tx, {key})[key]
