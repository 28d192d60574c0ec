"""The run controller ends a run that is stopped, and waits a limited time for one that makes no progress."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.base.exhaustion import Shortage
from cormorant.crawl.deliver.loop import Provider
from cormorant.crawl.deliver.payload import Payload
from cormorant.crawl.resource_guard import DiskGuard
from cormorant.crawl.run import approval, completion, transitions
from cormorant.crawl.run.completion import RetrievalEnd
from cormorant.crawl.run.controller import RunController
from cormorant.frontier.policy.host_errors import HostTrouble
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import writes
from cormorant.model.run import Counters, Refresh, RunState
from cormorant.receivers import stream
from cormorant.receivers.protocol import Refusal
from cormorant.receivers.stream import Event, NewEvent, Numbered
from cormorant.store.catalog import receivers, sources
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import runs
from cormorant.store.schema import run as run_table, site, site_source
from tests.clocks import HANG_S, Shifted
from tests.crawl.samples import web_source
from tests.frontier.samples import a_content, admit, admitted, numbers, pages
from tests.stores import prepare

DAY_S = 86_400.0
ROOM = DiskGuard((), lambda: 0.0)


def stop(tx: Tx, number: int) -> None:
    runs.change(tx, number, state=RunState.STOPPED, reason="restarted")


def suspend(tx: Tx, number: int) -> None:
    runs.change(tx, number, state=RunState.SUSPENDED)


def delete(tx: Tx, number: int) -> None:
    tx.execute(sa.delete(run_table).where(run_table.c.id == number))


def under_way(store: Store, state: RunState) -> int:
    """A run with a page to fetch that nobody fetches, and an event that nobody delivers."""
    with store.begin() as tx:
        source = sources.add(tx, "web", "docs", {})
        receivers.add(tx, "index", "index", None, {}, 0)
        number = runs.request(tx, source, json.dumps({}), Refresh.ALL, force=False)
        runs.change(tx, number, state=state, generation=sources.next_generation(tx, source))
        admit(tx, *pages(1), source=source)
        stream.append(tx, [NewEvent(source, 1, number, Event.NEW)])
    return number


@pytest.mark.parametrize("take_away", [stop, suspend, delete])
@pytest.mark.parametrize("state", [RunState.RETRIEVING, RunState.DELIVERING])
def test_a_run_that_is_taken_away_is_let_go(
    store: Store, state: RunState, take_away: Callable[[Tx, int], None]
) -> None:
    number = under_way(store, state)
    with store.read() as tx:
        row = runs.get(tx, number)

    async def work() -> None:
        conducted = asyncio.create_task(
            RunController(store, SystemClock(), row, lambda _: web_source(), ROOM).conduct()
        )
        await asyncio.sleep(0)
        assert not conducted.done()
        with store.begin() as tx:
            take_away(tx, number)
            after = [runs.again(tx, row)]
        async with asyncio.timeout(HANG_S):
            await conducted
        with store.read() as tx:
            assert [runs.again(tx, row)] == after, "whoever took it away has the last word"

    asyncio.run(work())


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks often, and gives a receiver that failed a short time."""
    monkeypatch.setattr(completion, "TICK_S", 0.01)
    monkeypatch.setattr(completion, "TRIED_AGAIN_S", 0.5)


def run_of(store: Store, number: int) -> runs.RunRow:
    with store.read() as tx:
        return runs.get(tx, number)


async def put_off_again_and_again(store: Store, number: int, counted: Callable[[int], Counters]) -> None:
    """The only page waits a little, is asked for, and is put off once more; `counted` by then, of so many times."""
    for times in range(10_000):
        for ahead_s in (0.2, 0.0):
            with store.begin() as tx:
                tx.execute(sa.update(site_source).values(not_before=tx.now() + ahead_s if ahead_s else 0.0))
                runs.count(tx, number, "ada", counted(times))
            await asyncio.sleep(0.03)


def ended_while(
    store: Store, counted: Callable[[int], Counters], limit_s: float, trouble: int = 0
) -> RetrievalEnd | None:
    """How retrieving ended while its only page was put off again and again, None if it did not in time.

    With `trouble` its site has failed so.
    """
    number = under_way(store, RunState.RETRIEVING)
    with store.begin() as tx:
        tx.execute(sa.update(site).values(failures=12 if trouble else 0, trouble=trouble))

    async def work() -> RetrievalEnd | None:
        visits = asyncio.create_task(put_off_again_and_again(store, number, counted))
        try:
            async with asyncio.timeout(limit_s):
                return await completion.until_retrieved(
                    store, run_of(store, number), lambda _: web_source(patience_s=0.6), ROOM
                )
        except TimeoutError:
            return None
        finally:
            visits.cancel()

    return asyncio.run(work())


