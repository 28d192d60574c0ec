"""Entries that the index gets for an event, and its commits: each commit is a segment, and many are merged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar, NamedTuple

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError
from cormorant.crawl.deliver.payload import Payload, PayloadLoader
from cormorant.crawl.deliver.sinks import (
    COMMIT_BYTES,
    COMMIT_DOCUMENTS,
    COMMIT_S,
    LARGE,
    QUIET_S,
    IndexSink,
    ReceiverSink,
    document_record,
)
from cormorant.frontier.links.link_score import AnchorSummary
from cormorant.model.acl import ANYONE
from cormorant.model.run import Counters
from cormorant.receivers.protocol import DAMAGED, Delivery, NotTaken, ReceiverSettings, RecordSettings, Refusal
from cormorant.receivers.stream import Event, Numbered
from cormorant.search.index.memory import MemoryIndex
from cormorant.search.index.query import Everything, Search
from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.record import Frame
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db.database import Store


class Row(NamedTuple):
    """The parts of an entry."""

    id: int
    source: str
    url: str
    title: str
    mime: str
    language: str
    size_bytes: int
    modified_at: float | None
    fetched_at: float | None
    content_hash: bytes
    depth: int
    indexed: bool


def unread(folder: Path) -> Store:
    """A store that nothing is looked up in."""
    return Store.open(f"sqlite:///{folder / 'unread.db'}", SystemClock())


class Silent:
    """A receiver that opens and closes."""

    kind: ClassVar[str] = "silent"
    settings = ReceiverSettings()

    def open(self) -> None: ...

    def close(self) -> None: ...


class Stream:
    """Events for an outlet, and the place it has confirmed after each."""

    def __init__(self, folder: Path) -> None:
        shelf = PayloadLoader(LocalCache(folder, SystemClock()), ACLNumbers())
        self.outlet = IndexSink(MemoryIndex().writer(), shelf, unread(folder), 0)
        self._numbers = count(1)

    def tell(self, events: int, now: float) -> int:
        found = [self._found(next(self._numbers)) for _ in range(events)]
        return self.outlet.receive(found, found[-1].event.seq if found else self.outlet.place, now)

    @staticmethod
    def _found(number: int) -> Payload:
        return Payload(Numbered(number, 1, number, 1, Event.DELETED, "http://a.test/"), None, None)


@pytest.fixture
def stream(tmp_path: Path) -> Stream:
    return Stream(tmp_path)


def test_events_for_others_alone_are_passed(stream: Stream) -> None:
    """A run waits until the index has come to the end of the stream, and these may be all that is there."""
    assert stream.outlet.receive([], 59, 100.0) == 59
    assert stream.tell(0, 100.1) == 59
    assert stream.outlet.receive([], 70, 100.2) == 59, "not at every look"
    assert stream.outlet.receive([], 70, 101.0) == 70


def test_a_crawl_that_pauses_for_a_moment_after_each_batch_is_not_committed_batch_by_batch(stream: Stream) -> None:
    now = 100.0
    for _ in range(5):
        assert stream.tell(10, now) == 0
        assert stream.tell(0, now + QUIET_S * 0.9) == 0
        now += QUIET_S * 0.9 + 0.01
    assert stream.tell(0, now + QUIET_S) == 50


def test_what_comes_slowly_but_without_end_is_committed_by_time(stream: Stream) -> None:
    moments = [100.0 + 0.4 * each for each in range(20)]
    committed = next(now for now in moments if stream.tell(1, now))
    assert COMMIT_S < committed - moments[0] <= COMMIT_S + 0.4


def test_a_full_segment_is_committed_at_once(stream: Stream) -> None:
    assert stream.tell(COMMIT_DOCUMENTS - 1, 100.0) == 0
    assert stream.tell(1, 100.0) == COMMIT_DOCUMENTS


def test_nothing_is_committed_when_nothing_came(stream: Stream) -> None:
    assert stream.tell(3, 100.0) == 0
    assert stream.tell(0, 101.0) == 3
    assert [stream.tell(0, 101.0 + each) for each in range(1, 20)] == [3] * 19


def event(number: int, resource: int, kind: Event) -> Numbered:
    return Numbered(number, 1, resource, 1, kind, None)


ROW = Row(1, "docs", "http://a.test/", "Title", "", "", 0, None, None, b"", 0, indexed=True)


def a_frame(text: str) -> Frame:
    return Frame("", "", "", "", b"", b"", text, "Title", "", "", None, {})


FRAME = a_frame("the text")
SAID = AnchorSummary(("tide tables",), 0.3)
PUBLIC = (("everyone",), ())


def held_by(index: MemoryIndex) -> dict[int, tuple[tuple[str, ...], float]]:
    """Anchor texts and link score of each document in the index."""
    reader = index.reader()
    hits = reader.search(Search(Everything(), ANYONE, limit=100)).hits
    return {hit.id: (hit.entry.anchors, hit.entry.link_score) for hit in hits}


@pytest.fixture
def index() -> MemoryIndex:
    return MemoryIndex()


@pytest.fixture
def outlet(index: MemoryIndex, tmp_path: Path) -> IndexSink:
    shelf = PayloadLoader(LocalCache(tmp_path, SystemClock()), ACLNumbers())
    return IndexSink(index.writer(), shelf, unread(tmp_path), 0)


def deliver(outlet: IndexSink, *found: Payload) -> Counters:
    """Hand events over and have them committed; returns what was counted."""
    outlet.receive(found, found[-1].event.seq, 100.0)
    outlet.receive((), found[-1].event.seq, 200.0)
    return dict(outlet.counted())[1]


def test_a_document_brings_what_links_say_of_it(index: MemoryIndex, outlet: IndexSink) -> None:
    counted = deliver(outlet, Payload(event(1, 1, Event.NEW), ROW, FRAME, PUBLIC, SAID))
    assert held_by(index) == {1: SAID}
    assert (counted.index_writes, counted.index_link_updates) == (1, 0)


def test_links_alone_are_updated_and_counted_apart(index: MemoryIndex, outlet: IndexSink) -> None:
    deliver(outlet, Payload(event(1, 1, Event.NEW), ROW, FRAME, PUBLIC))
    assert held_by(index) == {1: ((), 0.0)}
    counted = deliver(outlet, Payload(event(2, 1, Event.LINKS), None, None, said=SAID))
    assert held_by(index) == {1: SAID}
    assert (counted.index_writes, counted.index_deletes, counted.index_link_updates) == (0, 0, 1)
    assert counted.indexed == 0


@pytest.mark.parametrize("kinds", [(Event.CHANGED, Event.LINKS), (Event.LINKS, Event.CHANGED)])
def test_of_a_change_and_its_links_the_change_is_applied(
    kinds: tuple[Event, Event], index: MemoryIndex, outlet: IndexSink
) -> None:
    found = {
        Event.CHANGED: Payload(event(1, 1, Event.CHANGED), ROW, FRAME, PUBLIC, SAID),
        Event.LINKS: Payload(event(1, 1, Event.LINKS), None, None, said=SAID),
    }
    batch = [found[kind]._replace(event=event(number, 1, kind)) for number, kind in enumerate(kinds, 1)]
    counted = deliver(outlet, *batch)
    assert held_by(index) == {1: SAID}
    assert (counted.index_writes, counted.index_link_updates) == (1, 0)


@pytest.mark.parametrize(("kind", "deleted"), [(Event.DELETED, 1), (Event.UNVISITED_DELETED, 1), (Event.WITHDRAWN, 0)])
def test_only_documents_from_before_the_run_count_as_deleted(
    kind: Event, deleted: int, index: MemoryIndex, outlet: IndexSink
) -> None:
    deliver(outlet, Payload(event(1, 1, Event.NEW), ROW, FRAME, PUBLIC))
    counted = deliver(outlet, Payload(event(2, 1, kind), None, None))
    assert (held_by(index), counted.index_deletes, counted.deleted) == ({}, 1, deleted)


def test_links_to_what_is_deleted_bring_nothing_back(index: MemoryIndex, outlet: IndexSink) -> None:
    deliver(outlet, Payload(event(1, 1, Event.NEW), ROW, FRAME, PUBLIC))
    gone = Payload(event(3, 1, Event.DELETED), None, None)
    counted = deliver(outlet, Payload(event(2, 1, Event.LINKS), None, None, said=SAID), gone)
    assert (held_by(index), counted.index_deletes) == ({}, 1)
    deliver(outlet, Payload(event(4, 1, Event.LINKS), None, None, said=SAID))
    assert held_by(index) == {}


def test_what_links_say_of_long_documents_is_committed_by_their_size(index: MemoryIndex, outlet: IndexSink) -> None:
    many = 20
    long = a_frame("x" * (COMMIT_BYTES // many + 1))
    for number in range(1, many + 1):
        deliver(outlet, Payload(event(number, number, Event.NEW), ROW._replace(id=number), long, PUBLIC))
    links = [Payload(event(many + n, n, Event.LINKS), None, None, said=SAID) for n in range(1, many + 1)]
    assert outlet.receive(links[:-1], 2 * many - 1, 300.0) == many
    assert outlet.receive(links[-1:], 2 * many, 300.0) == 2 * many


def test_what_the_index_has_stays_when_its_copy_is_damaged(index: MemoryIndex, outlet: IndexSink) -> None:
    deliver(outlet, Payload(event(1, 1, Event.NEW), ROW, FRAME, PUBLIC))
    counted = deliver(outlet, Payload(event(2, 1, Event.CHANGED), ROW, None, PUBLIC, SAID))
    assert held_by(index) == {1: SAID}
    assert (counted.index_writes, counted.index_deletes, counted.index_damaged) == (0, 0, 1)
    assert outlet.said() == [Refusal(2, DAMAGED)]
    assert outlet.said() == []


@pytest.mark.parametrize("rights", [(("group:staff",), ()), (("everyone",), ("everyone",)), ((), ())])
def test_whoever_may_not_read_it_any_more_does_not_find_it_though_its_copy_is_damaged(
    rights: tuple[tuple[str, ...], tuple[str, ...]], index: MemoryIndex, outlet: IndexSink
) -> None:
    deliver(outlet, Payload(event(1, 1, Event.NEW), ROW, FRAME, PUBLIC))
    deliver(outlet, Payload(event(2, 1, Event.ACCESS), ROW, None, rights))
    assert held_by(index) == {}
    assert index.reader().count() == 1


def test_one_that_is_to_be_left_out_goes_though_its_copy_is_damaged(index: MemoryIndex, outlet: IndexSink) -> None:
    deliver(outlet, Payload(event(1, 1, Event.NEW), ROW, FRAME, PUBLIC))
    counted = deliver(outlet, Payload(event(2, 1, Event.CHANGED), ROW._replace(indexed=False), None, PUBLIC))
    assert (held_by(index), counted.index_deletes, counted.index_damaged) == ({}, 1, 0)


@pytest.mark.parametrize("at", ["open", "receive", "receive late", "close"])
def test_whatever_a_receiver_raises_is_a_fault_of_its_own(at: str, tmp_path: Path) -> None:
    class Faulty(Silent):
        def open(self) -> None:
            assert at != "open", "out of order"

        def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal]:
            if at == "receive late":
                return (each for each in [1 // 0])  # type: ignore[return-value]
            return [Refusal(1, str(1 // 0))] if at == "receive" else ()

        def close(self) -> None:
            assert at != "close", "out of order"

    def work() -> None:
        outlet = ReceiverSink(Faulty(), PayloadLoader(LocalCache(tmp_path, SystemClock()), ACLNumbers()), 0)
        assert outlet.receive([Stream._found(1)], 1, 0.0) == 1
        outlet.close()

    if at == "close":
        work()
    else:
        with pytest.raises(CormorantError, match="A fault of this program or a plug-in"):
            work()


@pytest.mark.parametrize(("shown", "fetched", "given_url"), [
    ("https://a.example/x?pin_a=***", "https://a.example/x?pin_a=7", "https://a.example/x?pin_a=***"),
    ("https://a.example/x?token=7", "https://a.example/x?token=7", "https://a.example/x?token=7"),
    ("https://a.example/x", "https://b.example/x?token=7&n=1", "https://b.example/x?token=***&n=1"),
    ("https://a.example/x", "https://b.example/x", "https://b.example/x"),
])  # fmt: skip
def test_no_secret_of_an_address_is_delivered(shown: str, fetched: str, given_url: str) -> None:
    row = SimpleNamespace(
        source="web", url=shown, address=fetched, status=200, title="A", mime="text/html", language="en", size_bytes=1,
        depth=1, referrer="https://a.example/?sig=8", content_hash=b"", fetched_at=None, changed_at=None, indexed=True,
        attempts=0,
    )  # fmt: skip
    record = document_record(row)
    assert (record["access_url"], record["referrer"]) == (given_url, "https://a.example/?sig=***")


def test_other_receivers_get_no_links(tmp_path: Path) -> None:
    numbers = list[int]()

    class Recording(Silent):
        def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal]:
            numbers.extend(each.seq for each in batch)
            return ()

    shelf = PayloadLoader(LocalCache(tmp_path, SystemClock()), ACLNumbers())
    outlet = ReceiverSink(Recording(), shelf, 0)
    links = Payload(event(1, 1, Event.LINKS), None, None)
    assert outlet.receive([links], 1, 0.0) == 1
    assert outlet.receive([links._replace(event=event(2, 1, Event.LINKS)), Stream._found(3)], 3, 0.0) == 3
    assert numbers == [3]


class Taking(Silent):
    """A receiver that keeps its deliveries."""

    def __init__(self, settings: ReceiverSettings) -> None:
        self.settings = settings
        self.got: list[Delivery] = []

    def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal]:
        self.got += batch
        return ()


class Ruling(ReceiverSettings):
    """Settings of a kind that gets the access rights of documents."""

    RIGHTS: ClassVar[bool] = True


@pytest.mark.parametrize(
    ("settings", "given"),
    [(RecordSettings(), [(1, False)]), (ReceiverSettings(delta=False), [(1, False)]),
     (Ruling(), [(1, False), (2, True), (3, True)])],
)  # fmt: skip
def test_a_damaged_copy_is_named_and_not_delivered_as_empty(
    settings: ReceiverSettings, given: list[tuple[int, bool]], tmp_path: Path
) -> None:
    taking = Taking(settings)
    outlet = ReceiverSink(taking, PayloadLoader(LocalCache(tmp_path, SystemClock()), ACLNumbers()), 0)
    row = SimpleNamespace(
        id=7, source="docs", url="https://a.example/x", address="https://a.example/x", status=200, title="A",
        mime="text/plain", language="en", size_bytes=1, depth=1, referrer=None, content_hash=b"", fetched_at=None,
        changed_at=None, indexed=True, attempts=0,
    )  # fmt: skip
    whole = Payload(event(1, 8, Event.NEW), row, Frame(row.url, row.url, row.mime, "", b"", b"", "says"))
    lost = [Payload(event(number, 7, Event.FOUND), row, None) for number in (2, 3)]
    left = Payload(event(4, 7, Event.NEW), SimpleNamespace(**vars(row) | {"indexed": False}), None)
    assert outlet.receive([whole, *lost, left], 4, 0.0) == 4
    assert [(each.seq, each.damaged) for each in taking.got] == given
    named = [] if isinstance(settings, Ruling) else [Refusal(2, DAMAGED), Refusal(3, DAMAGED)]
    assert outlet.said() == named


def test_what_is_damaged_is_named_once_though_the_batch_comes_again(tmp_path: Path) -> None:
    class Late(Taking):
        def receive(self, batch: Sequence[Delivery]) -> Sequence[Refusal]:
            if not self.got:
                self.got += batch
                raise NotTaken("Later.")
            return super().receive(batch)

    outlet = ReceiverSink(Late(RecordSettings()), PayloadLoader(LocalCache(tmp_path, SystemClock()), ACLNumbers()), 0)
    batch = [Stream._found(1), Payload(event(2, 7, Event.FOUND), SimpleNamespace(indexed=True), None)]
    with pytest.raises(NotTaken):
        outlet.receive(batch, 2, 0.0)
    assert (outlet.said(), outlet.receive(batch, 2, 0.0), outlet.said()) == ([], 2, [Refusal(2, DAMAGED)])


def given(folder: Path, settings: ReceiverSettings, mime: str, body: bytes, charset: str = "") -> Delivery:
    """The delivery of a document to a receiver."""
    taking = Taking(settings)
    outlet = ReceiverSink(taking, PayloadLoader(LocalCache(folder, SystemClock()), ACLNumbers()), 0)
    row = SimpleNamespace(
        id=7, source="docs", url="https://a.example/x", address="https://a.example/x", status=200, title="A", mime=mime,
        language="en", size_bytes=len(body), depth=1, referrer=None, content_hash=b"", fetched_at=None, changed_at=None,
        indexed=True, attempts=0,
    )  # fmt: skip
    frame = Frame(row.url, row.url, mime, "HTTP/1.1 200 OK", b"", body, "says", charset=charset)
    outlet.receive([Payload(event(1, 7, Event.NEW), row, frame)], 1, 0.0)
    return taking.got[0]


PAGE = "<p>Gänse \u03b1</p>"
LATIN = "<p>Gänse</p>"


@pytest.mark.parametrize(("mime", "body", "charset", "html"), [
    ("text/html", PAGE.encode(), "utf-8", PAGE),
    ("application/xhtml+xml", LATIN.encode("latin-1"), "windows-1252", LATIN),
    ("text/html", b"\xff\xfe" + PAGE.encode("utf-16-le"), "utf-16le", PAGE),
    ("text/html", PAGE.encode("utf-16-le"), "utf-8", PAGE),
    ("text/html", b"", "", ""),
    ("text/plain", LATIN.encode(), "utf-8", None),
    ("application/pdf", b"%PDF-1.7", "", None),
])  # fmt: skip
def test_the_html_of_a_record(mime: str, body: bytes, charset: str, html: str | None, tmp_path: Path) -> None:
    delivery = given(tmp_path, RecordSettings(), mime, body, charset)
    assert (delivery.html, delivery.text, delivery.reference) == (html, "says", None)
    for settings in (RecordSettings(html=False), ReceiverSettings()):
        assert given(tmp_path, settings, mime, body, charset).html is None


@pytest.mark.parametrize(("more", "carried"), [(0, True), (1, False)])
def test_large_html_is_referred_to(more: int, carried: bool, tmp_path: Path) -> None:
    delivery = given(tmp_path, RecordSettings(), "text/html", b"x" * (LARGE + more), "utf-8")
    assert (delivery.html is not None, delivery.text, delivery.reference) == (
        carried,
        "says",
        None if carried else "/cached/7",
    )
    assert given(tmp_path, RecordSettings(html=False), "text/html", b"x" * (LARGE + 1)).reference is None
