"""What do processes agree upon? What ends one run, and not the process? Which runs does a retriever take up?"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.app import egress_guard
from cormorant.app.processes import entrypoints, heartbeat as heart, run_loop, supervisor
from cormorant.base import run_context
from cormorant.base.clock import SystemClock, pause
from cormorant.base.errors import Unreachable
from cormorant.base.exhaustion import Shortage
from cormorant.base.profiling import unmeasured
from cormorant.crawl.context import WorkerContext
from cormorant.crawl.link_filter import SiteKeys
from cormorant.crawl.resource_guard import REST_S, DiskGuard
from cormorant.frontier.queue.seen_lookup import Lookup
from cormorant.frontier.queue.seen_urls import SeenUrls
from cormorant.frontier.state.enqueue import SiteNumbers
from cormorant.model.run import Refresh, RunState
from cormorant.net.egress.guard import Egress, EgressRefused, Pinned
from cormorant.net.egress.policy import Consent
from cormorant.net.egress.resolver import Resolver
from cormorant.operate.search import reindex
from cormorant.receivers import stream
from cormorant.store.blobs.local import LocalCache
from cormorant.store.catalog import sources
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from cormorant.store.schema import site
from tests.clocks import HANG_S, Shifted, until
from tests.stores import prepare

ROOM = DiskGuard((), lambda: 0.0)


@pytest.fixture(autouse=True)
def nothing_followed() -> Iterator[None]:
    """A log that a test has kept of a run is none of the next test's."""
    yield
    for number in list(run_context.followed()):
        run_context.leave(number)


def test_all_processes_go_by_the_first_resolution(store: Store, other: Store) -> None:
    consent = Consent.of([("a.example", 80)])

    def opened(at: Store, answer: str) -> object:
        """What a new process says to that answer."""
        clock = SystemClock()
        egress = Egress(clock, resolver=Resolver(clock, lambda _: (answer,)), settle=egress_guard.settling(at))
        return asyncio.run(egress.open("a.example", 80, consent))

    assert isinstance(opened(store, "93.184.216.34"), Pinned)
    assert isinstance(opened(other, "10.0.0.1"), EgressRefused)
    assert isinstance(opened(other, "93.184.216.35"), Pinned)


def test_who_is_asked_to_end_and_does_not_heed_it_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "GRACE_S", 0.3)
    here, there = multiprocessing.Pipe(duplex=False)

    def run() -> None:
        async def deaf(_: asyncio.Event) -> None:
            there.send("began")
            await asyncio.Event().wait()

        entrypoints._run(deaf)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    assert here.recv() == "began"
    process.terminate()
    process.join(HANG_S)
    ended_by = process.exitcode
    process.kill()
    assert ended_by == -signal.SIGALRM


def a_run(store: Store, name: str, **settings: object) -> int:
    """A run of a new source that retrieves."""
    with store.begin() as tx:
        source = sources.add(tx, "web", name, settings)
        number = runs.request(tx, source, json.dumps(settings), Refresh.ALL, force=False)
        runs.change(tx, number, state=RunState.RETRIEVING, generation=1)
    return number


def ends(store: Store, number: int, error: Exception | None) -> runs.RunRow:
    """The run after its task has ended so."""
    house: Any = SimpleNamespace(store=store, clock=SystemClock())

    async def fail() -> None:
        if error is not None:
            raise error

    async def work() -> None:
        task = asyncio.create_task(fail())
        await asyncio.wait([task])
        run_loop.ended(house, number, task)

    asyncio.run(work())
    with store.read() as tx:
        return runs.get(tx, number)


def test_a_fault_that_nobody_foresaw_ends_its_run_alone(store: Store) -> None:
    number = a_run(store, "docs")
    assert ends(store, number, None).state is RunState.RETRIEVING
    row = ends(store, number, ZeroDivisionError("in the depths"))
    assert (row.state, row.error) == (RunState.FAILED, "fault")
    assert "ZeroDivisionError: in the depths" in (row.reason or "")
    assert row.finished_at


def test_an_error_that_is_the_processs_is_raised(store: Store) -> None:
    number = a_run(store, "docs")
    with pytest.raises(Unreachable):
        ends(store, number, Unreachable("It does not answer."))
    with store.read() as tx:
        assert runs.get(tx, number).state is RunState.RETRIEVING


