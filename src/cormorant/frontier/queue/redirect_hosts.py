"""Redirect hosts: pacing of requests to a site that a visit has not leased.

A redirect of another leads there, or a person tests an address of it.

    turn (the store's newest request, moved to when ours goes out) -> sent -> flush (the ledger)

At a site that is leased, its owner sees a turn taken here when it next writes of the site. Its own next request may be
due at the same moment, so that one is left free: ours is the second from now. What an owner sends between two looks at
the store is not seen.
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
"""Sites whose newest request is remembered."""
LATE_S = 0.02
"""A turn is taken anew when writing it down took longer: a request that goes out late would be too near to the next."""
TRIES = 4
"""How often, at the most: a store may be as slow each time."""
_ROW = sa.select(site.c.id, site.c.requested_at, site.c.owner, site.c.lease_until).where(
    site.c.key == sa.bindparam("key")
)


class _Last(NamedTuple):
    """The newest request to a site that is known of (epoch seconds), and the pace it is asked at."""

    at: float
    pace: Pace


class _Turn(NamedTuple):
    """A turn, taken or not, and when it is: in epoch seconds of the store, and in monotonic ones."""

    at: float
    at_monotonic: float
    is_ours: bool


class OtherSites:
    """The other sites of one process, read and written through the store."""

    def __init__(self, store: Store, clock: Clock, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._store, self._clock, self._sleep = store, clock, sleep
        self._tallies: dict[str, RequestTally] = {}
        self._last: dict[str, _Last] = {}

    def facts(self, key: str) -> dict[str, bytes]:
        """The facts of a site that hold for every source."""
        return {name: known.value for name, known in self._facts(key).items()}

    def fact(self, key: str, name: str) -> KnownFact | None:
        """One of them, with its end."""
        return self._facts(key).get(name)

    def _facts(self, key: str) -> Mapping[str, KnownFact]:
        with self._store.read() as tx:
            row = _row(tx, key)
            found = host_facts.read(tx, [row.id], [INSTALLATION]) if row is not None else []
        return {each.name: KnownFact(each.value, each.valid_until) for each in found}

    def learn(self, key: str, name: str, value: bytes, seconds: float) -> None:
        """Keep a fact for every source, and when it was asked for: it may say how long the next waits."""
        with self._store.begin() as tx:
            host_facts.write(tx, [Fact(_number(tx, key), INSTALLATION, name, value, tx.now() + seconds)])
            _asked(tx, key, self.last(key))

    def last(self, key: str) -> float:
        """Return when the last request to a site before this turn was sent (epoch s), -inf if unknown."""
        return self._last[key].at if key in self._last else -inf

    async def turn(self, key: str, pace: Pace, most_s: float) -> float:
        """Wait for the next turn at a site. Returns 0.0; if it takes more than `most_s`, the seconds it would take."""
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
        """Take the next turn if it has come, or was left free; `mine` is one taken before, ours as long as no one came.

        Its moment is found when nobody else can write of the site any more, and known to others when that is over.
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
        """A request goes out to a site now; who waits for the next turn counts from here."""
        now, last = self._clock.now(), self._last.get(key) or _Last(-inf, Pace(0.0, 1, ""))
        self._tallies.setdefault(key, RequestTally()).count(now, now - last.at, last.pace.delay_s, last.pace.rule)
        self._last[key] = last._replace(at=now)
        if last.pace.delay_s:
            with self._store.begin() as tx:
                _asked(tx, key, tx.now())

    def add(self, key: str, tally: RequestTally) -> None:
        """Have a tally of requests to a site written down as well, newer than what was counted here."""
        if tally.hours:
            self._tallies.setdefault(key, RequestTally()).add(tally)

    def flush(self) -> None:
        """Write down what went out, in a transaction of its own: who has leased a site writes of it as well."""
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
    """A request went out to a site at a time (epoch seconds)."""
    earlier = sa.and_(site.c.key == key, site.c.requested_at < at)
    tx.execute(sa.update(site).where(earlier).values(requested_at=at))


def _number(tx: Tx, key: str) -> int:
    """The number of a site, which gets a row when it has none."""
    return SiteNumbers().of(tx, {key})[key]
