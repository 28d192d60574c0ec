"""Entry points of the child processes, from the fork to the end of each."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import uvloop

from cormorant.app import build, data_dir, egress_guard
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.logs import process_log
from cormorant.app.processes import memory, run_loop
from cormorant.app.processes.heartbeat import heartbeat
from cormorant.app.processes.reconversion import rereading
from cormorant.app.processes.restarts import Birth
from cormorant.app.processes.signals import ended_at_once
from cormorant.app.processes.supervisor import end_in_time
from cormorant.base.clock import Clock, cpu_ns
from cormorant.base.errors import CormorantError, IndexDamaged
from cormorant.base.log import logger
from cormorant.base.profiling import Steps, StepTable, unmeasured
from cormorant.crawl.commit.committer import BatchCommitter
from cormorant.crawl.context import WorkerContext
from cormorant.crawl.deliver.loop import Provider
from cormorant.crawl.deliver.payload import PayloadLoader, Sink
from cormorant.crawl.deliver.sinks import IndexSink, ReceiverSink
from cormorant.crawl.link_filter import SiteKeys
from cormorant.crawl.resource_guard import DiskGuard
from cormorant.crawl.run.clock_repair import Setbacks
from cormorant.crawl.visit.containers import Containers
from cormorant.crawl.visit.convert import Converter
from cormorant.crawl.visit.search_attributes import catalog_types
from cormorant.crawl.visit.soft_errors import Doubts, copies
from cormorant.crawl.visit.tika_client import TikaClient
from cormorant.crawl.worker.housekeeping import WorkerConfig
from cormorant.crawl.worker.loop import Worker
from cormorant.extract.detect.tika_types import TikaTypes
from cormorant.frontier.queue import host_leases
from cormorant.frontier.queue.seen_lookup import Lookup
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.frontier.state.canonical_target import stands
from cormorant.frontier.state.enqueue import Admission, SiteNumbers
from cormorant.model.run import RunState
from cormorant.net.egress.guard import Egress
from cormorant.net.http.client import Fetcher
from cormorant.operate.delivery import receivers as of_receivers
from cormorant.operate.installation import Installation
from cormorant.operate.search import index_consistency, reindex
from cormorant.operate.system.disks import places
from cormorant.plugins import receiver_kind, receiver_settings
from cormorant.receivers import stream
from cormorant.sandbox.client import ChildPool
from cormorant.store.catalog import receivers, sources
from cormorant.store.catalog.acls import AclLookup, ACLNumbers
from cormorant.store.db import heartbeats
from cormorant.store.journal import quota_claims, runs

if TYPE_CHECKING:
    from cormorant.search.index.protocol import IndexWriter
    from cormorant.sources.protocol import Source
    from cormorant.store.catalog.receivers import ReceiverRow
    from cormorant.store.db.database import Tx
    from cormorant.store.journal.runs import RunRow

_log = logger(__name__)
POLL_S = 0.2
SAY_S = 5.0


def retriever(plan: BuildPlan, number: int, converters: Mapping[str, str], birth: Birth) -> None:
    """A retriever process: visits until it is stopped, after the conductor has ended the runs that do not go on."""

    async def work(stop: asyncio.Event) -> None:
        await birth.attended(stop)
        await _retrieve(plan, f"retriever-{number}@{data_dir.node(plan.folder)}", converters, stop)

    _run(work)


def provider(plan: BuildPlan) -> None:
    """The provider process: delivers until it is stopped."""
    _run(lambda stop: _provide(plan, stop))


def conductor(plan: BuildPlan, *, schedules: bool = False, birth: Birth | None = None) -> None:
    """The conductor process: carries out all runs until it is stopped; with `schedules`, schedules order runs too.

    `birth` distinguishes a start of the program from a restart of this process.
    """
    _run(lambda stop: _conduct(plan, stop, schedules=schedules, birth=birth))


def _run(work: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Run on uvloop until SIGTERM, and not for long after it; Ctrl-C is left to the parent process."""
    memory.collect_late()

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()

        def asked() -> None:
            stop.set()
            end_in_time()

        loop.add_signal_handler(signal.SIGTERM, asked)
        loop.add_signal_handler(signal.SIGINT, lambda: None)
        await work(stop)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())


