"""Receivers that hang, fail, reject and stop runs, beside others that do not; and repeated deliveries."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting, ConflictError, NoRoom
from cormorant.crawl.deliver import ack, loop, replay
from cormorant.crawl.deliver.loop import READ
from cormorant.crawl.deliver.payload import Payload, Sink
from cormorant.crawl.deliver.receiver_task import (
    GATHERED,
    MOST_GATHERING_S,
    MOST_MENDED_S,
    MOST_S,
    ReceiverTask,
    rest_of,
)
from cormorant.crawl.deliver.sinks import IndexSink, ReceiverSink, is_for
from cormorant.crawl.run import transitions
from cormorant.frontier.staging import pending_deletes
from cormorant.model.run import Mode, Refresh, RunState
from cormorant.plugins import receiver_settings
from cormorant.receivers import stream
from cormorant.receivers.protocol import NotTaken, ReceiverSettings, RecordSettings, Refusal, Stop
from cormorant.receivers.stream import Event, NewEvent
from cormorant.search.index.memory import MemoryIndex
from cormorant.search.index.tantivy import folder
from cormorant.search.index.tantivy.writer import EmbeddedWriter
from cormorant.store.catalog import receivers, rejected_deliveries, sources
from cormorant.store.catalog.receivers import ReceiverRow, Replay
from cormorant.store.catalog.rejected_deliveries import RejectedDelivery
from cormorant.store.db.database import Store
from cormorant.store.journal import runs, visits
from cormorant.store.schema import content
from tests.crawl.providing import House
from tests.frontier.samples import pages
from tests.receivers import taking


@pytest.fixture
def house(store: Store, tmp_path: Path) -> House:
    return House(store, tmp_path)


@pytest.fixture(autouse=True)
def nothing_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(taking.FOLDER, str(tmp_path))
    yield
    taking.forget()


def test_one_that_hangs_holds_up_no_other_and_has_one_batch_in_hand(house: House) -> None:
    house.add("python", "stuck", call="tests.receivers.taking:Shop")
    house.add("python", "quick", call="tests.receivers.taking:take")
    taking.hang()
    house.gone(5 * READ)

    def quick_is_done() -> bool:
        if house.row("quick").place < 5 * READ:
            return False
        if taking.hangs():
            assert (house.row("stuck").place, len(taking.calls())) == (0, 5)
            taking.hang(on=False)
        return house.row("stuck").place == 5 * READ

    house.provide(quick_is_done)
    assert max(map(len, taking.calls())) == READ
    with house.store.read() as tx:
        assert stream.after(tx, 0, 1) == [], "what all have passed is dropped"


def test_links_to_an_uncommitted_document_are_delivered_with_its_copy(house: House) -> None:
    """They can be written on what is committed alone, and a commit for each would make many small segments."""
    first, other = house.keep(2)
    index = MemoryIndex()
    outlet = IndexSink(index.writer(), house.shelf, house.store, 0)

    def prepared(seq: int, number: int, event: Event) -> Payload:
        with house.store.read() as tx:
            (found,) = outlet.prepare(tx, [stream.Numbered(seq, house.source, number, house.run, event, None)])
        outlet.receive([found], seq, 100.0)
        return found

    assert prepared(1, first, Event.NEW).frame is not None
    assert prepared(2, other, Event.LINKS).frame is None
    again = prepared(3, first, Event.LINKS)
    assert again.frame is not None
    assert outlet.receive((), 3, 200.0) == 3
    assert index.reader().ids(0, 9) == [first]
    assert prepared(4, first, Event.LINKS).frame is None, "it is committed"
    (counted,) = outlet.counted().values()
    assert (counted.index_writes, counted.index_link_updates) == (1, 3)


@pytest.mark.parametrize(("settings", "mime", "body"), [
    (RecordSettings(), "text/html", b"body"),
    (RecordSettings(), "application/xhtml+xml", b"body"),
    (RecordSettings(), "application/pdf", b""),
    (RecordSettings(html=False), "text/html", b""),
    (ReceiverSettings(), "text/html", b""),
])  # fmt: skip
def test_what_was_fetched_is_read_for_who_is_given_it(
    settings: ReceiverSettings, mime: str, body: bytes, house: House
) -> None:
    (number,) = house.keep(1)
    outlet = ReceiverSink(SimpleNamespace(settings=settings), house.shelf, 0)  # type: ignore[arg-type]
    with house.store.begin() as tx:
        tx.execute(sa.update(content).values(mime=mime))
        event = stream.Numbered(1, house.source, number, house.run, Event.NEW, None)
        (found,) = outlet.prepare(tx, [event])
    assert found.frame is not None
    assert (found.frame.body, found.frame.text[:7]) == (body, "text of")


@pytest.mark.parametrize(("more", "waits"), [(False, True), (True, False)])
def test_what_comes_little_by_little_is_waited_for(house: House, tmp_path: Path, *, more: bool, waits: bool) -> None:
    """A batch costs two transactions, whatever its size: so many events are delivered together, or all that wait."""
    house.add("jsonlines", "quick", path=str(tmp_path / "found.jsonl"))
    events = [stream.Numbered(number, 1, number, 1, Event.DELETED, None) for number in range(1, GATHERED)]

    async def work() -> tuple[bool, bool]:
        errand = ReceiverTask("quick", house.connect(house.row("quick")), 0)
        errand.hand_over([Payload(each, None, None) for each in events], GATHERED, lambda: None, more=more)
        await errand.finish()
        at_once = errand.gathers()
        await asyncio.sleep(MOST_GATHERING_S)
        return at_once, errand.gathers()

    assert asyncio.run(work()) == (waits, False)


def test_what_hangs_for_ever_does_not_keep_the_process_from_ending(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "LEAVE_S", 0.3)
    house.add("python", "stuck", call="tests.receivers.taking:Shop")
    taking.hang()
    house.gone(3)
    started = SystemClock().monotonic()
    house.provide(lambda: SystemClock().monotonic() > started + 0.5)  # else it never returns
    assert house.row("stuck").place == 0


def test_one_that_fails_rests_and_goes_on_when_it_is_well(house: House) -> None:
    house.add("python", "shop", call="tests.receivers.taking:take")
    house.gone(3)
    taking.raise_for(2)
    house.provide(lambda: house.row("shop").failures > 0)
    row = house.row("shop")
    assert (row.place, row.failures, row.try_at is not None) == (0, 1, True)
    assert row.error == "ValueError: number 2 is odd"
    taking.raise_for()
    house.provide(house.has_all("shop"))
    row = house.row("shop")
    assert (row.error, row.failures, row.try_at, sorted(taking.taken())) == (None, 0, None, [1, 2, 3])


def test_it_is_left_alone_twice_as_long_each_time_and_as_long_as_it_asked() -> None:
    assert [rest_of(NotTaken("no"), each) for each in range(4)] == [1, 2, 4, 8]
    assert rest_of(NotTaken("no"), 1_000) == MOST_S
    assert rest_of(NoRoom("It is full."), 1_000) == MOST_MENDED_S < MOST_S
    assert rest_of(BadSetting("There is no such module."), 1_000) == MOST_MENDED_S
    assert rest_of(NotTaken("no", 77.0), 2) == 77
    assert rest_of(NotTaken("no", 1.0), 3) == 8


def test_a_receiver_that_cannot_be_opened_is_reported_and_tried_again(house: House, tmp_path: Path) -> None:
    house.add("jsonlines", "lines", path=str(tmp_path / "no" / "lines.jsonl"))
    house.gone(2)
    house.provide(lambda: house.row("lines").error is not None)
    assert "folder has to exist" in (house.row("lines").error or "")
    (tmp_path / "no").mkdir()
    house.provide(house.has_all("lines"))
    assert len((tmp_path / "no" / "lines.jsonl").read_text().splitlines()) == 2


def test_what_is_refused_is_noted_until_a_newer_delivery_is_taken(house: House) -> None:
    house.add("python", "shop", call="tests.receivers.taking:take", tries=1)
    house.gone(4)
    taking.raise_for(2, 4)
    house.provide(house.has_all("shop"))
    number = house.row("shop").id
    with house.store.read() as tx:
        noted = [each for each, _ in rejected_deliveries.of(tx, number, 10)]
    assert [(each.resource, each.seq, each.url) for each in noted] == [
        (2, 2, "https://a.example/2"), (4, 4, "https://a.example/4"),
    ]  # fmt: skip
    assert noted[0].reason == "ValueError: number 2 is odd"
    assert house.row("shop").refused == 2
    with house.store.begin() as tx:
        stream.append(tx, [NewEvent(house.source, 4, house.run, Event.DELETED, "https://a.example/4")])
    house.provide(house.has_all("shop"))
    with house.store.read() as tx:
        assert [each.resource for each, _ in rejected_deliveries.of(tx, number, 10)] == [2]


@pytest.mark.parametrize("event", [Event.LINKS, Event.UNVISITED, Event.UNVISITED_CHANGED])
def test_what_says_nothing_of_a_document_is_no_newer_delivery_of_it(house: House, event: Event) -> None:
    """Delivered together with rejected events, and later by itself."""
    number = receivers_index(house)

    def acknowledged(place: int, refused: Sequence[int], *seen: tuple[int, Event]) -> int:
        known = {seq: RejectedDelivery(7, house.source, seq, house.run, int(each), "u", "") for seq, each in seen}
        outlet = SimpleNamespace(last_seq=0, said=lambda: [Refusal(seq, "no") for seq in refused], counted=dict)
        errand: Any = SimpleNamespace(outlet=outlet, seen=known, confirmed=0)
        with house.store.begin() as tx:
            ack.acknowledge(tx, receivers.named(tx, "index"), errand, place)
            return rejected_deliveries.count(tx, number)

    assert acknowledged(2, [1], (1, Event.CHANGED), (2, event)) == 1
    assert acknowledged(3, [], (3, event)) == 1
    assert acknowledged(5, [4], (4, Event.CHANGED), (5, Event.CHANGED)) == 0, "a newer one was taken"


def receivers_index(house: House) -> int:
    """The number of an index that delivers to nobody by itself."""
    with house.store.begin() as tx:
        found = receivers.index(tx) or receivers.add(tx, "index", "index", None, {}, 0)
    return int(found)


def test_what_is_named_late_is_found_by_its_number(house: House) -> None:
    first, _ = house.keep(2)
    house.add("python", "shop", call="tests.receivers.taking:Shop", runs=True)
    with house.store.begin() as tx:
        stream.append(tx, [NewEvent(house.source, first, house.run, Event.NEW)])
    house.provide(house.has_all("shop"))
    with house.store.begin() as tx:
        row = runs.get(tx, house.run)
        runs.advance(tx, row.id, row.state, state=RunState.SWEEPING)
        transitions.go_on(tx, runs.get(tx, house.run), state=RunState.DELIVERING)
    taking.say_late(Refusal(1, "no such shelf"))
    house.provide(house.has_all("shop"))
    assert [each.event for each in taking.taken().values()] == ["new", "finished"]
    with house.store.read() as tx:
        ((noted, _),) = rejected_deliveries.of(tx, house.row("shop").id, 10)
    assert (noted.resource, noted.url, noted.reason) == (first, "https://a.example/0", "no such shelf")
    assert (noted.run, noted.event) == (0, 0), "nobody knows any more"


@pytest.mark.parametrize(("changed", "event"), [("new", Event.NEW), ("content", Event.CHANGED)])
def test_a_late_rejection_is_matched_with_its_run_and_event(house: House, changed: str, event: Event) -> None:
    first, second = house.keep(2)
    with house.store.begin() as tx:
        at = tx.rows(sa.select(content.c.changed_at).where(content.c.id == first))[0][0]
        older, newer = (visits.VisitRow(first, run, when, 1, 200, 4, b"", changed, None)
                        for run, when in ((6, at - 1), (7, at)))  # fmt: skip
        visits.write(tx, [older, newer])
        tx.execute(sa.update(content).where(content.c.id == second).values(seq=0))
        assert rejected_deliveries.numbered(tx, [1]) == {
            1: RejectedDelivery(first, house.source, 1, 7, event, "https://a.example/0", "")
        }
        tx.execute(sa.update(content).values(seq=90))
        deleted = NewEvent(house.source, 99, 8, Event.DELETED, "https://a.example/gone")
        stream.append(
            tx, [NewEvent(house.source, second, 0, Event.FOUND), deleted, NewEvent(house.source, 0, 8, Event.FAILED)]
        )
        assert rejected_deliveries.numbered(tx, [1, 2, 3]) == {
            1: RejectedDelivery(second, house.source, 1, 0, Event.FOUND, "https://a.example/1", ""),
            2: RejectedDelivery(99, house.source, 2, 8, Event.DELETED, "https://a.example/gone", ""),
        }


def test_a_receiver_may_end_a_run_and_no_other_s(house: House) -> None:
    with house.store.begin() as tx:
        other = sources.add(tx, "web", "other", {})
        theirs = runs.request(tx, other, "{}", Refresh.ALL, force=False)
        receivers.add(tx, "python", "shop", house.source, {"call": "tests.receivers.taking:Shop", "runs": True}, 0)
    taking.say_late(Stop(theirs, "not mine"), Stop(house.run, "enough\0"))
    with house.store.begin() as tx:
        stream.append(tx, [NewEvent(house.source, 0, house.run, Event.FINISHED)])
    house.provide(lambda: 2 in taking.taken())
    with house.store.read() as tx:
        mine, other_run = runs.get(tx, house.run), runs.get(tx, theirs)
    assert (mine.state, other_run.state) == (RunState.STOPPED, RunState.WAITING)
    assert mine.reason == "The receiver 'shop' stopped it: enough"
    assert taking.taken()[2].event == "stopped"


@pytest.mark.parametrize("state", [RunState.DISCOVERING, RunState.DELIVERING, RunState.STOPPED, RunState.FAILED])
@pytest.mark.parametrize(("mode", "events"), [(Mode.ACCEPT, 1), (Mode.EXAMINE, 1), (Mode.TEST, 0)])
def test_a_test_run_appends_no_events_of_runs(house: House, state: RunState, mode: Mode, events: int) -> None:
    house.add("python", "shop", call="tests.receivers.taking:Shop", runs=True)
    with house.store.begin() as tx:
        runs.change(tx, house.run, mode=mode, state=state)
        transitions.announce(tx, runs.get(tx, house.run))
    assert house.head() == events


def test_at_the_end_means_when_the_run_has_found_everything(house: House) -> None:
    house.add("python", "shop", call="tests.receivers.taking:take", when="end")
    house.add("python", "other", call="tests.receivers.taking:Shop")
    house.gone(3)
    house.provide(lambda: house.row("other").place == 3)
    assert house.row("shop").place == 0
    with house.store.begin() as tx:
        row = runs.get(tx, house.run)
        transitions.go_on(tx, row, state=RunState.DELIVERING)
    taking.forget()
    house.provide(house.has_all("shop"))
    assert taking.calls() == [[1, 2, 3]]


@pytest.mark.parametrize("event", Event)
@pytest.mark.parametrize("delta", [True, False])
@pytest.mark.parametrize("wants_runs", [True, False])
def test_which_events_a_receiver_gets(event: Event, delta: bool, wants_runs: bool) -> None:
    settings = receiver_settings("python", {"call": "a:b", "delta": delta, "runs": wants_runs})
    of_run = event in (Event.STARTED, Event.FINISHED, Event.STOPPED, Event.FAILED)
    gone = event in (Event.DELETED, Event.UNVISITED_DELETED, Event.WITHDRAWN)
    unvisited = event in (Event.UNVISITED, Event.UNVISITED_CHANGED)
    wanted = event is not Event.LINKS and (wants_runs if of_run else delta or not (gone or unvisited))
    assert is_for(event, settings) == wanted


def test_one_whose_file_another_one_writes_fails_and_is_not_waited_for_as_one_that_cannot_be_made(
    house: House, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        house.add("jsonlines", name, path=str(tmp_path / "lines"))
    house.gone(1)

    def failing() -> list[ReceiverRow]:
        return [row for row in map(house.row, ("first", "second")) if row.error]

    house.provide(lambda: len(failing()) == 1 and any(house.has_all(name)() for name in ("first", "second")))
    (late,) = failing()
    assert (late.unmade, "or another receiver does" in (late.error or "")) == (False, True)


def test_everything_is_sent_again_to_the_one_that_asked(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "CHUNK", 40)
    known = house.keep(150)
    house.add("python", "shop", call="tests.receivers.taking:take", delta=False)
    house.add("python", "other", call="tests.receivers.taking:Shop")
    order(house, Replay(None, -1, known[-1], faulty=False))
    house.gone(1)
    house.provide(lambda: house.row("shop").place > 60)  # and the process ends in between
    house.provide(house.has_all("shop", "other"))
    resent = [each for each in taking.taken().values() if each.event == "found"]
    assert sorted(each.url for each in resent) == sorted(pages(150))
    assert all(each.text == f"text of {each.url}" and each.document for each in resent)
    assert [each.event for each in taking.taken().values() if each.event != "found"] == ["deleted"]
    assert len(taking.taken()) == sum(map(len, taking.calls())) == 151, "no other receiver got them"


def test_each_record_names_the_one_before_whatever_numbers_lie_between(house: House, tmp_path: Path) -> None:
    """Links and events for other receivers have numbers, too; and each time another process delivers."""
    known, file = house.keep(9), tmp_path / "lines.jsonl"
    house.add("jsonlines", "lines", path=str(file))
    house.add("python", "shop", call="tests.receivers.taking:take", delta=False)
    for number in known:
        with house.store.begin() as tx:
            stream.append(tx, [NewEvent(house.source, number, house.run, Event.LINKS) for _ in range(number)])
            stream.append(tx, [NewEvent(house.source, number, house.run, Event.NEW)])
            stream.append(tx, [NewEvent(house.source, number, 0, Event.FOUND, receiver=house.row("shop").id)])
        if number % 3 == 0:
            house.provide(house.has_all("lines", "shop"))
    order(house, Replay(None, -1, known[-1], faulty=False))
    house.provide(house.has_all("lines", "shop"))
    lines = [json.loads(each) for each in file.read_text().splitlines()]
    records = [(each["seq"], each.get("previous_seq", 0)) for each in lines]
    numbers = [(each.seq, each.previous_seq) for each in taking.taken().values()]
    for chain, count in ((records, 9), (sorted(numbers), 27)):
        assert [before for _, before in chain] == [0, *(seq for seq, _ in chain[:-1])]
        assert len(chain) == count
    assert house.row("lines").last_seq == records[-1][0] < house.row("lines").place


def order(house: House, wanted: Replay) -> None:
    with house.store.begin() as tx:
        receivers.set_resend(tx, receivers.named(tx, "shop").id, wanted)


def test_what_it_could_not_take_is_sent_again(house: House) -> None:
    known = house.keep(3)
    house.add("python", "shop", call="tests.receivers.taking:take", tries=1)
    with house.store.begin() as tx:
        stream.append(tx, [NewEvent(house.source, each, house.run, Event.NEW) for each in known])
        stream.append(tx, [NewEvent(house.source, 99, house.run, Event.DELETED, "https://a.example/gone")])
    taking.raise_for(2, 4)
    house.provide(house.has_all("shop"))
    assert sorted(taking.taken()) == [1, 3]
    taking.raise_for()
    order(house, Replay(None, -1, 2**62, faulty=True))
    house.provide(house.has_all("shop"))
    again = [taking.taken()[seq] for seq in (5, 6)]
    assert [(each.event, each.url) for each in again] == [
        ("found", "https://a.example/1"), ("deleted", "https://a.example/gone"),
    ]  # fmt: skip
    with house.store.read() as tx:
        assert rejected_deliveries.count(tx, house.row("shop").id) == 0


def test_a_resend_repeats_a_failed_deletion(house: House) -> None:
    known = house.keep(2)
    house.add("python", "shop", call="tests.receivers.taking:take", tries=1)
    with house.store.begin() as tx:
        first = stream.append(tx, [NewEvent(house.source, known[0], house.run, Event.DELETED, "https://a.example/0")])
        pending_deletes.leave(tx, [(known[0], first)])
    taking.raise_for(first)
    house.provide(house.has_all("shop"))
    assert not taking.taken()
    taking.raise_for()
    order(house, Replay(None, -1, 2**62, faulty=True))
    house.provide(house.has_all("shop"))
    assert [(each.event, each.url) for each in taking.taken().values()] == [("deleted", "https://a.example/0")]


def test_an_index_that_is_lent_is_let_go_of_and_then_goes_on(house: House, tmp_path: Path) -> None:
    house.add("jsonlines", "lines", path=str(tmp_path / "lines"))
    house.add(receivers.INDEX, "index")
    beside = house.connect

    def connect(row: ReceiverRow) -> Sink:
        if row.kind != receivers.INDEX:
            return beside(row)
        return IndexSink(folder.open_writer(tmp_path / "index"), house.shelf, house.store, row.place)

    def story() -> Iterator[None]:
        house.gone(3)
        while house.row("index").place < 3:
            yield
        with house.store.begin() as tx:
            until = receivers.lend(tx)
        assert until is not None
        while not (writer := opened()):
            yield
        house.gone(2)
        while house.row("lines").place < 5:
            yield
        assert (house.row("index").place, house.row("index").error) == (3, None)
        writer.close()
        with house.store.begin() as tx:
            receivers.take_back(tx, until)
        while house.row("index").place < 5:
            yield

    def opened() -> EmbeddedWriter | None:
        with suppress(ConflictError):
            return folder.open_writer(tmp_path / "index")
        return None

    house.connect = connect  # type: ignore[method-assign]
    steps = story()
    house.provide(lambda: next(steps, steps) is steps)
    with house.store.read() as tx:
        assert stream.after(tx, 0, 1) == []
