"""Discovery of a source that reports changes and removals, on every store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.crawl.discover.discovery import Intake, ListingResult
from cormorant.crawl.finish import sweep
from cormorant.crawl.run import approval
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import writes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, UrlState
from cormorant.model.run import Counters, Refresh, RunState
from cormorant.receivers import stream
from cormorant.receivers.stream import Event
from cormorant.sources.protocol import Discovery
from cormorant.sources.web.source import WebSource
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs, visits
from cormorant.store.schema import content, resource
from tests.crawl.samples import web_source
from tests.frontier.samples import a_content, numbers, pages

ONE, TWO, THREE = pages(3)


class Feed(WebSource):
    """A source that reports given batches of changes and removals."""

    discovery = Discovery.FEED

    def __init__(self, *batches: Sequence[DiscoveredUrl | Removal], closed: Sequence[str] = ()) -> None:
        web = web_source()
        super().__init__(1, web.settings, None, web._clock)
        self._batches, self.closed = batches, closed

    def discover(self, cursor: str) -> Iterator[Sequence[DiscoveredUrl | Removal]]:
        """Tell them."""
        self.next_cursor = f"{cursor}+"
        yield from self._batches


def fed(address: str, version: str = "1") -> DiscoveredUrl:
    return DiscoveredUrl(address, "a.example", how=DiscoveredBy.LISTING, validator=version)


@pytest.fixture
def number(store: Store) -> int:
    """The number of a source."""
    with store.begin() as tx:
        return sources.add(tx, "web", "feed", {})


def taken_in(
    store: Store, source: int, *batches: Sequence[DiscoveredUrl | Removal], closed: Sequence[str] = ()
) -> tuple[int, Counters]:
    """Carry out the discovery of a run; returns its number and what was counted."""
    with store.begin() as tx:
        generation = sources.next_generation(tx, source)
        run = runs.request(tx, source, "{}", Refresh.ALL, force=False)
        runs.change(tx, run, generation=generation)
        row = runs.get(tx, run)
    listed = asyncio.run(Intake(store, Feed(*batches, closed=closed), row).take_in())
    assert listed._replace(cursor="") == ListingResult(False, [], "")
    with store.read() as tx:
        return run, runs.counted_by(tx, run, runs.ITSELF)


def kept(store: Store, source: int, *addresses: str) -> None:
    """Take these in, and let every one be a document that search may find."""
    taken_in(store, source, [fed(each) for each in addresses])
    with store.begin() as tx:
        writes.contents(tx, [a_content(each, source) for each in numbers(tx).values()])
        values = {"state": int(UrlState.SETTLED), "outcome": int(OutcomeKind.OK), "status": 200, "visited_at": 1.0}
        tx.execute(sa.update(resource).values(values))


def rows(store: Store) -> dict[str, Any]:
    with store.read() as tx:
        return {row.address: row for row in tx.rows(sa.select(resource))}


def run_of(store: Store, number: int) -> runs.RunRow:
    with store.read() as tx:
        return runs.get(tx, number)


def test_a_removal_hides_at_once_and_deletes_when_the_run_settles(store: Store, number: int) -> None:
    kept(store, number, ONE, TWO)
    run, counters = taken_in(store, number, [Removal(ONE), Removal("https://a.example/never")])
    assert counters == Counters(gone=1)
    gone = rows(store)[ONE]
    assert (gone.state, gone.outcome, gone.status, gone.run) == (UrlState.SETTLED, OutcomeKind.GONE, 410, run)
    assert gone.reason == pending_deletes.REMOVED
    with store.read() as tx:
        assert pending_deletes.everything(tx) == {gone.id}
        assert [(each.outcome, each.status, each.changed) for each in visits.of(tx, gone.id)] == [(4, 410, "outcome")]
        assert not stream.after(tx, 0, 10), "no receiver gets an event before the deletion guard has decided"
    assert not approval.hold(store, run_of(store, run))
    assert sweep.settle(store, run_of(store, run)) == 1
    with store.read() as tx:
        assert [(each.resource, each.event) for each in stream.after(tx, 0, 10)] == [(gone.id, Event.DELETED)]
        assert [row.id for row in tx.rows(sa.select(content.c.id).where(content.c.indexed))] == [numbers(tx)[TWO]]
    assert rows(store).keys() == {TWO}, "as after a 410, the row goes with the document"


@pytest.mark.parametrize(("status", "held"), [(1021, True), (200, False)])
def test_a_source_whose_server_is_away_is_not_emptied_slice_by_slice(
    store: Store, number: int, status: int, held: bool
) -> None:
    kept(store, number, *pages(10))
    run, _ = taken_in(store, number, [])
    with store.begin() as tx:
        runs.change(tx, run, state=RunState.SWEEPING)
        tx.execute(sa.update(resource).values(status=status))
        last = numbers(tx)[ONE]
        tx.execute(sa.update(resource).where(resource.c.id == last).values(status=1024))
        pending_deletes.hide(tx, [(last, number, run)])
    assert approval.hold(store, run_of(store, run)) == held
    with store.read() as tx:
        assert pending_deletes.everything(tx) == (set() if held else {last})
        assert ("9 more did not answer" in (runs.get(tx, run).reason or "")) == held


def test_removals_below_the_brake_only(store: Store, number: int) -> None:
    kept(store, number, *pages(10))
    run, counters = taken_in(store, number, [Removal(each) for each in pages(9)])
    assert counters.gone == 9
    assert approval.hold(store, run_of(store, run))
    with store.read() as tx:
        assert not pending_deletes.everything(tx)
    run, counters = taken_in(store, number, [Removal(ONE)])
    assert counters.gone == 1, "refused, and said once more"
    with store.read() as tx:
        assert len(pending_deletes.everything(tx)) == 1


def test_a_removal_reported_twice_counts_once(store: Store, number: int) -> None:
    kept(store, number, ONE, TWO)
    run, counters = taken_in(store, number, [Removal(ONE)], [Removal(ONE)])
    assert counters.gone == 1
    sweep.settle(store, run_of(store, run))
    assert taken_in(store, number, [Removal(ONE)])[1].gone == 0


def test_what_was_never_visited_need_not_be(store: Store, number: int) -> None:
    taken_in(store, number, [fed(ONE), fed(TWO)], [Removal(ONE)])
    assert {address: row.state for address, row in rows(store).items()} == {ONE: UrlState.SETTLED, TWO: UrlState.READY}


@pytest.mark.parametrize("together", [True, False])
def test_the_last_word_on_an_address_counts(store: Store, number: int, together: bool) -> None:
    kept(store, number, ONE, TWO)
    reported: list[DiscoveredUrl | Removal] = [Removal(ONE), fed(ONE), fed(TWO), Removal(TWO)]
    taken_in(store, number, *([reported] if together else [[each] for each in reported]))
    found = rows(store)
    assert (found[TWO].state, found[TWO].status) == (UrlState.SETTLED, 410)
    assert found[ONE].state == (UrlState.SETTLED if together else UrlState.READY), (
        "the same version, unless it was removed"
    )
    with store.read() as tx:
        assert found[TWO].id in pending_deletes.everything(tx)


def test_what_a_feed_names_with_another_version_is_visited_again(store: Store, number: int) -> None:
    kept(store, number, ONE, TWO)
    _, counters = taken_in(store, number, [fed(ONE, "2"), fed(TWO), fed(THREE)])
    assert (counters.discovered, counters.unchanged, counters.gone) == (1, 1, 0)
    assert {address: row.state for address, row in rows(store).items()} == {
        ONE: UrlState.READY, TWO: UrlState.SETTLED, THREE: UrlState.READY,
    }  # fmt: skip


def test_what_is_known_where_a_source_may_not_enter_is_visited(
    store: Store, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much that is, and whatever waits already waits on."""
    below, beside, waiting = f"{ONE}/below", f"{ONE}beside", f"{ONE}/waiting"
    kept(store, number, ONE, TWO, below, beside, waiting)
    with store.begin() as tx:
        late = {"state": int(UrlState.READY), "not_before": 9e12}
        tx.execute(sa.update(resource).where(resource.c.address == waiting).values(late))
    monkeypatch.setattr(sweep, "CHUNK", 2)
    taken_in(store, number, [fed(TWO)], closed=(ONE,))
    assert {address for address, row in rows(store).items() if row.state == UrlState.READY} == {ONE, below, waiting}
    assert rows(store)[waiting].not_before == 9e12


