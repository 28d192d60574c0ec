"""Link graph: at the end of a run out-links become in-links, and index entries with changed in-links are updated.

    pages written -> invert -> in-links -> weigh -> texts and score -> events for the index -> (provide)

Only pages that the run wrote are read, or all after some edits. Each step records its progress in its transaction, so a
kill costs one chunk, which is then repeated with the same result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from cormorant.frontier.links import inlinks, link_score
from cormorant.frontier.links.link_score import Weighing
from cormorant.model.acl import PUBLIC
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.db.database import Store, Tx


def invert(store: Store, source: int) -> int:
    """Invert the new out-links of a source; returns the number of resources whose in-links changed."""
    changed = 0
    while True:
        with store.read() as tx:
            pages, known = inlinks.chunk(tx, source), inlinks.fronts(tx, source)
        if not pages:
            return changed
        difference = inlinks.difference(source, known, pages)
        with store.begin() as tx:
            changed += inlinks.apply(tx, [page[0] for page in pages], difference)


def weigh(store: Store, source: int, run: int) -> int:
    """Weigh the in-links that changed; returns the number of documents whose index entry changes.

    Without an index they wait until there is one.
    """
    with store.read() as tx:
        if not (receivers.has_index(tx) and link_score.waits(tx, source)):
            return 0
    count = behind = 0
    sizes: dict[int, int] = {}
    while True:
        with store.begin() as tx:
            behind, changed = _weighing(tx, source, sizes).weigh(tx, behind)
            _append_events(tx, source, run, changed)
        if not behind:
            return count
        count += len(changed)


def reweigh(tx: Tx, source: int, run: int, numbers: Collection[int]) -> None:
    """Weigh in-links of documents whose rights changed, and of the documents they link to, in this transaction."""
    if numbers:
        reached = {*numbers, *inlinks.reached(tx, source, numbers)}
        _append_events(tx, source, run, _weighing(tx, source).weigh_these(tx, reached))


async def again(store: Store, source: int) -> None:
    """Mark all links of a source to be inverted again at the end of the run, in chunks. May be repeated."""
    behind = 0
    while True:
        with store.begin() as tx:
            pages = inlinks.inverted(tx, source, behind)
            inlinks.again(tx, source, pages)
        if not pages:
            return
        behind = pages[-1]
        await asyncio.sleep(0)  # other runs go on meanwhile


def _weighing(tx: Tx, source: int, sizes: dict[int, int] | None = None) -> Weighing:
    acls = ACLNumbers()
    return Weighing(source, lambda number: acls.list_of(tx, number) == PUBLIC, sizes)


def _append_events(tx: Tx, source: int, run: int, changed: Sequence[int]) -> None:
    if changed:
        stream.append(tx, [NewEvent(source, number, run, Event.LINKS) for number in changed])
