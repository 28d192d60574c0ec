"""Rebuild the index from kept copies, without a request to any source; report its size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress

import sqlalchemy as sa

from cormorant.base.errors import CacheDamaged, ConflictError, IndexDamaged, NotFoundError
from cormorant.crawl.deliver import ack, near_duplicates
from cormorant.crawl.deliver.payload import Payload, PayloadLoader
from cormorant.crawl.deliver.sinks import entry_of
from cormorant.crawl.finish import link_graph
from cormorant.crawl.run import damaged_copies
from cormorant.frontier.cleanup import purge
from cormorant.model.run import OPEN_STATES, RunState
from cormorant.operate.installation import Installation
from cormorant.operate.records.storage import IndexSize, OptimizedIndex, RebuiltIndex
from cormorant.operate.search import index_consistency, reindex_lock
from cormorant.receivers import stream
from cormorant.receivers.protocol import DAMAGED
from cormorant.receivers.stream import Event, Numbered
from cormorant.search.index.document import Upsert
from cormorant.search.index.protocol import IndexWriter, Stats
from cormorant.store.catalog import receivers, rejected_deliveries, sources
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db.database import Store, Tx
from cormorant.store.journal import runs
from cormorant.store.schema import content

Progress = Callable[[int, int], None]
PAGE = 500
"""Documents read, and handed to the index, at a time; fewer when they are large."""
COMMIT, COMMIT_TEXT = 20_000, 64 << 20
"""Documents between two commits, and bytes of their text, so that a rebuild does not fill the memory."""
FEW_SEGMENTS = 12
"""Segments for which alone no index is rebuilt: a commit leaves one for each thread, and the engine joins them."""
_NO_INDEX = (
    "There is no index. The next `cormorant crawl` builds one from its documents, `cormorant index rebuild` from the "
    "kept copies."
)


def refuse_older_store(house: Installation) -> None:
    """Raise ConflictError when the index is ahead of the database, as when a backup of that was restored alone.

    The numbers of events would be given a second time, and the index pass over what they say. So would they where it
    was made of another database. An index that cannot be read is told of by whoever delivers.
    """
    if not house.searchable:
        return
    with suppress(IndexDamaged):
        index = house.index_reader()  # looked at first: the stream only grows
        with house.store.read() as tx:
            strange = index_consistency.is_strange(tx, index)
            if index.place <= stream.head(tx) and not strange:
                return
        _refuse_empty_store(house)
        what = "belongs to another database than this one" if strange else "is newer than the database"
        raise ConflictError(
            f"The index {what}, as after a restore of the database from a backup. Run `cormorant index rebuild`, then "
            "crawl."
        )


def _refuse_empty_store(house: Installation) -> None:
    """Raise ConflictError when the index would become empty because the database has lost its documents.

    It has not where they are gone, and the index is about to get that.
    """
    with suppress(IndexDamaged):
        index = house.index_reader()
        with house.store.read() as tx:
            empty = not index_consistency.knows_documents(tx)
            behind = index.place < stream.head(tx) and stream.reaches(tx, index.place)
            told = behind and not index_consistency.is_strange(tx, index)
        if empty and not told and (documents := index.count()):
            raise ConflictError(
                f"The database knows no document, and the index has {documents:,}, so the index stays as it is. "
                "Restore its database, or a backup with `cormorant store restore FILE`."
            )


def rebuild(house: Installation, progress: Progress | None = None, *, lent: bool = False) -> RebuiltIndex:
    """Rebuild the index beside the one in use, then switch; search goes on meanwhile.

    `lent`: others are at work, and whoever delivers has to let go of it first; deliveries go on behind the new one's
    place. Raises ConflictError when the installation has no index, another process rebuilds it, or there would be
    nothing in it, and what `fill` raises.
    """
    if not house.searchable:
        raise ConflictError("This installation runs without an index. Set CORMORANT_INDEX=embedded first.")
    _refuse_empty_store(house)
    with suppress(IndexDamaged):
        index = house.index_reader()
        with house.store.begin() as tx:
            if not index_consistency.is_strange(tx, index):
                stream.pass_over(tx, index.place)
    if not lent:
        return fill(house, progress)
    with reindex_lock.lent(house):
        return fill(house, progress, reindex_lock.LET_GO_S)


def fill(house: Installation, progress: Progress | None = None, wait_s: float = 0.0) -> RebuiltIndex:
    """Do what `rebuild` does, for whoever delivers, or when that has `wait_s` seconds to let go.

    `progress` is told how many documents are done, of how many. Of what others change meanwhile the stream tells behind
    the place that is noted first, and a repeated event changes nothing. So the rows are of no one moment, and nobody
    has to keep for us what they were. Raises ConflictError when another process writes the index, CacheDamaged when no
    copy can be read: it then stays as it was.
    """
    started = house.clock.monotonic()
    _weigh_links(house)
    with closing(house.cache()) as cache, house.index_rebuild(wait_s) as writer:
        shelf = PayloadLoader(cache, ACLNumbers())
        near_duplicates.compare_all(house.store, shelf)
        with house.store.read() as tx:
            place, total, name = stream.head(tx), _count(tx), stream.named(tx)
            began = tx.now()
        done, damaged = 0, list[str]()
        for page in _committed(writer, _pages(house.store, shelf)):
            damaged += _damaged(house.store, page)
            done += sum(each.frame is not None for each in page)
            if progress is not None:
                progress(done, max(done, total))
        if damaged and not done:
            raise CacheDamaged(
                f"None of {len(damaged):,} kept copies can be read, so the index stays as it was. `cormorant cache "
                "check` gives the reasons; `cormorant crawl --force` fetches the documents again."
            )
        writer.commit(place, name)
    with house.store.begin() as tx:
        ack.overtake(tx, place)
        rejected_deliveries.mended(tx, receivers.index(tx), DAMAGED, began)
    return {
        "documents": done, "damaged": len(damaged), "damaged_urls": damaged[:20], "place": place,
        "took_s": round(house.clock.monotonic() - started, 3),
    }  # fmt: skip


def _damaged(store: Store, page: Sequence[Payload]) -> list[str]:
    """Note the documents that the index does not get since their copies are damaged; returns their addresses."""
    lost = {each.event.resource: str(each.row.url) for each in page if each.frame is None and each.row is not None}
    if lost:
        with store.begin() as tx:
            damaged_copies.note(tx, lost)
    return list(lost.values())


def _committed(writer: IndexWriter, pages: Iterator[Sequence[Payload]]) -> Iterator[Sequence[Payload]]:
    """Put these into the index page by page, committing now and then; the last commit is left to the caller."""
    documents = size = 0
    for page in pages:
        size += writer.apply([Upsert(entry_of(each)) for each in page if each.frame is not None])
        documents += len(page)
        yield page
        if documents >= COMMIT or size >= COMMIT_TEXT:
            writer.commit(0)
            documents = size = 0


def _weigh_links(house: Installation) -> None:
    """Weigh the links that no index has asked for yet. Their events lie before the place that is filled to.

    A run that is under way does so at its end, and has not turned all of them round before.
    """
    with house.store.read() as tx:
        newest = [run for each in sources.every(tx) for run in runs.every(tx, each.id, limit=1)]
    for run in newest:
        if run.state not in OPEN_STATES:
            link_graph.weigh(house.store, run.source_id, run.id)


def _count(tx: Tx) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(content).where(content.c.indexed)).scalar_one())


def _pages(store: Store, shelf: PayloadLoader) -> Iterator[list[Payload]]:
    """Every document that search may find, with its kept copy, its rights and what links say of it."""
    behind: int | None = 0
    while behind is not None:
        with store.read() as tx:
            page, behind = _page(tx, shelf, behind)
        if page:
            yield page


def _page(tx: Tx, shelf: PayloadLoader, behind: int) -> tuple[list[Payload], int | None]:
    """The next documents, and behind which number to go on; None when there are no more."""
    statement = (
        sa.select(content.c.id, content.c.source_id)
        .where(content.c.indexed, content.c.id > behind)
        .order_by(content.c.id)
        .limit(PAGE)
    )
    events = [Numbered(0, row.source_id, row.id, 0, Event.NEW, None) for row in tx.rows(statement)]
    if not events:
        return [], None
    found = shelf.find(tx, events)
    return shelf.furnished(tx, [each for each in found if each.row is not None]), found[-1].event.resource


def optimize(house: Installation, progress: Progress | None = None, *, lent: bool = False) -> OptimizedIndex:
    """Purge addresses that are gone for good, then have the index hold only what search may find, in few segments.

    The engine joins segments by itself and drops what was deleted in them as it does; what is left is dropped by
    a rebuild. Where nothing deleted is in a few segments that is left undone. Raises as `rebuild` does, and
    IndexDamaged unless every byte is what was written: what is damaged is neither tidy nor to be counted on.
    """
    started = house.clock.monotonic()
    before = _figures(house)
    house.index_reader().check()
    purged = _purge(house)
    tidy = before.segments <= FEW_SEGMENTS and not before.deleted
    made = None if tidy else rebuild(house, progress, lent=lent)
    after = before if tidy else _figures(house)
    return {
        "rebuilt": not tidy, "purged": purged, "dropped": max(before.deleted - after.deleted, 0),
        "segments_before": before.segments, "segments": after.segments, "documents": after.documents,
        "damaged": made["damaged"] if made else 0, "damaged_urls": made["damaged_urls"] if made else [],
        "took_s": round(house.clock.monotonic() - started, 3),
    }  # fmt: skip


def _figures(house: Installation) -> Stats:
    if not house.searchable:
        raise ConflictError("This installation runs without an index. Set CORMORANT_INDEX=embedded first.")
    return house.index_reader().stats()


def _purge(house: Installation) -> int:
    """Remove rows of addresses that are gone for good, of sources whose newest run has nothing to go on with."""
    purged = 0
    with house.store.read() as tx:
        owners = [each.id for each in sources.every(tx)]
    for owner in owners:
        with house.store.begin() as tx:
            sources.claim(tx, owner)  # so that no run of it is ordered, which may ask for what goes
            last = runs.every(tx, owner, limit=1)
            if last and last[0].state is RunState.FINISHED:
                purged += purge.purge(tx, owner, purge.wait_s(last[0].settings))
    return purged


def stats(house: Installation) -> IndexSize:
    """Return the size of the index, and its position in the stream.

    Raises IndexDamaged, ConflictError, and NotFoundError where there is no index yet.
    """
    found = _figures(house)
    if not found.segments:
        raise NotFoundError(_NO_INDEX)
    with house.store.read() as tx:
        backlog = max(0, stream.head(tx) - found.place)
    return {
        "documents": found.documents, "deleted": found.deleted, "segments": found.segments,
        "size_bytes": found.size_bytes, "place": found.place, "backlog": backlog,
    }  # fmt: skip
