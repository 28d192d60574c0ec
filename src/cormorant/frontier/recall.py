"""A person wants resources visited again, or their documents gone. What does that change?

recall: READY, due in the generation of now, no validators: the next run fetches them whole, whatever it visits
renew:  the same, and the copy is kept anew even of what says the same
forget: the same, and nothing is left of the document but what the journal knows
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import sqlalchemy as sa

from cormorant.frontier import admission, order
from cormorant.model.level import Level
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import State
from cormorant.store import bulk
from cormorant.store.database import Tx
from cormorant.store.schema import content, resource, version
from cormorant.store.schema import source as sources


def recall(tx: Tx, numbers: Sequence[int]) -> dict[int, int]:
    """Have these resources visited by the next run, or by the one under way; returns how many of each source.

    They come in the place that their level wants. What is known of their content stays, so that what says the same as
    before is no change; only what would let a server answer that it is the same is forgotten.
    """
    wanted = bulk.select_in(tx, resource, ("id", "source_id", "site_id", "depth", "due"), "id", numbers)
    generations = dict(bulk.select_in(tx, sources, ("id", "generation"), "id", {row[1] for row in wanted}))
    sites: dict[int, set[int]] = defaultdict(set)
    counts: dict[int, int] = defaultdict(int)
    rows: list[tuple[object, ...]] = []
    for number, source, site, depth, before in wanted:
        level = order.level_of(before) or Level.NORMAL
        rows.append((int(State.READY), order.due(generations[source], order.usual(level), depth), 0.0, number))
        sites[source].add(site)
        counts[source] += 1
    for source in sorted(sites):
        admission.wake(tx, source, sites[source], generations[source])
    bulk.update(tx, resource, ("state", "due", "not_before"), ("id",), rows)
    bulk.update(tx, content, ("etag", "modified"), ("id",), [("", "", row[0]) for row in wanted])
    return dict(counts)


def forget(tx: Tx, numbers: Sequence[int]) -> None:
    """Let go of the documents of these resources, and have them visited as if nobody had been there yet.

    Their rows stay: a forgotten address is met again only where a page that links to it has changed.
    """
    recall(tx, numbers)
    for table in (content, version):
        tx.execute(sa.delete(table).where(table.c.id.in_(numbers)))
    nothing = (int(OutcomeKind.NONE), 0, 0, None, None)
    sets = ("outcome", "status", "attempts", "reason", "visited_at")
    bulk.update(tx, resource, sets, ("id",), [(*nothing, number) for number in numbers])


def renew(tx: Tx, numbers: Sequence[int]) -> dict[int, int]:
    """Do what `recall` does, and have each document kept and delivered anew, though it says what it said before."""
    counts = recall(tx, numbers)
    bulk.update(tx, content, ("content_hash", "text_hash"), ("id",), [(b"", b"", number) for number in numbers])
    return counts