async def _retrieve(plan: BuildPlan, name: str, converters: Mapping[str, str], stop: asyncio.Event) -> None:
    house = open_house(plan)
    house.store.steady.doubt()
    steps: Steps = StepTable() if plan.installation.steps else unmeasured
    egress = way_out(plan, house)
    width, most = plan.installation.width, plan.installation.most_visits
    fetcher = Fetcher(egress, width=width, most=most, steps=steps)
    seen = SeenUrls(Lookup(house.store))
    means = WorkerContext(name, house.store, house.cache(), seen, SiteNumbers(), ACLNumbers(), SiteKeys(), steps)
    with house.store.begin() as tx:
        host_leases.disown(tx, name)
    room = _room(house)
    assignments = RetrieverAssignments(house, fetcher, means, plan.installation.retriever_count, room)
    assignments.egress = partial(way_out, plan, house)
    doubts = Doubts(copies(house.store, means.cache))
    rights = AclLookup(house.store)
    reader = Converter(
        ChildPool(converters, parallel=plan.installation.conversions),
        steps,
        partial(stands, house.store),
        doubts,
        rights,
        Containers(house.store, means.cache, rights),
    )
    reader.attribute_types = catalog_types(house.store, house.clock)
    reader.tika = tika = tika_of(plan, egress, house.clock)
    crew = WorkerConfig(means, reader, house.clock, assignments, width, most, memory.trimmer(house.clock), room)
    began = cpu_ns()
    async with rereading(house, means, reader, room, stop):
        await Worker(crew).work(stop)
    with house.store.begin() as tx:
        heartbeats.leave(tx, name)
    if tika is not None:
        await tika.close()
    await egress.close()
    means.cache.close()
    if isinstance(steps, StepTable):
        _write_steps(plan, steps.with_rest("loop", began))
    house.store.close()


def _room(house: Installation) -> DiskGuard:
    """Checks the disks that a crawl writes to."""
    return DiskGuard([folder for _, folder in places(house)], house.clock.monotonic)


def _write_steps(plan: BuildPlan, rows: Mapping[str, list[int]]) -> None:
    (plan.folder / "logs" / f"steps-{os.getpid()}.json").write_bytes(msgspec.json.encode(rows))


def way_out(plan: BuildPlan, house: Installation) -> Egress:
    """The network access of one process, closed to this installation's own ports and its database."""
    return egress_guard.way_out(plan.folder, plan.installation.port, plan.store_url, house.store, house.clock)


def tika_of(plan: BuildPlan, egress: Egress, clock: Clock) -> TikaClient | None:
    """The client of one process for the Tika server of the installation, None if it has none."""
    settings = plan.installation
    if not settings.tika:
        return None
    return TikaClient(settings.tika, TikaTypes(settings.tika_types), egress, clock, parallel=settings.conversions)