@pytest.mark.usefixtures("hurried")
def test_a_page_that_is_put_off_for_ever_is_not_waited_for_for_ever(store: Store) -> None:
    ended = ended_while(store, lambda times: Counters(requests=times, bytes=times), HANG_S)
    assert ended is not None
    assert (ended.complete, "patience_s" in (ended.reason or "")) == (False, True)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("status", [906, 503, 500])
def test_a_server_that_fails_once_more_does_not_restart_the_waiting_time(store: Store, status: int) -> None:
    def failed(times: int) -> Counters:
        return Counters(failed=times, fetch_failures=times, unanswered=times)

    ended = ended_while(store, failed, HANG_S, status)
    assert ended is not None
    assert (ended.complete, ended.bottleneck) == (False, HostTrouble("", status).why)
    assert (ended.reason or "").startswith(HostTrouble("a.example", status).clause)
    assert "patience_s, 0.6 seconds" in (ended.reason or "")


@pytest.mark.usefixtures("hurried")
def test_other_sites_are_not_given_up_with_the_one_that_is_dead(store: Store) -> None:
    number = under_way(store, RunState.RETRIEVING)
    with store.begin() as tx:
        admit(tx, "https://b.example/")
        dead = sa.update(site).where(site.c.key == "a.example")
        tx.execute(dead.values(failures=12, trouble=906, not_before=tx.now() + 60))

    async def work() -> RetrievalEnd:
        waited = asyncio.create_task(
            completion.until_retrieved(store, run_of(store, number), lambda _: web_source(patience_s=0), ROOM)
        )  # fmt: skip
        await asyncio.sleep(1.0)
        assert not waited.done(), "the other site has pages left"
        with store.begin() as tx:
            there = sa.select(site.c.id).where(site.c.key == "b.example")
            tx.execute(sa.update(site_source).where(site_source.c.site_id.in_(there)).values(done_generation=1))
        async with asyncio.timeout(HANG_S):
            return await waited

    ended = asyncio.run(work())
    assert (ended.complete, "a.example does not answer" in (ended.reason or "")) == (False, True)


@pytest.mark.usefixtures("hurried")
def test_when_a_run_gives_up_is_known_while_it_waits(store: Store) -> None:
    number = under_way(store, RunState.RETRIEVING)

    async def work() -> None:
        waited = asyncio.create_task(
            completion.until_retrieved(store, run_of(store, number), lambda _: web_source(patience_s=100), ROOM)
        )  # fmt: skip
        for ahead_s, left_s in ((0.0, None), (50.0, 100.0), (0.0, None)):
            with store.begin() as tx:
                rests = {"not_before": tx.now() + ahead_s if ahead_s else 0.0, "failures": int(ahead_s), "trouble": 906}
                tx.execute(sa.update(site).values(rests))
                runs.count(tx, number, "ada", Counters(fetched=int(ahead_s)))
            await asyncio.sleep(0.4)
            with store.read() as tx:
                gives_up_at, now = runs.get(tx, number).gives_up_at, tx.now()
            assert (gives_up_at and round(gives_up_at - now, -1)) == left_s
        waited.cancel()

    asyncio.run(work())


@pytest.mark.usefixtures("hurried")
def test_a_visit_that_ends_restarts_the_waiting_time(store: Store) -> None:
    assert ended_while(store, lambda times: Counters(fetched=times, requests=times), 2.0) is None


@pytest.fixture
def clock() -> Shifted:
    return Shifted(SystemClock().now())


