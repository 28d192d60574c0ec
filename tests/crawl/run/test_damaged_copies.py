"""Documents whose kept copies were found to be damaged, when the next run of their source begins."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.base.errors import DataFolderError
from cormorant.crawl.run import damaged_copies
from cormorant.frontier.state import refetch, writes
from cormorant.model.run import Mode, Refresh
from cormorant.receivers import stream
from cormorant.receivers.stream import Event
from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.pack_format import pack_path
from cormorant.store.blobs.protocol import BlobPlace, Cache
from cormorant.store.blobs.record import encode
from cormorant.store.catalog import receivers, rejected_deliveries, sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from tests.clocks import Hands
from tests.frontier.samples import a_content, admitted, numbers, pages
from tests.store.blobs.pages import MOMENT, page

COUNT = 7


class World:
    """A source of seven pages whose copies are kept, and an index that could not get any."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.folder = store, folder
        with store.begin() as tx:
            self.source = sources.add(tx, "web", "docs", {})
            receivers.add(tx, "index", "index", None, {}, 0)
        admitted(store, *pages(COUNT), source=self.source)
        with store.begin() as tx:
            self.known = sorted(numbers(tx).values())
        self.places = self.cache().keep([(number, encode(page(number))) for number in self.known])
        with store.begin() as tx:
            rows = [
                a_content(number, self.source)._replace(
                    pack=place.pack, pack_offset=place.offset, pack_length=place.length
                )
                for number, place in zip(self.known, self.places, strict=True)
            ]
            writes.contents(tx, rows)
            damaged_copies.note(tx, self.known)

    def cache(self) -> Cache:
        return LocalCache(self.folder, Hands(MOMENT))

    def spoil(self, place: BlobPlace) -> None:
        with pack_path(self.folder, place.pack).open("r+b") as file:
            file.seek(place.offset + place.length - 1)
            file.write(b"?")

    def begun(self, refresh: Refresh = Refresh.ALL, mode: Mode = Mode.ACCEPT) -> list[int]:
        """Begin a run; which of the seven it fetches whole."""
        with self.store.begin() as tx:
            row = runs.get(tx, runs.request(tx, self.source, "{}", refresh, force=False))
        asyncio.run(damaged_copies.mend(self.store, self.cache, replace(row, mode=mode)))
        with self.store.read() as tx:
            awaited = refetch.awaited(tx, self.known)
        return [self.known.index(each) for each in sorted(awaited)]


@pytest.fixture(params=[2, 200])
def world(store: Store, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr(damaged_copies, "AT_ONCE", request.param)
    return World(store, tmp_path)


def test_copies_that_can_be_read_again_are_redelivered_to_the_receiver_that_lacks_them(world: World) -> None:
    world.spoil(world.places[0])
    assert world.begun() == [0]
    with world.store.read() as tx:
        index = receivers.index(tx)
        events = [(each.resource, each.event) for each in stream.after(tx, 0, 100, None, index)]
        assert events == [(number, Event.FOUND) for number in world.known[1:]]
        assert stream.after(tx, 0, 100, None, 99) == [], "nobody else"
        assert [each.resource for each, _ in rejected_deliveries.of(tx, index, 100)] == world.known[:1]
    assert world.begun() == [0]
    with world.store.read() as tx:
        assert stream.head(tx) == len(events)


def test_what_is_still_damaged_is_fetched_whole_and_once(world: World, caplog: pytest.LogCaptureFixture) -> None:
    for number in (0, 3, 6):
        world.spoil(world.places[number])
    assert world.begun(Refresh.DUE) == [0, 3, 6]
    caplog.clear()
    assert world.begun() == [0, 3, 6]
    assert not caplog.records, "they are awaited already"


@pytest.mark.parametrize(
    ("refresh", "mode"), [(Refresh.APPEND, Mode.ACCEPT), (Refresh.ALL, Mode.EXAMINE), (Refresh.ALL, Mode.TEST)]
)
def test_a_run_that_would_not_keep_it_for_good_leaves_it_to_the_next(
    world: World, refresh: Refresh, mode: Mode
) -> None:
    world.spoil(world.places[1])
    assert world.begun(refresh, mode) == []
    assert world.begun() == [1]


def test_what_is_out_of_sight_or_may_not_be_read_is_no_damage(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr("cormorant.store.blobs.reader.os.pread", fails)
        assert world.begun() == []
    pack = pack_path(world.folder, world.places[0].pack)
    away = pack.rename(world.folder / "away")
    assert world.begun() == []
    pack.symlink_to(pack.name)
    assert world.begun() == [], "it cannot be opened"
    pack.unlink()
    away.rename(pack)
    assert world.begun() == []


def test_another_sources_documents_are_not_looked_at(world: World) -> None:
    world.spoil(world.places[1])
    with world.store.begin() as tx:
        other = sources.add(tx, "web", "other", {})
    mine, world.source = world.source, other
    assert world.begun() == []
    world.source = mine
    assert world.begun() == [1]


def test_what_goes_wrong_with_the_copies_keeps_no_run_from_beginning(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    def away() -> Cache:
        raise DataFolderError("The folder of the copies is not there.")

    with world.store.begin() as tx:
        row = runs.get(tx, runs.request(tx, world.source, "{}", Refresh.ALL, force=False))
    asyncio.run(damaged_copies.mend(world.store, away, row))
    assert "copies not looked at" in caplog.messages


def test_where_there_is_no_index_nothing_is_noted(store: Store) -> None:
    with store.begin() as tx:
        damaged_copies.note(tx, [1, 2])
        assert rejected_deliveries.of(tx, receivers.index(tx), 10) == []
