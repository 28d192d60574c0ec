"""Invariants of a simulated world, checked in the store after each transaction.

one owner an epoch - no more open runs than permitted - rows written only under a lease - no URL requested twice in one
epoch, without a lease, sooner than the pace or a pause of its site permits, or for a run that is not open - event
numbers without a gap - runs by the drawing of their states - complete means that nothing is left to visit - finished
means that receivers have got all events
"""

from __future__ import annotations

from collections import defaultdict
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from pysqlite3 import dbapi2 as sqlite

from cormorant.frontier.policy import priority
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Role
from cormorant.model.run import OPEN_STATES, RunState
from cormorant.store.db.clock_steps import STEP_S
from tests.reliability.farm import Asked, Farm
from tests.reliability.world import Process

_ANY = frozenset((RunState.STOPPED, RunState.FAILED))
_SUSPENDABLE = _ANY | {RunState.SUSPENDED}
_WORK = frozenset(OPEN_STATES) - {RunState.WAITING}
WAYS = {
    RunState.WAITING: _SUSPENDABLE | _WORK,
    RunState.DISCOVERING: _SUSPENDABLE | {RunState.RETRIEVING},
    RunState.RETRIEVING: _SUSPENDABLE | {RunState.SWEEPING},
    RunState.SWEEPING: _ANY | {RunState.HELD, RunState.PENDING, RunState.DELIVERING},
    RunState.HELD: _ANY | {RunState.WAITING},
    RunState.PENDING: _ANY | {RunState.WAITING},
    RunState.SUSPENDED: _ANY | {RunState.WAITING},
    RunState.DELIVERING: _ANY | {RunState.FINISHED},
}
"""To which states a run goes from which: the drawing of `cormorant.model.run`.

One that waits begins when it is its turn, or goes on in the state in which it was left.
"""
ENDED = frozenset((RunState.FINISHED, RunState.STOPPED, RunState.FAILED))
_WORKING = (RunState.DISCOVERING, RunState.RETRIEVING)
LEAVES_S = 25.0
"""How long after a run was suspended or has ended a visit that had begun may still ask for something: it waits for its
turn, and a process looks at its runs now and then."""
BEGINS_S = 12.0
"""How long after that a visit may begin: a process looks at its runs whenever it wakes, and may wake late."""
_HOPES_S = 11.0
"""How long the end of a run at least waits for a receiver that does not get on."""
_EXACT_S = 0.001
_SOON_S = 0.2
"""How long a process may take to learn from an answer, with others under way."""


class Site(NamedTuple):
    """A row of a site: who has it leased, in which epoch, until when; until when it rests, and why.

    `ends_at` is when the lease ends in seconds of the world, which nobody sets.
    """

    key: str
    owner: str | None
    epoch: int
    until: float
    rests_until: float
    trouble: int
    ends_at: float = 0.0