@pytest.fixture
def shifted(clock: Shifted, tmp_path: Path) -> Iterator[Store]:
    """A store whose clock is set."""
    url = f"sqlite:///{tmp_path / 'shifted.db'}"
    prepare(url)
    store = Store.open(url, clock)
    yield store
    store.close()


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("by", [-DAY_S, DAY_S, 400 * DAY_S])
def test_no_run_is_given_up_because_the_clock_is_set(shifted: Store, clock: Shifted, by: float) -> None:
    number = under_way(shifted, RunState.RETRIEVING)
    with shifted.begin() as tx:
        runs.change(tx, number, started_at=tx.now() - 30.0)
        tx.execute(sa.update(site).values(failures=12, trouble=906))
    given = web_source(patience_s=100, max_minutes=10)

    async def work() -> RetrievalEnd:
        waited = asyncio.create_task(
            completion.until_retrieved(shifted, run_of(shifted, number), lambda _: given, ROOM)
        )
        for passed, stepped in ((50.0, by), (45.0, 0.0), (10.0, 0.0)):
            await asyncio.sleep(0.2)
            assert not waited.done(), "neither its patience is spent nor its time is over"
            if passed == 45.0:
                gives_up_at = run_of(shifted, number).gives_up_at
                assert gives_up_at is not None
                assert gives_up_at - clock.now() == pytest.approx(given.settings.visit_s - 50.0, abs=60.0)
            clock.at += passed
            clock.shift += stepped
        clock.at += given.settings.visit_s
        async with asyncio.timeout(HANG_S):
            return await waited

    assert "nothing was got for" in (asyncio.run(work()).reason or "")


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("by", [-DAY_S, DAY_S, 400 * DAY_S])
def test_a_receiver_is_waited_for_as_long_whoever_sets_the_clock(shifted: Store, clock: Shifted, by: float) -> None:
    number = under_way(shifted, RunState.DELIVERING)
    with shifted.begin() as tx:
        receivers.set_error(tx, receivers.index(tx), "The disk is full.")

    async def work() -> None:
        delivered = asyncio.create_task(completion.until_delivered(shifted, run_of(shifted, number)))
        await asyncio.sleep(0.2)
        clock.shift += by
        await asyncio.sleep(0.3)
        assert not delivered.done(), "it is tried again"
        clock.at += 1.0
        async with asyncio.timeout(HANG_S):
            await delivered

    asyncio.run(work())


def delivered_after(store: Store, heal: bool) -> bool:
    """Was a receiver that had failed waited for until it had come to the end? With `heal` it does soon."""
    number = under_way(store, RunState.DELIVERING)
    with store.begin() as tx:
        (index,) = receivers.every(tx)
        receivers.set_error(tx, index.id, "The disk is full.")

    async def work() -> None:
        delivered = asyncio.create_task(completion.until_delivered(store, run_of(store, number)))
        await asyncio.sleep(0.1)
        assert not delivered.done(), "it is tried again"
        if heal:
            with store.begin() as tx:
                receivers.set_place(tx, index.id, stream.head(tx))
        async with asyncio.timeout(HANG_S):
            await delivered

    asyncio.run(work())
    with store.read() as tx:
        return receivers.every(tx)[0].place == stream.head(tx)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("heal", [True, False])
def test_a_receiver_that_failed_is_waited_for_and_not_for_ever(store: Store, heal: bool) -> None:
    assert delivered_after(store, heal) == heal


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("most_s", [1.5, HANG_S])
def test_a_receiver_that_cannot_be_made_is_waited_for_as_long_as_one_that_gets_on(
    store: Store, monkeypatch: pytest.MonkeyPatch, most_s: float
) -> None:
    monkeypatch.setattr(completion, "MOST_WAITED_S", most_s)
    number = under_way(store, RunState.DELIVERING)
    with store.begin() as tx:
        made = receivers.add(tx, "python", "shop", None, {"call": "no.such:thing"}, stream.head(tx))
        stream.append(tx, [NewEvent(1, 1, number, Event.NEW)])
        receivers.set_place(tx, receivers.index(tx), stream.head(tx))
        receivers.set_error(tx, made, "no.such:thing cannot be had", 1_000.0, unmade=True)
        runs.change(tx, number, started_at=tx.now())

    async def work() -> None:
        delivered = asyncio.create_task(completion.until_delivered(store, run_of(store, number)))
        await asyncio.sleep(1.0)
        assert not delivered.done(), "twice as long as one that failed is waited for"
        if most_s == HANG_S:
            with store.begin() as tx:
                receivers.set_place(tx, made, stream.head(tx))
        async with asyncio.timeout(HANG_S / 2):
            assert await delivered == "the receiver 'shop', which cannot be created"

    asyncio.run(work())


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("visited_s", "held_up"), [(0.0, "the index"), (100.0, "the servers")])
def test_what_is_waited_for_longer_than_visits_took_has_held_the_run_up(
    store: Store, visited_s: float, held_up: str
) -> None:
    number = under_way(store, RunState.DELIVERING)
    with store.begin() as tx:
        (index,) = receivers.every(tx)
        receivers.set_error(tx, index.id, "The disk is full.")
        runs.change(tx, number, started_at=tx.now() - visited_s, bottleneck="the servers")
    assert asyncio.run(completion.until_delivered(store, run_of(store, number))) == held_up