def test_a_source_whose_start_file_is_away_keeps_no_other_from_its_work(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    away = tmp_path / "starts"
    waits, works = a_run(store, "away", start_file=str(away)), a_run(store, "docs", start=["https://a.example/"])
    clock = SystemClock()
    cache = LocalCache(tmp_path, clock)
    means = WorkerContext(
        "ada", store, cache, SeenUrls(Lookup(store)), SiteNumbers(), ACLNumbers(), SiteKeys(), unmeasured
    )
    house: Any = SimpleNamespace(store=store, clock=clock, folder=tmp_path, node="here")
    unused: Any = None

    def taken_up() -> set[int]:
        made = entrypoints.RetrieverAssignments(house, unused, means, 1, ROOM)
        return {dispatch.order.run for dispatch in made({}).values()}

    assert taken_up() == {works}
    made = entrypoints.RetrieverAssignments(house, unused, means, 1, ROOM)
    for _ in range(3):
        pause(entrypoints.POLL_S)
        made({})
    assert [each.message for each in caplog.records].count("no source") == 2, "once for each of two retrievers"
    away.write_text("https://b.example/")
    assert taken_up() == {waits, works}
    cache.close()


def test_a_run_for_another_node_is_not_taken_up(store: Store, tmp_path: Path) -> None:
    here, anywhere = (a_run(store, name, start=["https://a.example/"], **more) for name, more in (
        ("here", {"node": "here"}), ("anywhere", {}),
    ))  # fmt: skip
    there = a_run(store, "there", start=["https://b.example/"], node="there")
    cache = LocalCache(tmp_path, SystemClock())
    means = WorkerContext(
        "ada", store, cache, SeenUrls(Lookup(store)), SiteNumbers(), ACLNumbers(), SiteKeys(), unmeasured
    )
    unused: Any = None

    def taken_up(node: str) -> set[int]:
        house: Any = SimpleNamespace(store=store, clock=SystemClock(), folder=tmp_path, node=node)
        return {each.order.run for each in entrypoints.RetrieverAssignments(house, unused, means, 1, ROOM)({}).values()}

    assert [taken_up(node) for node in ("here", "there", "else")] == [{here, anywhere}, {there, anywhere}, {anywhere}]
    cache.close()


def test_a_run_for_another_node_is_not_begun_and_one_that_has_become_so_is_let_go_of(store: Store) -> None:
    mine, moved = a_run(store, "mine", node="here"), a_run(store, "moved", node="there")
    house: Any = SimpleNamespace(store=store, node="here", runs_at_once=None)

    async def work() -> None:
        assert [row.id for row in run_loop._ours(house, {})] == [mine]
        tasks = {number: asyncio.create_task(asyncio.sleep(HANG_S)) for number in (mine, moved)}
        assert run_loop._ours(house, tasks) == []
        await asyncio.sleep(0)
        assert [tasks[number].cancelled() for number in (mine, moved)] == [False, True]
        run_loop.ended(house, moved, tasks[moved])
        tasks[mine].cancel()

    asyncio.run(work())
    with store.read() as tx:
        assert runs.get(tx, moved).state is RunState.RETRIEVING, "whose it is goes on with it"


AHEAD_S = 400 * 86_400.0


@pytest.fixture
def set_by_hand(tmp_path: Path) -> Iterator[Any]:
    """An installation whose clock somebody sets, with a site that is waited for."""
    prepare(url := f"sqlite:///{tmp_path / 'store.db'}")
    store = Store.open(url, clock := Shifted(1_767_225_600.0))
    with store.begin() as tx:
        tx.execute(sa.insert(site).values(key="a.example"))
    yield SimpleNamespace(store=store, clock=clock, folder=tmp_path, node="here")
    store.close()


def waited_for(house: Any, look: Callable[[], object]) -> bool:
    """Is a site still waited for by a clock that was ahead, when a process has seen that and looks again?"""
    for ahead in (0.0, AHEAD_S, 0.0):
        house.clock.shift = ahead
        house.clock.at += entrypoints.SAY_S + 1.0
        look()
        with house.store.begin() as tx:
            tx.execute(sa.update(site).where(sa.literal(bool(ahead))).values(not_before=tx.now() + 60.0))
    with house.store.read() as tx:
        return bool(tx.rows(sa.select(site.c.id).where(site.c.not_before > 0.0)))


def test_a_retriever_puts_right_what_it_wrote_by_a_clock_that_was_ahead(set_by_hand: Any, tmp_path: Path) -> None:
    cache, unused = LocalCache(tmp_path, set_by_hand.clock), None
    means = WorkerContext(
        "ada",
        set_by_hand.store,
        cache,
        SeenUrls(Lookup(set_by_hand.store)),
        SiteNumbers(),
        ACLNumbers(),
        SiteKeys(),
        unmeasured,
    )
    made = entrypoints.RetrieverAssignments(set_by_hand, unused, means, 1, ROOM)  # type: ignore[arg-type]  # nothing is fetched
    assert not waited_for(set_by_hand, lambda: made({}))
    cache.close()


def test_a_heart_beats_where_clocks_are_set(set_by_hand: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[float] = []
    said = heartbeats.say

    def say(*given: Any) -> None:
        said(*given)
        beats.append(set_by_hand.clock.now())

    monkeypatch.setattr(heartbeats, "say", say)
    monkeypatch.setattr(heart, "SAY_S", 0.01)
    with heart.heartbeat(set_by_hand, "provider@here", "provider"):

        def beat() -> None:
            now = len(beats) + 1
            until(lambda: len(beats) > now)

        assert not waited_for(set_by_hand, beat)


def test_an_edit_is_followed_also_when_the_source_cannot_be_made_at_first(store: Store, tmp_path: Path) -> None:
    starts, clock, unused = tmp_path / "starts", SystemClock(), None
    starts.write_text("https://b.example/")
    number = a_run(store, "docs", start_file=str(starts))
    cache = LocalCache(tmp_path, clock)
    means = WorkerContext(
        "ada", store, cache, SeenUrls(Lookup(store)), SiteNumbers(), ACLNumbers(), SiteKeys(), unmeasured
    )
    house: Any = SimpleNamespace(store=store, clock=clock, folder=tmp_path, node="here")
    made = entrypoints.RetrieverAssignments(house, unused, means, 1, ROOM)  # type: ignore[arg-type]  # nothing is fetched

    async def delays() -> list[float | None]:
        said = []
        for there in (True, False, True):
            starts.unlink() if not there else starts.write_text("https://b.example/")
            pause(entrypoints.POLL_S)
            (dispatch,) = made({}).values()
            settings: Any = dispatch.source.settings
            said.append(settings.delay_s)
            with store.begin() as tx:
                runs.change(tx, number, settings=json.dumps({"start_file": str(starts), "delay_s": 7}))
        return said

    assert asyncio.run(delays()) == [None, None, 7]
    cache.close()


def an_empty_index(monkeypatch: pytest.MonkeyPatch, fill: Callable[[object], object]) -> Any:
    """A house with an index that has to be filled first, which is done so."""
    monkeypatch.setattr(stream, "reaches", lambda _tx, _place: False)
    monkeypatch.setattr(stream, "named", lambda _tx: "here")
    monkeypatch.setattr(reindex, "fill", fill)
    writer = SimpleNamespace(place=0, origin=None, close=lambda: None)
    return SimpleNamespace(store=SimpleNamespace(read=nullcontext), index_writer=lambda: writer)


def test_what_an_index_lacks_that_was_filled_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    urls = ["https://a.example/torn"]
    entrypoints._in_step(an_empty_index(monkeypatch, lambda _: {"damaged": 1, "damaged_urls": urls}), 0)
    assert [each.__dict__["addresses"] for each in caplog.records if each.message == "copies damaged"] == [urls]


@pytest.mark.parametrize(("filling", "code"), [(True, -signal.SIGTERM), (False, 0)], ids=["while", "after"])
def test_a_stop_ends_a_provider_whether_it_fills_an_index_or_has(
    filling: bool, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = multiprocessing.get_context("fork")
    begun = processes.Event()

    def fill(_: object) -> dict[str, int]:
        if filling:
            begun.set()
            while True:
                pause(0.01)
        return {"damaged": 0}

    house = an_empty_index(monkeypatch, fill)

    async def provide(stop: asyncio.Event) -> None:
        entrypoints._in_step(house, 0)
        begun.set()
        await stop.wait()

    process = processes.Process(target=entrypoints._run, args=(provide,))
    process.start()
    assert begun.wait(HANG_S)
    process.terminate()
    process.join(HANG_S)
    try:
        assert process.exitcode == code
    finally:
        process.kill()


def test_what_a_retriever_is_short_of_is_known_to_others_at_once(store: Store, tmp_path: Path) -> None:
    clock, unused, now = SystemClock(), None, [0.0]
    cache, room = LocalCache(tmp_path, clock), DiskGuard((), lambda: now[0])
    means = WorkerContext(
        "ada", store, cache, SeenUrls(Lookup(store)), SiteNumbers(), ACLNumbers(), SiteKeys(), unmeasured
    )
    house: Any = SimpleNamespace(store=store, clock=clock, folder=tmp_path, node="here")
    made = entrypoints.RetrieverAssignments(house, unused, means, 1, room)  # type: ignore[arg-type]  # nothing is fetched

    def said() -> list[str]:
        pause(entrypoints.POLL_S)
        made({})
        with store.read() as tx:
            return [heartbeats.lack(tx, node) for node in ("", "here", "there")]

    assert said() == ["", "", ""]
    room.fall_short(Shortage.FILES, 1)
    assert said() == ["files", "files", ""]
    now[0] += REST_S
    assert said() == ["", "", ""]
    cache.close()