def handed_in(store: Store, source: int, kind: type[Feed], refresh: Refresh, *, force: bool) -> str:
    """The arguments that a run passes to its source."""
    with store.begin() as tx:
        run = runs.request(tx, source, "{}", refresh, force=force)
        row = runs.get(tx, run)
    return asyncio.run(Intake(store, kind(), row).take_in()).cursor


class Listing(Feed):
    """One that names all there is."""

    discovery = Discovery.LISTING


@pytest.mark.parametrize(("kind", "from_scratch"), [(Feed, "+"), (Listing, "page 7+")])
def test_only_a_listing_source_gets_its_cursor_in_a_crawl_from_scratch(
    store: Store, number: int, kind: type[Feed], from_scratch: str
) -> None:
    with store.begin() as tx:
        sources.set_cursor(tx, number, "page 7")
    assert handed_in(store, number, kind, Refresh.ALL, force=False) == "page 7+"
    assert handed_in(store, number, kind, Refresh.SCRATCH, force=False) == from_scratch
    assert handed_in(store, number, kind, Refresh.SCRATCH, force=True) == "+"
    assert handed_in(store, number, kind, Refresh.ALL, force=True) == "+"


@pytest.mark.parametrize(
    ("asked", "state", "kept"),
    [
        (None, RunState.DELIVERING, "page 8"),
        (runs.ACCEPT, RunState.DELIVERING, "page 8"),
        (runs.REFUSE, RunState.DELIVERING, "page 7"),
        (None, RunState.STOPPED, "page 7"),
    ],
)
def test_how_far_a_source_was_read_counts_once_its_run_has_come_to_its_end(
    store: Store, number: int, asked: str | None, state: RunState, kept: str
) -> None:
    with store.begin() as tx:
        sources.set_cursor(tx, number, "page 7")
        run = runs.request(tx, number, "{}", Refresh.ALL, force=False)
        runs.change(tx, run, state=state, asked=asked, cursor="page 8")
        row = runs.get(tx, run)
    asyncio.run(
        approval.finish(store, replace(row, state=RunState.DELIVERING), 1.0, None)
    )  # what its conductor knew of it last
    with store.read() as tx:
        found = sources.numbered(tx, number)
    assert found is not None
    assert found.cursor == kept