def test_what_a_stopped_run_waited_for_a_person_is_no_work(store: Store) -> None:
    number = under_way(store, RunState.SWEEPING)
    with store.begin() as tx:
        now = tx.now()
        runs.change(tx, number, started_at=now - 5000)
        runs.pend(tx, number)
        runs.change(tx, number, waits_since=now - 4000)
        assert transitions.stop(tx, runs.get(tx, number), "It was stopped.")
        stopped = runs.get(tx, number)
        assert (stopped.state, stopped.waits_since) == (RunState.STOPPED, None)
        assert abs(stopped.seconds(tx.now() + 9000) - 1000) < 60
        assert not transitions.stop(tx, stopped, "It was stopped."), "it has ended"


@pytest.mark.parametrize(("before", "after"), [("sweeping", "held"), ("stopped", "stopped")])
def test_a_run_that_was_stopped_is_not_held(store: Store, before: str, after: str) -> None:
    admitted(store, *pages(6))
    number = under_way(store, RunState(before))
    with store.begin() as tx:
        known = sorted(numbers(tx).values())
        writes.contents(tx, [a_content(each) for each in known])
        pending_deletes.hide(tx, [(each, 1, number) for each in known])
    assert approval.hold(store, run_of(store, number))
    assert run_of(store, number).state == after


@pytest.mark.usefixtures("hurried")
def test_a_run_waits_for_an_index_that_is_being_rebuilt_whatever_was_wrong_with_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = under_way(store, RunState.DELIVERING)
    monkeypatch.setattr(completion, "TRIED_AGAIN_S", 0.0)

    async def work() -> None:
        with store.begin() as tx:
            until = receivers.lend(tx)
            receivers.set_error(tx, receivers.index(tx), "It is damaged.")
        delivered = asyncio.create_task(completion.until_delivered(store, run_of(store, number)))
        await asyncio.sleep(0.3)
        assert not delivered.done()
        with store.begin() as tx:
            receivers.take_back(tx, until or 0.0)
        async with asyncio.timeout(HANG_S):
            await delivered

    asyncio.run(work())


class Outbox:
    """An outlet to which there is nothing new; it works."""

    place, last_seq = 0, 0

    def prepare(self, tx: Tx, events: Sequence[Numbered]) -> list[Payload]:
        return []

    def receive(self, found: Sequence[Payload], upto: int, now: float) -> int:
        return self.place

    def counted(self) -> dict[int, Counters]:
        return {}

    def said(self) -> list[Refusal]:
        return []

    def close(self) -> None:
        pass


def test_the_error_of_a_receiver_that_works_again_is_cleared_though_nothing_is_new(store: Store) -> None:
    with store.begin() as tx:
        number = receivers.add(tx, "jsonlines", "out", None, {}, 0)
        receivers.set_error(tx, number, "The disk is full.")

    async def work() -> None:
        stop = asyncio.Event()
        providing = asyncio.create_task(Provider(store, lambda _: Outbox(), lambda: None).provide(stop))
        await asyncio.sleep(0.05)
        stop.set()
        await providing

    asyncio.run(work())
    with store.read() as tx:
        assert [(each.place, each.error) for each in receivers.every(tx)] == [(0, None)]


def test_the_bottleneck_of_a_run_is_weighed_by_time_and_not_by_number_of_polls() -> None:
    assert completion._worst({"the pace": 0.3, "the receivers": 4.0}) == "the receivers"
    assert completion._worst({}) == "nothing"


@pytest.mark.usefixtures("hurried")
def test_a_run_waits_while_a_retriever_is_short_of_files_and_says_so(store: Store) -> None:
    number = under_way(store, RunState.RETRIEVING)

    def say(lack: str) -> None:
        with store.begin() as tx:
            heartbeats.say(tx, "retriever-1", "retriever", 0.0, "here", lack)

    async def work() -> RetrievalEnd:
        say(Shortage.FILES)
        with store.begin() as tx:
            tx.execute(sa.update(site).values(failures=12, trouble=906, not_before=tx.now() + 60))
        waited = asyncio.create_task(
            completion.until_retrieved(store, run_of(store, number), lambda _: web_source(patience_s=0), ROOM)
        )  # fmt: skip
        await asyncio.sleep(0.5)
        assert not waited.done(), "that is no trouble of anybody's"
        assert run_of(store, number).reason == Shortage.FILES.said
        say("")
        async with asyncio.timeout(HANG_S):
            return await waited

    ended = asyncio.run(work())
    assert (ended.complete, ended.bottleneck) == (False, Shortage.FILES.what)
    assert "a.example does not answer" in (ended.reason or "")
    assert run_of(store, number).reason is None
