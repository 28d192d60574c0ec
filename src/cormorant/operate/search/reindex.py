"""The index: rebuild it from the kept copies without requests to any source, optimize it, report its size."""

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
"""Documents read, and handed to the index, at a time; fewer if they are large."""
COMMIT, COMMIT_TEXT = 20_000, 64 << 20
"""Documents between two commits, and bytes of their text, so that a rebuild does not fill the memory."""
FEW_SEGMENTS = 12
"""With at most this number of segments no rebuild is needed: a commit adds one per thread, which the engine merges."""
_NO_INDEX = (
    "There is no index. The next `cormorant crawl` builds one from its documents, `cormorant index rebuild` from the "
    "kept copies."
)


def refuse_older_store(house: Installation) -> None:
    """Raise ConflictError if the index is ahead of the database, as after a restore of the database alone.

    New events would get numbers that the index has already passed, and it would skip them; the same happens if it was
    built from another database. The provider reports an index that cannot be read.
    """
    if not house.searchable:
        return
    with suppress(IndexDamaged):
        index = house.index_reader()  # read before the head of the stream, which only grows
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
    """Raise ConflictError if the index would become empty because the database has lost its documents.

    The database has not lost them if events about their deletion still wait for the index.
    """
    with suppress(IndexDamaged):
        index = house.index_reader()
        with house.store.read() as tx:
            empty = not index_consistency.knows_documents(tx)
            behind = index.place < stream.head(tx) and stream.reaches(tx, index.place)
            informed = behind and not index_consistency.is_strange(tx, index)
        if empty and not informed and (documents := index.count()):
            raise ConflictError(
                f"The database knows no document, and the index has {documents:,}, so the index stays as it is. "
                "Restore its database, or a backup with `cormorant store restore FILE`."
            )


def rebuild(house: Installation, progress: Progress | None = None, *, lent: bool = False) -> RebuiltIndex:
    """Rebuild the index beside the one in use, then switch; search goes on meanwhile.

    `lent`: other processes are running, and the provider has to release the index first; deliveries resume after the
    new index's place. Raises ConflictError if the installation has no index, another rebuild is under way, or the new
    index would be empty, and the errors of `fill`.
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
    """Rebuild the index in the provider itself, or after waiting `wait_s` seconds for the provider to release it.

    `progress` gets the number of finished documents and the total. The place of the stream is read first: later changes
    have events after it, and applying an event twice is safe, so the rows need not be of one moment. Raises
    ConflictError if another process writes the index, CacheDamaged if no copy can be read: the index then stays as it
    was.
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
    """The addresses of documents that are left out because their copies are damaged; they are recorded for repair."""
    lost = {each.event.resource: str(each.row.url) for each in page if each.frame is None and each.row is not None}
    if lost:
        with store.begin() as tx:
            damaged_copies.note(tx, lost)
    return list(lost.values())


def _committed(writer: IndexWriter, pages: Iterator[Sequence[Payload]]) -> Iterator[Sequence[Payload]]:
    """Put pages of documents into the index, with commits in between; the last commit is left to the caller."""
    documents = size = 0
    for page in pages:
        size += writer.apply([Upsert(entry_of(each)) for each in page if each.frame is not None])
        documents += len(page)
        yield page
        if documents >= COMMIT or size >= COMMIT_TEXT:
            writer.commit(0)
            documents = size = 0


def _weigh_links(house: Installation) -> None:
    """Weigh links that are not weighed yet, before the place of the stream is read.

    A run under way weighs its links at its end, when all of them are inverted.
    """
    with house.store.read() as tx:
        newest = [run for each in sources.every(tx) for run in runs.every(tx, each.id, limit=1)]
    for run in newest:
        if run.state not in OPEN_STATES:
            link_graph.weigh(house.store, run.source_id, run.id)


def _count(tx: Tx) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(content).where(content.c.indexed)).scalar_one())


def _pages(store: Store, shelf: PayloadLoader) -> Iterator[list[Payload]]:
    """Every document that search may find, with its kept copy, its rights and its inlinks."""
    behind: int | None = 0
    while behind is not None:
        with store.read() as tx:
            page, behind = _page(tx, shelf, behind)
        if page:
            yield page


def _page(tx: Tx, shelf: PayloadLoader, behind: int) -> tuple[list[Payload], int | None]:
    """The next documents, and the id after which to continue; None if there are no more."""
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
    """Purge addresses that are gone for good, then reduce the index to present documents in few segments.

    The engine merges segments by itself and drops deleted documents in them; a rebuild drops the others. No rebuild is
    made of few segments without deleted documents. Raises the errors of `rebuild`, and IndexDamaged if any byte of the
    index is damaged.
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
    """Remove rows of addresses that are gone for good, in sources whose newest run has finished."""
    purged = 0
    with house.store.read() as tx:
        owners = [each.id for each in sources.every(tx)]
    for owner in owners:
        with house.store.begin() as tx:
            sources.claim(tx, owner)  # so that no run is ordered meanwhile that needs these rows
            last = runs.every(tx, owner, limit=1)
            if last and last[0].state is RunState.FINISHED:
                purged += purge.purge(tx, owner, purge.wait_s(last[0].settings))
    return purged


def stats(house: Installation) -> IndexSize:
    """Return the size of the index, and its position in the stream.

    Raises IndexDamaged, ConflictError, and NotFoundError if there is no index yet.
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