class RetrieverAssignments:
    """The runs a retriever works on: polled now and then, each with its source and committer.

    `peers` is the number of retrievers that share the work: the planned number until all had time to report, then
    those that still do. The leases of a hanging retriever pass to the others. `egress` is for sources that open
    connections themselves; it is set after construction.
    """

    def __init__(
        self, house: Installation, fetcher: Fetcher, means: WorkerContext, planned: int, room: DiskGuard
    ) -> None:
        self.peers = planned
        self._house, self._fetcher, self._means, self._room = house, fetcher, means, room
        self.egress: Callable[[], Egress] | None = None
        self._lack = ""
        self._looked_at = self._said_at = -SAY_S
        self._started_at, self._began = house.clock.now(), house.clock.monotonic()
        self._runs: dict[int, tuple[RunRow, BatchCommitter]] = {}
        self._without_source: set[int] = set()
        self._leaving: list[tuple[BatchCommitter, Source]] = []
        self._closing: set[asyncio.Task[None]] = set()
        self._setbacks = Setbacks(house.store, house.clock, for_all=False)

    def __call__(self, current: Mapping[int, BatchCommitter]) -> dict[int, BatchCommitter]:
        """The runs under way, source -> committer."""
        now = self._house.clock.monotonic()
        if now - self._looked_at < POLL_S:
            return dict(current)
        self._looked_at = now
        lack = self._room.shortage() or ""
        if now - self._said_at >= SAY_S or lack != self._lack:
            self._said_at, self._lack = now, lack
            with suppress(CormorantError):  # several processes may do it at once; the next check repeats it
                self._setbacks.look()
            with self._house.store.begin() as tx:
                if not heartbeats.is_alive(tx, self._means.owner):
                    self._lapse()
                heartbeats.say(tx, self._means.owner, "retriever", self._started_at, self._house.node, lack)
                living = sum(self._shares_with(each.node) for each in heartbeats.alive(tx, "retriever"))
            grown = now - self._began > heartbeats.ALIVE_S
            self.peers = living if grown else max(living, self.peers)
        with self._house.store.read() as tx:
            open_ = [row for row in runs.open_runs(tx) if row.is_for(self._house.node)]
            rows = [row for row in open_ if row.state in (RunState.DISCOVERING, RunState.RETRIEVING)]
            known = {row.id: (row, dispatch) for row, dispatch in self._runs.values()}
            self._runs = {}
            for row in rows:
                followed, dispatch = known.get(row.id) or (row, self._take_up(tx, row))
                if dispatch is not None:
                    self._runs[row.source_id] = (self._go_on(tx, row, followed, dispatch), dispatch)
            alive = {row.id for row in rows}
            gone = {number: each for number, (_, each) in known.items() if number not in alive}
            self._leaving += [(each, each.source) for each in gone.values()]
            for number in gone:
                process_log.leave(number)
            self._let_go()
        for row, dispatch in self._runs.values():
            self._claim(row, dispatch, now)
        return {source: dispatch for source, (_, dispatch) in self._runs.items()}

    def _shares_with(self, node: str) -> bool:
        """Return whether a node works on any of these runs as well; without runs, whether it would work on any."""
        return not self._runs or any(row.is_for(node) for row, _ in self._runs.values())

    def _lapse(self) -> None:
        """Reduce the claims of all runs, since others counted this process as dead and may use its share."""
        for _, dispatch in self._runs.values():
            dispatch.allowance.reckon(dispatch.counters, dispatch.batch, dispatch.under_way)
            dispatch.allowance.lapse()

    def _claim(self, row: RunRow, dispatch: BatchCommitter, now: float) -> None:
        """Claim more of the limits of a run if it is time, or give back what this process does not use."""
        settings, allowance = dispatch.source.settings, dispatch.allowance
        allowance.reckon(dispatch.counters, dispatch.batch, dispatch.under_way)
        allowance.until = self._said_at + heartbeats.ALIVE_S
        allowance.documents.set(settings.max_documents)
        allowance.received.set(settings.max_bytes)
        low, idle = allowance.is_low(), allowance.take_idleness(now)
        if not (low or idle or allowance.is_news):
            return
        owner = self._means.owner
        with self._house.store.begin() as tx:
            living = {each.name for each in heartbeats.alive(tx, "retriever") if row.is_for(each.node)}
            allowance.share(quota_claims.of_others(tx, row.id, owner, living), self.peers, more=low)
            if allowance.is_news:
                quota_claims.claim(tx, row.id, owner, allowance.claimed)
        allowance.published = allowance.claimed

    def _go_on(self, tx: Tx, row: RunRow, before: RunRow, dispatch: BatchCommitter) -> RunRow:
        """Continue a run, and rebuild its source if its settings changed; returns the row to follow from now on."""
        if row.settings == before.settings:
            return row
        source = self._source(tx, row)
        if source is None:
            return before  # and tried again at the next check
        self._leaving.append((dispatch, dispatch.source))
        dispatch.source = source
        return row

    def _source(self, tx: Tx, row: RunRow) -> Source | None:
        """The source with the settings of a run; None while they are unusable, or if the source was deleted."""
        found = sources.numbered(tx, row.source_id)
        if found is None:
            return None
        try:
            source = build.source_of(row, found.kind, self._fetcher, self._house, self.egress)
        except CormorantError as error:  # a file of start addresses is missing: perhaps for a moment
            if row.id not in self._without_source:
                self._without_source.add(row.id)
                _log.warning("no source", extra={"run": row.id, "reason": error.sentence})
            return None
        self._without_source.discard(row.id)
        wish = source.settings.log(found.name)
        if wish is not None:
            process_log.follow(row.id, wish)
        else:
            process_log.leave(row.id)
        return source

    def _let_go(self) -> None:
        """Close sources that are no longer used, as soon as no visit of their run is under way."""
        for pair in [each for each in self._leaving if not each[0].under_way]:
            self._leaving.remove(pair)
            closing = asyncio.get_running_loop().create_task(pair[1].close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def _take_up(self, tx: Tx, row: RunRow) -> BatchCommitter | None:
        """Begin to work on a run."""
        source = self._source(tx, row)
        if source is None:
            return None
        order = Admission(row.source_id, row.generation, row.id, row.force, row.anew, row.new_of, row.mode)
        return BatchCommitter(source, order, self._means, runs.counted_by(tx, row.id, self._means.owner))


async def _provide(plan: BuildPlan, stop: asyncio.Event) -> None:
    house = open_house(plan)
    shelf = PayloadLoader(house.cache(), ACLNumbers())

    def connect(row: ReceiverRow) -> Sink:
        if row.kind == receivers.INDEX:
            writer = _in_step(house, row.place)
            with house.store.read() as tx:
                passed = receivers.index_place(tx)  # larger than before if the index was filled first
            return IndexSink(writer, shelf, house.store, passed)
        tools = of_receivers.tools(house, row.name, partial(way_out, plan, house))
        made = receiver_kind(row.kind).make(receiver_settings(row.kind, row.settings), tools)
        return ReceiverSink(made, shelf, row.place, row.last_seq)

    began = cpu_ns()
    with (
        memory.kept_small(plan.folder / "index"),
        heartbeat(house, f"provider@{data_dir.node(plan.folder)}", "provider"),
    ):
        await Provider(house.store, connect, memory.trimmer(house.clock)).provide(stop)
    if plan.installation.steps:
        # The engine works in threads of its own, so only the total can be measured.
        _write_steps(plan, StepTable().with_rest("index", began))
    house.store.close()


def _in_step(house: Installation, passed: int) -> IndexWriter:
    """The index, for writing; a new one is filled first from the cached copies.

    The stream was `passed` up to this number. Raises IndexDamaged for an index that lacks events the database no
    longer has, is ahead of it, or belongs to another one; CacheDamaged if it is to be filled and no copy can be read.
    """
    writer = house.index_writer()
    with house.store.read() as tx:
        strange, name = index_consistency.is_strange(tx, writer), stream.named(tx)
        goes_on = not strange and stream.reaches(tx, writer.place)
    if goes_on:
        if writer.origin != name:  # new, or of an older version
            writer.commit(writer.place, name)
        return writer
    began = writer.place > 0 or passed > 0
    writer.close()
    if not began:  # the installation ran without an index until now
        with ended_at_once():
            filled = reindex.fill(house)
        if filled["damaged"]:
            _log.warning("copies damaged", extra={"damaged": filled["damaged"], "addresses": filled["damaged_urls"]})
        return house.index_writer()
    if strange:
        raise IndexDamaged(index_consistency.STRANGE)
    raise IndexDamaged("The index and the database do not fit together. Run `cormorant index rebuild`.")


async def _conduct(plan: BuildPlan, stop: asyncio.Event, *, schedules: bool, birth: Birth | None = None) -> None:
    """Carry out every open run, each in a task of its own; have schedules order runs."""
    house = open_house(plan)
    if birth is not None:
        birth.attend(plan, house)
    with heartbeat(house, f"conductor@{data_dir.node(plan.folder)}", "conductor"):
        await run_loop.carry_out(house, _room(house), partial(way_out, plan, house), stop, schedules=schedules)
    house.store.close()