class Watch:
    """Looks at the store of a world, and at what sites are asked. `wrong` says what should not be."""

    def __init__(self, farm: Farm, database: Path, pace_s: float, most: int | None = None) -> None:
        self._most = most
        self._farm, self._world, self._pace_s = farm, farm.world, pace_s
        self._rows = sqlite.connect(str(database), isolation_level=None)
        self._version = -1
        self.wrong: list[str] = []
        self.sites: dict[int, Site] = {}
        self.runs: dict[int, RunState] = {}
        self._left: dict[int, RunState | None] = {}
        self.events: list[tuple[int, int, int]] = []
        self.commits = self.without_lease = self.too_soon = 0
        self.slots: list[tuple[float, str]] = []
        self._visits: dict[int, int] = {}
        self._hands: dict[tuple[str, str], tuple[Process, int]] = {}
        self._sources: dict[int, str] = {}
        self._left_at: dict[str, float] = {}
        self._changed_at = defaultdict[str, list[float]](list)
        self._resting: dict[int, tuple[float, float]] = {}
        self._delivering: dict[int, tuple[float, int]] = {}
        self._put_off: dict[tuple[str, Process, int], tuple[float, float]] = {}
        self._asked: dict[str, tuple[Asked, float]] = {}
        self._paced: set[str] = set()

    def ask(self, sql: str, *bound: object) -> list[Any]:
        """Look something up."""
        return list(self._rows.execute(sql, bound).fetchall())

    def close(self) -> None:
        self._rows.close()

    def note(self, sentence: str) -> None:
        """Something is wrong."""
        self.wrong.append(f"{self._world.now:.3f}: {sentence}")

    def stepped(self) -> None:
        """The clocks were set: until when sites rest by them is no moment that was meant any more."""
        self._resting = {number: (until, inf) for number, (until, _) in self._resting.items()}

    def look(self, by: str) -> None:
        """Check the differences after a transaction."""
        version = self.ask("PRAGMA data_version")[0][0]
        if version == self._version:
            return
        self._version, self.commits = version, self.commits + 1
        self._rows.execute("BEGIN")
        try:
            self._look_at_sites()
            self._look_at_visits(by)
            self._look_at_stream()
            self._look_at_runs()
        finally:
            self._rows.execute("ROLLBACK")

    def _look_at_sites(self) -> None:
        found = self.ask("SELECT id, key, owner, epoch, lease_until, not_before, trouble FROM site")
        for number, *rest in found:
            now = Site(*rest)
            before = self.sites.get(number, Site(now.key, None, 0, 0.0, 0.0, 0))
            is_new = (now.owner, now.epoch, now.until) != (before.owner, before.epoch, before.until)
            now = now._replace(ends_at=self._world.now + now.until - self._world.wall if is_new else before.ends_at)
            self._look_at_lease(before, now)
            if now.rests_until != self._resting.get(number, (0.0, 0.0))[0]:
                self._resting[number] = (now.rests_until, self._world.now)
            self.sites[number] = now

    def _look_at_lease(self, before: Site, now: Site) -> None:
        taken = now.owner is not None and (now.owner, now.epoch) != (before.owner, before.epoch)
        if now.epoch < before.epoch:
            self.note(f"the epoch of {now.key} went from {before.epoch} back to {now.epoch}")
        if taken and now.epoch <= before.epoch:
            self.note(f"{now.owner} has {now.key} in epoch {now.epoch}, which {before.owner} has had")
        if taken and before.owner not in (None, now.owner) and before.ends_at > self._world.now:
            self.note(f"{now.key} was leased to {now.owner} while {before.owner} had it")

    def _look_at_visits(self, by: str) -> None:
        there = set()
        self._sources = dict(self.ask("SELECT id, name FROM source"))
        for number, place, source, address, visits, outcome in self.ask(
            "SELECT id, site_id, source_id, address, visits, outcome FROM resource"
        ):
            there.add(number)
            if visits == self._visits.get(number, 0):
                continue
            self._visits[number] = visits
            self._hands.pop((address, self._sources.get(source, "")), None)
            site = self.sites[place]
            if address.endswith("/robots.txt") and outcome == OutcomeKind.OK:
                self._paced.add(site.key.rpartition("/")[2])
            if site.owner != by or site.ends_at <= self._world.now:
                self.note(f"{by} has written a visit of {address}, whose site {site.owner} has")
        for number in self._visits.keys() - there:
            del self._visits[number]
            if by.startswith("retriever"):
                self.note(f"{by} has lost row {number}")

    def _look_at_stream(self) -> None:
        head = self.ask("SELECT seq FROM stream_head")[0][0]
        last = self.events[-1][0] if self.events else 0
        for seq, event, number in self.ask(
            "SELECT seq, event, resource_id FROM stream WHERE seq > ? ORDER BY seq", last
        ):
            last += 1
            if seq != last:
                self.note(f"event {seq} follows {last - 1}")
                last = seq
            self.events.append((seq, event, number))
        if head != last:
            self.note(f"the newest event is {last}, and the stream is at {head}")

    def _look_at_runs(self) -> None:
        under_way, at_once = dict[int, int](), 0
        for number, source, said, complete, generation, goes_on, queued_at in self.ask(
            "SELECT id, source_id, state, complete, generation, goes_on, queued_at FROM run"
        ):
            at_once += RunState(said) in OPEN_STATES and (said != RunState.WAITING or queued_at is None)
            left, self._left[number] = self._left.get(number), RunState(goes_on) if goes_on else None
            state, before = RunState(said), self.runs.get(number, RunState.WAITING)
            if state not in ENDED and under_way.setdefault(source, number) != number:
                self.note(f"runs {under_way[source]} and {number} of one source are under way at once")
            if state is before and number in self.runs:
                continue
            if state is not before and state not in WAYS.get(before, ()):
                self.note(f"run {number} went from {before} to {state}")
            if before is RunState.WAITING and state in _WORK and state is not (left or RunState.DISCOVERING):
                self.note(f"run {number} goes on in {state}, and was left in {left}")
            self.runs[number] = state
            self._changed(number, source, state, (bool(complete), generation))
        if self._most is not None and at_once > self._most:
            self.note(f"{at_once} runs are under way at once, and {self._most} may be")

    def _changed(self, number: int, source: int, state: RunState, how: tuple[bool, int]) -> None:
        """A run has come to another state."""
        name = self._sources.get(source, "")
        self._hands = {key: hand for key, hand in self._hands.items() if key[1] != name}
        self._left_at.pop(name, None)
        self._changed_at[name].append(self._world.now)
        if state not in _WORKING:
            self._left_at[name] = self._world.now
        if state is RunState.SWEEPING and how[0]:
            self._see_nothing_left(number, source, how[1])
        if state is RunState.DELIVERING:
            self._delivering[number] = (self._world.now, self.events[-1][0] if self.events else 0)
        if state is RunState.FINISHED:
            since, last = self._delivering.get(number, (0.0, 0))
            (place,) = self.ask("SELECT min(place) FROM receiver")[0]
            if place < last and self._world.now - since < _HOPES_S:
                self.note(f"run {number} has finished, and event {last} was not delivered")

    def _see_nothing_left(self, run: int, source: int, generation: int) -> None:
        left = self.ask(
            "SELECT address FROM resource WHERE source_id = ? AND state = 0 AND due < ?",
            source, priority.limit(generation),
        )  # fmt: skip
        put_off = self.ask(
            "SELECT address FROM resource WHERE source_id = ? AND run = ? AND outcome = ? AND role = ?",
            source, run, int(OutcomeKind.DEFERRED), int(Role.DOCUMENT),
        )  # fmt: skip
        if left or put_off:
            self.note(f"run {run} says that it is complete, and has not visited {[*left, *put_off][0][0]}")

    def begun(self, process: Process, host: str, path: str, source: str) -> int:
        """A visit begins, whose request goes out soon; returns the epoch of its lease."""
        left_at, (_, site) = self._left_at.get(source), self._site(host)
        if left_at is not None and self._world.now - max(left_at, process.rested_at) > BEGINS_S:
            self.note(f"a visit of {path} at {host} begins, and no run of {source} is under way")
        if site is not None and site.owner == process.name and site.ends_at > self._world.now:
            return site.epoch
        self.note(f"{process.name} begins a visit of {path} at {host}, and has no lease")
        return 0

    def _site(self, host: str) -> tuple[int, Site | None]:
        return next(((n, site) for n, site in self.sites.items() if site.key.rpartition("/")[2] == host), (0, None))

    def asked(self, line: Asked) -> None:
        """Check a request to a site.

        A process that was suspended after the beginning of a visit sends its request as soon as it goes on.
        """
        number, site = self._site(line.host)
        process = line.process
        if site is None or site.owner != process.name or site.ends_at <= self._world.now or site.epoch != line.epoch:
            self.without_lease += 1
            if self._world.now - process.rested_at > LEAVES_S:
                self.note(f"{process.name} asks {line.host} for {line.path} and has no lease")
            return
        self._see_pace(line)
        until, since = self._resting.get(number, (0.0, 0.0))
        if until > self._world.wall and site.trouble in (429, 503) and self._world.now - since > 1.0:
            self.note(f"{line.host} is asked for {line.path} {until - self._world.wall:.1f} s before it wants to be")
        self._see_rest(line)
        self._see_hands(line, site)
        left_at = self._left_at.get(line.source)
        if left_at is not None and self._world.now - max(left_at, process.rested_at) > LEAVES_S:
            self.note(f"{line.path} at {line.host} is asked for, and no run of {line.source} is under way")

    def put_off(self, line: Asked, seconds: float) -> None:
        """A site asks a process for a pause of so many seconds."""
        key, at = (line.host, line.process, line.epoch), self._world.now
        asked_at, until = self._put_off.get(key, (at, 0.0))
        self._put_off[key] = (at if until <= at else asked_at, max(at + seconds, until))

    def _see_rest(self, line: Asked) -> None:
        """Check that a process that was asked to wait begins no visit from a moment later on."""
        asked_at, until = self._put_off.get((line.host, line.process, line.epoch), (0.0, 0.0))
        left = until - line.at
        if left > _EXACT_S and line.begun - max(asked_at, line.process.rested_at) > _SOON_S:
            self.note(f"{line.process.name} asks {line.host} for {line.path}, and was asked to wait {left:.1f} s more")

    def _see_hands(self, line: Asked, site: Site) -> None:
        """Has it been handed out before in this epoch, and not been settled since?

        A process that was stopped while a run ended has yet to see that: its successor visits again.
        """
        process = line.process
        missed = any(process.rested_from <= at <= process.rested_at for at in self._changed_at[line.source])
        if missed and process.rested_at > self._world.now - LEAVES_S:
            return
        key = (f"http://{line.host}{line.path}", line.source)
        holder, epoch = self._hands.get(key, (None, 0))
        if holder is line.process and epoch == site.epoch:
            self.note(f"{line.path} at {line.host} was handed out twice in epoch {epoch}")
        self._hands[key] = (line.process, site.epoch)

    def _see_pace(self, line: Asked) -> None:
        host = self._farm.hosts[line.host]
        robots = line.path == "/robots.txt"
        wanted = max(self._pace_s, host.crawl_delay if line.host in self._paced and not robots else 0.0)
        for name, least in ((line.host, wanted), (host.address, self._pace_s)):
            last, shift = self._asked.get(name, (None, 0.0))
            self._asked[name] = (line, self._world.shift)
            if last is None or line.at - last.at >= least - _EXACT_S:
                continue
            if last.process is not line.process and line.process.shift_at_first() > shift + STEP_S:
                self.too_soon += 1  # the clock was set forward before this process looked at it first (ADR 0063)
            else:
                gap = line.at - last.at
                self.note(f"{name} is asked for {line.path} after {gap:.3f} s, and wants {least:g} s between")
