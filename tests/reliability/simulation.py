"""One history of an installation, drawn from a seed: its processes under faults, then without.

The processes are the product's own (`cormorant.app.processes.entrypoints`), on a SQLite store. Only their clocks, their
network and their event loops are simulated, so that they take turns. Invariants are checked after each transaction
(`watch`), and at the end: every run and launch has ended, documents are equal to those of the sites, and receivers have
got every event once.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from math import inf
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest import mock

from cormorant.app.build import BuildPlan
from cormorant.app.processes import entrypoints
from cormorant.base.errors import CormorantError
from cormorant.frontier.queue import host_leases, refill
from cormorant.model.run import Refresh
from cormorant.model.schedule.schedule import OPEN_LAUNCHES, MissedPolicy, Overrun
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.runs import control, schedules, start as run_start
from cormorant.operate.runs.schedules import ScheduleChange
from cormorant.operate.sources import sources
from cormorant.plugins import SOURCES
from cormorant.receivers.stream import Event
from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.pack_folder import PackFolder
from cormorant.store.catalog import schedules as planned, sources as catalog
from cormorant.store.db import drivers
from cormorant.store.db.clock_steps import STEP_S
from cormorant.store.db.database import Store
from cormorant.store.journal import schedule_firings
from tests.reliability.farm import Farm, Fetching
from tests.reliability.ground import INSTALLATION, History, fast, faults, let_go, template
from tests.reliability.watch import ENDED, Watch
from tests.reliability.world import BEGAN, LATE_S, Clock, Edges, Process, World

DAY_S = 86_400.0
PEACE_S = 2_500.0
"""How long all that is under way may take to end in peace."""
SETTLED_S = 300.0
"""How long it may take at most until no site is leased, when nothing is under way."""
KILLED, STOPPED = 0.003, 0.003
"""How likely a process is killed, or stopped for a while, at an edge; a retriever is stopped oftener: it has leases."""
MOST_REST_S = 2 * DAY_S
"""For how long a site or a page may be left alone at most, by whatever the clocks have shown."""
READ_AHEAD = 4
"""Rows that are read at once: sites have so few pages that all of them would be."""
EVERY_MINUTES = ("* * * * *", "*/2 * * * *", "*/5 * * * *")
EVERY_HOUR = ("0 * * * *", "*/30 * * * *", "7 */2 * * *")
STEPPED = 0.4
"""In how many seeds the clocks are set while everything goes wrong, by one of STEPS_S, and put right a while later."""
STEPS_S = (-3.0, 3.0, -60.0, 60.0, -3_600.0, 3_600.0, -DAY_S, DAY_S, -30 * DAY_S, 400 * DAY_S, 400 * DAY_S)
LONG = 0.04
"""How many seeds live for hours, in which little happens, instead of minutes."""
_INDEX_ONLY = (Event.LINKS,)


class Simulation:
    """One seed."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.history = History(seed)
        self.chance = Random(seed * 7919 + 1)
        self.world = world = World(seed)
        self.folder = Path(shutil.copytree(template(), folder / "data"))
        self.plan = BuildPlan(self.folder, INSTALLATION)
        self.farm = Farm(world, Random(seed * 104_729 + 2), Random(seed * 49_979_687 + 5))
        self.clock = Clock(world)
        self.most = Random(seed * 15_485_863 + 3).choice((None, None, 1))
        self.hands = Random(seed * 32_452_843 + 4)
        self.sets_clocks = self.hands.random() < STEPPED
        self.mine = self._house(Store.open(self.plan.store_url, self.clock))
        self.long = self.chance.random() < LONG
        self.pace_s = self.chance.choice((0.5, 1.0, 4.0))
        self.lines = folder / "events.jsonl"
        self.watch = Watch(self.farm, self.folder / "cormorant.db", self.pace_s, self.most)
        self.calm = False
        self.names: list[str] = []
        self.now: Process | None = None
        self._away = False
        self.kills = self.hands.choice((0.15, 1.0))
        self._stepped_at = 0.0
        self._looked_at = 0.0
        world.strike, world.committed = self._strike, lambda process: self.watch.look(process.name)
        world.idle_until = self._idle_until
        self.farm.asked, self.farm.begun, self.farm.put_off = self.watch.asked, self.watch.begun, self.watch.put_off

    def _house(self, store: Store, process: Process | None = None) -> Installation:
        def copies() -> LocalCache:
            made = LocalCache(self.plan.cache, self.clock)
            if process is not None:
                process.closing.append(made.close)
            return made

        def none(*_: object) -> Any:
            raise LookupError("there is no index")

        packs = PackFolder(self.plan.cache)
        return Installation(
            self.folder, store, store.clock, SOURCES, copies, none, none, none, none, packs, searchable=False,
            runs_at_once=self.most,
        )  # fmt: skip

    def install(self) -> None:
        """Add sources, a receiver, and perhaps a schedule."""
        hosts = sorted(self.farm.hosts)
        several = self.chance.random() < 0.3 and len(hosts) > 2
        shares = [hosts[:2], hosts[1:]] if several else [hosts]
        for number, names in enumerate(shares):
            name = f"source{number}"
            self.names.append(name)
            settings = {
                "start": [f"http://{each}/" for each in names], "user_agent": name, "delay_s": self.pace_s,
                "patience_s": self.chance.choice((30, 300)), "missing_pages": "believe",
            }  # fmt: skip
            sources.add(self.mine, "web", name, settings)
        receivers.add(self.mine, "jsonlines", "lines", None, {"path": str(self.lines), "runs": True})
        if self.chance.random() < 0.5:
            plan = ScheduleChange(
                sources=self.names, when=self.chance.choice(EVERY_HOUR if self.long else EVERY_MINUTES),
                overrun=self.chance.choice(tuple(Overrun)), missed=self.chance.choice(tuple(MissedPolicy)),
            )  # fmt: skip
            schedules.add(self.mine, "often", plan)

    def start(self) -> None:
        """Start every process."""
        for number in range(1, 1 + INSTALLATION.retriever_count):
            self._retriever(f"retriever-{number}")
        self.world.start("conductor", self._as(lambda stop: entrypoints._conduct(self.plan, stop, schedules=True)))
        self.world.start("provider", self._as(lambda stop: entrypoints._provide(self.plan, stop)))

    def _retriever(self, name: str) -> None:
        self.world.start(name, self._as(lambda stop: entrypoints._retrieve(self.plan, name, {}, stop)))

    def _as(self, role: Any) -> Any:
        """A role of the product, as a process of this world: what it opens is its own."""

        async def work(process: Process, stop: asyncio.Event) -> None:
            self.now = process
            await role(stop)

        return work

    def _opened(self, plan: BuildPlan) -> Installation:
        """The objects that a process opens as it starts."""
        process = self.now
        assert process is not None
        store = Edges(drivers.engine(plan.store_url), self.clock, plan.store_url)
        store.process = process
        process.steady = store.steady
        process.closing.append(store.close)
        return self._house(store, process)

    @contextmanager
    def wired(self) -> Iterator[None]:
        """Have the roles of the product open this installation, and fetch from this farm."""

        def fetcher(*_: object, **__: object) -> Fetching:
            assert self.now is not None
            return Fetching(self.farm, self.now)

        async def closed() -> None:
            """Nothing was open."""

        with ExitStack() as stack:
            way = SimpleNamespace(close=closed)
            memory = SimpleNamespace(trimmer=lambda _: lambda: None, kept_small=lambda _: nullcontext())
            parts = {
                "open_house": self._opened, "Fetcher": fetcher, "way_out": lambda *_: way, "memory": memory,
                "heartbeat": lambda *_: nullcontext(),  # it is a thread, whose turns nobody draws
            }  # fmt: skip
            for name, part in parts.items():
                stack.enter_context(mock.patch.object(entrypoints, name, part))
            stack.enter_context(mock.patch.object(host_leases, "READ_AHEAD", READ_AHEAD))
            stack.enter_context(mock.patch.object(refill, "LOW", READ_AHEAD // 2))
            stack.enter_context(faults(self.watch.note))
            yield

    def _strike(self, process: Process) -> float:
        """For how long a process at an edge is stopped; for ever: it is killed."""
        if process.name == "conductor" and self.world.now - process.rested_at > LATE_S:  # it has had its time to look
            self._looked_at = self.world.now
        if self.calm:
            return 0.0
        luck = self.chance.random()
        if luck < KILLED * self.kills:
            self._kill(process)
            return inf
        if luck < KILLED + STOPPED * (4 if process.name.startswith("retriever") else 1):
            self.history.stops += 1
            return self.chance.choice((2.0, 20.0, 65.0, 90.0))
        return 0.0

    def _kill(self, process: Process) -> None:
        """Kill it. The supervisor starts another soon; one retriever may be gone for long, as its machine is."""
        if not process.alive:
            return
        process.kill()
        if process.name == "provider":
            let_go(self.lines)
        self.history.kills += 1
        if process.name == "retriever-2" and self.chance.random() < 0.3:
            self._away = True  # what it had leased is for the other to take up
        if not (self._away and process.name == "retriever-2"):
            self.world.call_at(self.world.now + self.chance.uniform(0.2, 6.0), lambda: self._again(process))

    def _again(self, process: Process) -> None:
        """Start a process again that was killed, unless another one of its name is there."""
        if not any(each.alive for each in self.world.processes if each.name == process.name):
            self.world.start(process.name, process.work)

    def _trouble(self) -> None:
        """One thing happens that people or sites do, and another one is to come."""
        if self.calm:
            return
        luck = self.chance.random()
        if luck < 0.35:
            self.history.edits += 1
            self.farm.edit()
        elif luck < 0.55:
            self.farm.sulk()
        elif luck < 0.62:
            for each in [each for each in self.world.processes if each.alive]:
                self._kill(each)
        else:
            with suppress(CormorantError):
                self._steer(luck)
            self.watch.look("person")
        self.world.stir()
        self.world.call_at(self.world.now + self.chance.expovariate(1 / (1_500.0 if self.long else 8.0)), self._trouble)

    def _set_clocks(self) -> None:
        """Set the clocks, and correct them again later, or not before the faults end."""
        if self.calm:
            return
        if not self._is_seen():
            self.world.call_at(self.world.now + 1.0, self._set_clocks)
        elif self.world.shift:
            self._put_right()
            self.world.call_at(self.world.now + self.hands.expovariate(1 / 30.0), self._set_clocks)
        else:
            self._step(self.hands.choice(STEPS_S))
            self.world.call_at(self.world.now + self.hands.choice((0.2, 4.0, 30.0, 100.0)), self._set_clocks)

    def _is_seen(self) -> bool:
        """Has every retriever looked at the clock since it was set? Set and set right in between, nobody sees it."""
        there = [each for each in self.world.processes if each.alive and each.name.startswith("retriever")]
        return all(each.edge_at > self._stepped_at + 1.0 and self._knows(each) for each in there)

    def _knows(self, process: Process) -> bool:
        """Has a process looked at the clock since it was set? It may stand before its look, or have just begun."""
        return process.steady is not None and abs(process.steady.now() - self.clock.now()) < STEP_S

    def _step(self, by: float) -> None:
        self.world.shift += by
        self._stepped_at = self.world.now
        self.watch.stepped()
        self.world.stir()

    def _steer(self, luck: float) -> None:
        """A person asks for something, which may be refused."""
        under_way = [number for number, state in self.watch.runs.items() if state not in ENDED]
        number = self.chance.choice(under_way) if under_way else None
        if luck < 0.65:
            values = {"delay_s": self.pace_s * self.chance.choice((1, 3)), "patience_s": self.chance.choice((30, 300))}
            sources.edit(self.mine, self.chance.choice(self.names), values)
        elif luck < 0.78 or number is None:
            wish = run_start.RunOrder(
                refresh=self.chance.choice((Refresh.ALL, Refresh.ALL, Refresh.DUE)), force=luck > 0.76
            )
            run_start.order(self.mine, [self.chance.choice(self.names)], wish)
        elif luck < 0.84:
            control.suspend(self.mine, number)
        elif luck < 0.93:
            control.resume(self.mine, number)
        elif luck < 0.96:
            control.stop(self.mine, number)
        else:
            run_start.answer(self.mine, number, accept=self.chance.random() < 0.5)

    def _launches(self) -> int:
        """How many launches of a schedule have not come to an end; one that has just begun has no run yet."""
        states = ", ".join("?" * len(OPEN_LAUNCHES))
        (found,) = self.watch.ask(f"SELECT count(*) FROM launch WHERE state IN ({states})", *OPEN_LAUNCHES)[0]
        return int(found)

    def _idle_until(self) -> float:
        """The time until which no event happens that a late process would miss."""
        if any(state not in ENDED for state in self.watch.runs.values()) or self._launches():
            return self.world.now + LATE_S
        (next_at,) = self.watch.ask("SELECT min(next_at) FROM schedule WHERE enabled")[0]
        return self.world.now + (600.0 if next_at is None else max(next_at - self.world.wall, LATE_S))

    def live(self) -> History:
        """Have everything go wrong for a while, then nothing, and see what is there in the end."""
        try:
            with self.wired():
                self._live()
        finally:
            self._note()
            self.world.close()
            self.watch.close()
            self.mine.store.close()
        return self.history

    def _live(self) -> None:
        self.install()
        self.start()
        run_start.order(self.mine, self.names)
        self.watch.look("person")
        self.world.call_at(self.world.now + 1.0, self._trouble)
        if self.sets_clocks:
            self.world.call_at(self.world.now + self.hands.expovariate(1 / 20.0), self._set_clocks)
        self.world.run(self._is_wrong, 21_600.0 if self.long else self.chance.choice((40.0, 80.0, 160.0)))
        self.world.run(lambda: self._is_wrong() or self._is_seen(), LATE_S)
        self._make_peace()
        if self._ends("what was under way"):
            self._crawl_whole()
        if self._ends("the last run") and self._answer_all() and self._ends("the last run"):
            self._compare()

    def _is_wrong(self) -> bool:
        """Is anything? A process ends by itself for a fault alone."""
        for each in self.world.processes:
            if each.error is not None:
                self.watch.note(f"{each.name} ended: {each.error!r}")
                each.error = None
        return bool(self.watch.wrong)

    def _make_peace(self) -> None:
        self.calm = True
        self.farm.heal()
        if self.sets_clocks and self.hands.random() < 0.7:
            self._put_right()
        with suppress(CormorantError):
            if not self.sets_clocks:
                self._see_slots()
            schedules.set_enabled(self.mine, "often", enabled=False)
        back = not self._away or self.chance.random() < 0.5
        for name in dict.fromkeys(each.name for each in self.world.processes if back or each.name != "retriever-2"):
            self._again(next(each for each in self.world.processes if each.name == name))
        for number in [number for number, state in self.watch.runs.items() if state not in ENDED]:
            with suppress(CormorantError):
                control.resume(self.mine, number)
        self.watch.look("person")
        self.world.stir()

    def _put_right(self) -> None:
        """Correct the clocks, perhaps together with a restart of the machine, perhaps with one retriever fewer."""
        if self.hands.random() < 0.3:
            self._away = self._away or self.hands.random() < 0.7
            for each in [each for each in self.world.processes if each.alive]:
                self._kill(each)
        self._step(-self.world.shift)

    def _answer_all(self) -> bool:
        """Let go of what a run holds."""
        for number in [number for number, state in self.watch.runs.items() if state not in ENDED]:
            run_start.answer(self.mine, number, accept=True)
        self.watch.look("person")
        return not self.watch.wrong

    def _ends(self, what: str) -> bool:
        """See that everything ends that is under way, but for what waits for an answer."""

        def ended() -> bool:
            going = [state for state in self.watch.runs.values() if state not in (*ENDED, "held")]
            return self._is_wrong() or not (going or self._launches())

        if not self.world.run(ended, PEACE_S):
            self.watch.note(f"{what} does not end: runs {self.watch.runs}")
        return not self.watch.wrong

    def _crawl_whole(self) -> None:
        """One more run of every source, which sees how sites are now."""
        self._answer_all()
        if self._ends("what was held"):
            self.world.run(self._is_still, SETTLED_S)
            rests = "SELECT max(not_before) FROM (SELECT not_before FROM site UNION SELECT not_before FROM resource)"
            until = self.world.now + min((self.watch.ask(rests)[0][0] or 0.0) - self.world.wall, MOST_REST_S)
            self.world.run(
                lambda: self._is_wrong() or self.world.now > until, max(until - self.world.now, 0.0) + LATE_S
            )
            run_start.order(self.mine, self.names)
            self.watch.look("person")
            self.world.stir()

    def _is_still(self) -> bool:
        """Has everybody given back what was leased, so that no visit of a run that was stopped is written any more?"""
        leased = "SELECT count(*) FROM site WHERE owner IS NOT NULL AND lease_until > ?"
        return self._is_wrong() or not self.watch.ask(leased, self.clock.now())[0][0]

    def _compare(self) -> None:
        """Check that documents are equal to those of the sites, and that the receiver got every event once."""
        self._compare_documents()
        self.world.run(self._is_delivered, PEACE_S)
        got = [json.loads(line)["seq"] for line in self.lines.read_text().splitlines()] if self.lines.exists() else []
        wanted = [seq for seq, event, _ in self.watch.events if event not in _INDEX_ONLY]
        if got != wanted:
            odd = sorted(set(wanted) ^ set(got)) or [a for a, b in zip(got, wanted, strict=False) if a != b]
            self.watch.note(f"the receiver got {len(got)} of {len(wanted)} events; look at {odd[:5]}")

    def _is_delivered(self) -> bool:
        """Has the receiver come to the end of the stream? After a failure it rests for up to five minutes."""
        return bool(self.watch.ask("SELECT min(place) >= (SELECT seq FROM stream_head) FROM receiver")[0][0])

    def _compare_documents(self) -> None:
        found = self.watch.ask(
            "SELECT source.name, content.url, content.content_hash FROM content JOIN source ON "
            "source.id = content.source_id WHERE content.indexed AND content.id NOT IN "
            "(SELECT id FROM hidden WHERE rights_seq IS NULL)"
        )
        documents = {(name, url): said for name, url, said in found}
        events = {(seq, number) for seq, _, number in self.watch.events}
        for number, url, seq in self.watch.ask("SELECT id, url, seq FROM content WHERE indexed"):
            if (seq, number) not in events:
                self.watch.note(f"{url} has the event {seq}, which does not exist")
        with self.mine.store.read() as tx:
            settings = {row.name: row.settings for row in catalog.every(tx)}
        for name in self.names:
            starts = list(settings[name]["start"])
            for address, body in self.farm.reachable(starts, tuple(starts)).items():
                said = documents.get((name, address))
                if said is None:
                    self.watch.note(f"{address} is no document of {name}")
                elif said != hashlib.sha256(body).digest():
                    self.watch.note(f"{address} is not what it was when {name} was crawled")
        for name, address in documents:
            if not self.farm.is_there(address):
                self.watch.note(f"{address} is a document of {name}, and there is no such page")

    def _see_slots(self) -> None:
        """Of every time of a schedule it is known what became of it: its own launch, or one that was late."""
        with self.mine.store.read() as tx:
            row = planned.named(tx, "often")
            known = [(each.slot, each.at) for each in schedule_firings.of_schedule(tx, row.id)]
        at, until = row.rhythm().after(row.since), BEGAN + self._looked_at - LATE_S
        while at is not None and at < until:
            if not any(slot <= at <= decided for slot, decided in known):
                self.watch.note(f"nobody knows what became of the launch at {at - BEGAN:.0f}")
            at = row.rhythm().after(at)

    def _note(self) -> None:
        history, watch, history.wrong = self.history, self.watch, self.watch.wrong
        history.world_s, history.turns, history.commits = self.world.now - 1_000.0, self.world.turns, watch.commits
        history.requests, history.without_lease = len(self.farm.witness), watch.without_lease
        history.too_soon = watch.too_soon
        history.runs, history.events = len(watch.runs), len(watch.events)
        history.launches = watch.ask("SELECT count(*) FROM launch")[0][0]
        lines = "".join(f"{a.at:.6f} {a.process.name} {a.host}{a.path}\n" for a in self.farm.witness)
        history.digest = hashlib.sha256(lines.encode()).hexdigest()[:16]


def simulate(seed: int) -> History:
    """Live through one seed."""
    random.seed(seed)
    with tempfile.TemporaryDirectory(prefix="world-", dir=fast()) as folder:
        return Simulation(seed, Path(folder)).live()
