"""Documents that a listing names at another address move, on every store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from cormorant.crawl.commit import moved_files
from cormorant.crawl.discover.discovery import Intake
from cormorant.crawl.finish import sweep
from cormorant.frontier.links import codec
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import writes
from cormorant.model.content import PageLink
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, UrlState
from cormorant.model.run import Counters, Refresh
from cormorant.receivers import stream
from cormorant.receivers.stream import Event
from cormorant.sources.protocol import Discovery
from cormorant.sources.web.source import WebSource
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs, visits
from cormorant.store.schema import content, resource
from tests.crawl.samples import web_source
from tests.frontier.samples import a_content, numbers

HOME = "https://a.example"
A, B, C = (f"{HOME}/{name}/one" for name in "abc")


class Folder(WebSource):
    """A source that lists what it is given: addresses with their versions."""

    discovery = Discovery.LISTING

    def __init__(
        self, number: int, files: dict[str, str], unlisted: Sequence[str] = (), shown: Mapping[str, str] | None = None,
        *, tracks_moves: bool = True, rereads_moved: bool = False,
    ) -> None:  # fmt: skip
        web = web_source()
        super().__init__(number, web.settings, None, web._clock)
        self._files, self.unlisted, self._shown = files, unlisted, shown or {}
        self.tracks_moves, self.rereads_moved = tracks_moves, rereads_moved

    def discover(self, cursor: str) -> Iterator[Sequence[DiscoveredUrl | Removal]]:
        """List them, two at a time."""
        self.next_cursor = cursor
        every = [
            DiscoveredUrl(
                each,
                "a.example",
                how=DiscoveredBy.LISTING,
                validator=self._files[each],
                display=self._shown.get(each, ""),
            )
            for each in self._files
        ]
        yield from (every[start : start + 2] for start in range(0, len(every), 2))


@pytest.fixture
def number(store: Store) -> int:
    """The number of a source."""
    with store.begin() as tx:
        return sources.add(tx, "web", "folder", {})


def listed(store: Store, source: int, *files: str, **more: Any) -> tuple[int, Counters]:
    """Carry out the discovery of a run, files like `address version`; returns its number and what was counted."""
    with store.begin() as tx:
        force = more.pop("force", False)
        generation = sources.next_generation(tx, source)
        run = runs.request(tx, source, "{}", Refresh.ALL, force=force)
        runs.change(tx, run, generation=generation)
        row = runs.get(tx, run)
    named = dict(each.rsplit(" ", 1) for each in files)
    asyncio.run(Intake(store, Folder(source, named, **more), row).take_in())
    with store.read() as tx:
        return run, runs.counted_by(tx, run, runs.ITSELF)


def kept(store: Store, source: int, *files: str, **more: Any) -> dict[str, int]:
    """List these, and let every one be a document that search may find; returns their numbers."""
    listed(store, source, *files, **more)
    with store.begin() as tx:
        found = numbers(tx)
        writes.contents(tx, [a_content(each, source) for each in found.values()])
        values = {"state": int(UrlState.SETTLED), "outcome": int(OutcomeKind.OK), "status": 200, "visited_at": 1.0}
        tx.execute(sa.update(resource).values(values))
    return found


def rows(store: Store) -> dict[str, Any]:
    with store.read() as tx:
        both = resource.join(content, content.c.id == resource.c.id, isouter=True)
        columns = (resource, content.c.url, content.c.content_hash, content.c.seq)
        return {row.address: row for row in tx.rows(sa.select(*columns).select_from(both))}


def test_a_document_keeps_what_is_known_of_it(store: Store, number: int) -> None:
    was = kept(store, number, f"{A} 1", f"{C} 2")[A]
    before = rows(store)[A]
    run, counters = listed(store, number, f"{B} 1", f"{C} 2")
    assert counters == Counters(moved=1, unchanged=1)
    found = rows(store)
    assert found.keys() == {B, C}
    row = found[B]
    assert (row.id, row.url, row.state, row.run, row.validator) == (was, B, UrlState.SETTLED, run, "1")
    assert row.content_hash == before.content_hash
    with store.read() as tx:
        assert [(e.resource, e.event, e.url) for e in stream.after(tx, 0, 10)] == [
            (was, Event.DELETED, before.url), (was, Event.MOVED, None),
        ]  # fmt: skip
        assert row.seq == stream.head(tx)
        assert [(each.changed, each.reason) for each in visits.of(tx, was)] == [
            ("address", f"It was moved here from {A}.")
        ]
    assert sweep.hide_absent(store, number, run, []) == 0
    assert listed(store, number, f"{B} 1", f"{C} 2")[1] == Counters(unchanged=2)
    assert listed(store, number, f"{A} 1", f"{C} 2")[1] == Counters(moved=1, unchanged=1), "and back"


def test_versions_that_others_may_have_tell_of_no_move(store: Store, number: int) -> None:
    """Two documents of a kind whose versions are revision numbers or times may have the same one."""
    kept(store, number, f"{A} 1")
    _, counters = listed(store, number, f"{B} 1", tracks_moves=False)
    assert (counters.moved, counters.discovered) == (0, 1)
    assert rows(store).keys() == {A, B}


def test_a_document_whose_attributes_depend_on_its_place_is_read_there(store: Store, number: int) -> None:
    for rereads in (False, True):
        before, after = (A, B) if not rereads else (B, A)
        kept(store, number, f"{before} 1")
        assert listed(store, number, f"{after} 1", rereads_moved=rereads)[1].moved == 1
        with store.read() as tx:
            states = tx.rows(sa.select(resource.c.state).where(resource.c.address == after))
        assert states == [(int(UrlState.READY if rereads else UrlState.SETTLED),)]


def test_readers_see_the_page_of_its_new_address(store: Store, number: int) -> None:
    page = "https://pages.example"
    kept(store, number, f"{A} 1", shown={A: f"{page}/a"})
    assert listed(store, number, f"{B} 1", shown={B: f"{page}/b"})[1].moved == 1
    row = rows(store)[B]
    assert (row.display, row.url) == (f"{page}/b", f"{page}/b")
    assert listed(store, number, f"{C} 1")[1].moved == 1
    assert (rows(store)[C].display, rows(store)[C].url) == (None, C)


@pytest.mark.parametrize(
    ("files", "unlisted", "moved"),
    [
        ((f"{A} 1", f"{B} 1"), (), 0),  # a copy or a hard link: both are there
        ((f"{B} 2",), (), 0),  # another version
        ((f"{B} 1",), (f"{HOME}/a/",), 0),  # perhaps it is where it was
        ((f"{B} 1", f"{C} 1"), (), 1),  # two names of one that is gone: one of them is new
    ],
)
def test_what_is_no_move(
    store: Store, number: int, files: tuple[str, ...], unlisted: tuple[str, ...], moved: int
) -> None:
    kept(store, number, f"{A} 1")
    _, counters = listed(store, number, *files, unlisted=unlisted)
    new = sum(not each.startswith(A) for each in files) - moved
    assert (counters.moved, counters.discovered) == (moved, new)
    ready = [row for row in rows(store).values() if row.state == UrlState.READY]
    assert len(ready) == new
    with store.read() as tx:
        assert pending_deletes.indexed_count(tx, number) == 1


def test_of_several_the_one_of_the_same_name(store: Store, number: int) -> None:
    known = kept(store, number, f"{HOME}/a/one 1", f"{HOME}/a/two 1")
    assert listed(store, number, f"{HOME}/b/two 1", f"{HOME}/b/one 1")[1].moved == 2
    assert {address: row.id for address, row in rows(store).items()} == {
        f"{HOME}/b/one": known[f"{HOME}/a/one"], f"{HOME}/b/two": known[f"{HOME}/a/two"],
    }  # fmt: skip


@pytest.mark.parametrize("why", ["another name", "links", "force"])
def test_what_depends_on_its_address_is_read_there(store: Store, number: int, why: str) -> None:
    was = kept(store, number, f"{A} 1")[A]
    target = f"{HOME}/b/other" if why == "another name" else B
    if why == "links":
        with store.begin() as tx:
            writes.links(tx, [(was, 1, False, codec.pack([PageLink(f"{HOME}/a/two", "two", "")]))])
    assert listed(store, number, f"{target} 1", force=why == "force")[1].moved == 1
    row = rows(store)[target]
    assert (row.id, row.state) == (was, UrlState.READY)
    assert (row.content_hash == b"") == (why != "force"), "by force nothing is compared"


def test_what_was_not_well_is_not_moved(store: Store, number: int) -> None:
    kept(store, number, f"{A} 1")
    with store.begin() as tx:
        tx.execute(sa.update(resource).values(outcome=int(OutcomeKind.FAILED), status=403))
    assert listed(store, number, f"{B} 1")[1] == Counters(discovered=1)


def test_more_than_there_is_room_for(store: Store, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moved_files, "MOST", 3)
    monkeypatch.setattr(moved_files, "CHUNK", 2)
    kept(store, number, *(f"{HOME}/a/{n} {n}" for n in range(7)))
    _, counters = listed(store, number, *(f"{HOME}/b/{n} {n}" for n in range(7)))
    assert (counters.moved, counters.discovered) == (3, 4)
