"""The index: make it anew from what is kept, without asking any source; say how big it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged, ConflictError, IndexDamaged
from cormorant.catalog import receivers, sources
from cormorant.catalog.acls import ACLNumbers
from cormorant.crawl import likening, links
from cormorant.crawl.delivery import Found, Shelf
from cormorant.crawl.outlets import entry_of
from cormorant.frontier import hiding, purging
from cormorant.index.entry import Put
from cormorant.index.protocol import Stats
from cormorant.journal import runs
from cormorant.model.run import RunState
from cormorant.operate.house import House
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, Numbered
from cormorant.store.database import Tx
from cormorant.store.schema import content

PAGE = 500
"""Documents read, and handed to the index, at a time; fewer when they are large."""
COMMIT, COMMIT_TEXT = 20_000, 64 << 20
"""Documents between two commits, and bytes of their text, so that a rebuild does not fill the memory."""


def refuse_older_store(house: House) -> None:
    """Raise ConflictError when the index is ahead of the database, as when a backup of that was restored alone.

    The numbers of events would be given a second time, and the index pass over what they say. An index that cannot be
    read is told of by whoever delivers.
    """
    if not house.searchable:
        return
    with suppress(IndexDamaged):
        place = house.index_reader().place  # looked at first: the stream only grows
        with house.store.read() as tx:
            if place <= stream.head(tx):
                return
        raise ConflictError(
            "The index is of a later moment than the database, as when a backup of the database was restored. Run "
            "`cormorant index rebuild`, which makes it anew of what is kept, and then crawl."
        )


def rebuild(house: House, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Make the index anew beside the one in use, then switch; search goes on meanwhile.

    `progress` is told how many documents are done, of how many. Rows and place are of one moment, so that deliveries go
    on behind it. Raises ConflictError when the installation has no index, and what `fill` raises.
    """
    if not house.searchable:
        raise ConflictError("This installation runs without an index. Set CORMORANT_INDEX=embedded first.")
    with suppress(IndexDamaged):
        place = house.index_reader().place
        with house.store.begin() as tx:
            stream.pass_over(tx, place)
    return fill(house, progress)


def fill(house: House, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Do what `rebuild` does, for whoever delivers.

    Raises ConflictError when somebody else writes the index, CacheDamaged when no copy can be read: it then stays as it
    was.
    """
    started = house.clock.monotonic()
    _weigh_links(house)
    damaged: list[str] = []
    done, committed, waiting = 0, 0, 0
    with closing(house.cache()) as cache, house.index_rebuild() as writer, ExitStack() as held_open:
        shelf = Shelf(cache, ACLNumbers())
        likening.compare_all(house.store, shelf)
        tx = held_open.enter_context(house.store.read())
        place = stream.head(tx)
        total = _count(tx)
        for page in _pages(tx, shelf):
            whole = [each for each in page if each.frame is not None]
            damaged += [each.row.url for each in page if each.frame is None and each.row is not None]
            waiting += writer.apply([Put(entry_of(each)) for each in whole])
            done += len(whole)
            if progress is not None:
                progress(done, total)
            if done - committed >= COMMIT or waiting >= COMMIT_TEXT:
                writer.commit(0)
                committed, waiting = done, 0
        if damaged and not done:
            raise CacheDamaged(
                f"None of {len(damaged):,} kept copies can be read, so the index stays as it was. "
                "`cormorant cache check` says why; `cormorant crawl --force` fetches them anew."
            )
        writer.commit(place)
    with house.store.begin() as tx:
        for row in receivers.every(tx):
            if row.kind == receivers.INDEX:
                receivers.set_place(tx, row.id, place)
        hiding.passed(tx, place)
        stream.trim(tx)
    return {
        "documents": done, "damaged": len(damaged), "damaged_urls": damaged[:20], "place": place,
        "took_s": round(house.clock.monotonic() - started, 3),
    }  # fmt: skip


def _weigh_links(house: House) -> None:
    """Weigh the links that no index has asked for yet. What is told of them lies before the place that is filled to."""
    with house.store.read() as tx:
        newest = [run for each in sources.every(tx) for run in runs.every(tx, each.id, limit=1)]
    for run in newest:
        links.weigh(house.store, run.source_id, run.id)


def _count(tx: Tx) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(content).where(content.c.indexed)).scalar_one())


def _pages(tx: Tx, shelf: Shelf) -> Iterator[list[Found]]:
    """Every document that search may find, with its kept copy, its rights and what links say of it."""
    behind = 0
    while True:
        statement = (
            sa.select(content.c.id, content.c.source_id)
            .where(content.c.indexed, content.c.id > behind)
            .order_by(content.c.id)
            .limit(PAGE)
        )
        rows = tx.rows(statement)
        if not rows:
            return
        events = [Numbered(0, row.source_id, row.id, 0, Event.NEW, None) for row in rows]
        found = shelf.find(tx, events)
        behind = found[-1].event.resource
        yield shelf.furnished(tx, [each for each in found if each.row is not None])


def optimize(house: House, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Purge addresses that are gone for good, then have the index hold only what search may find, in few segments.

    The engine joins segments by itself and drops what was deleted in them as it does; what is left is dropped by making
    the index anew. Where it is one segment with nothing deleted that is left undone. Raises as `rebuild` does.
    """
    started = house.clock.monotonic()
    before = _figures(house)
    purged = _purge(house)
    tidy = before.segments <= 1 and not before.deleted
    made = {"damaged": 0, "damaged_urls": []} if tidy else rebuild(house, progress)
    after = before if tidy else _figures(house)
    return {
        "rebuilt": not tidy, "purged": purged, "dropped": max(before.deleted - after.deleted, 0),
        "segments_before": before.segments, "segments": after.segments, "documents": after.documents,
        "damaged": made["damaged"], "damaged_urls": made["damaged_urls"],
        "took_s": round(house.clock.monotonic() - started, 3),
    }  # fmt: skip


def _figures(house: House) -> Stats:
    if not house.searchable:
        raise ConflictError("This installation runs without an index. Set CORMORANT_INDEX=embedded first.")
    return house.index_reader().stats()


def _purge(house: House) -> int:
    """Remove rows of addresses that are gone for good, of sources whose newest run has nothing to go on with."""
    purged = 0
    with house.store.begin() as tx:
        for owner in sources.every(tx):
            last = runs.every(tx, owner.id, limit=1)
            if last and last[0].state is RunState.FINISHED:
                purged += purging.purge(tx, owner.id)
    return purged


def stats(house: House) -> dict[str, Any]:
    """How big the index is, and how far it has come in the stream. Raises IndexDamaged, ConflictError."""
    figures = asdict(_figures(house))
    with house.store.read() as tx:
        figures["backlog"] = max(0, stream.head(tx) - figures["place"])
    return figures
