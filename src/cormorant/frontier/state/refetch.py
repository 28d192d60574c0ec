"""A person wants resources visited again, or their documents gone. What does that change?

recall: READY, due in the generation of now, no validators: the next run fetches them whole, whatever it visits
renew:  the same, and the copy is kept anew even of what says the same, which is then no change
mend:   renew, and nothing is visited before the time that its server has asked for
forget: the same, and nothing is left of the document but what the journal knows
distrust: what a run could not read is fetched whole whenever it is visited next
outdate: its reader is newer than its text: it is read again from its kept copy, in the background or by the next crawl
leave: an outdated one that cannot be read so is for the next crawl alone
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from cormorant.frontier.policy import priority
from cormorant.frontier.state import enqueue
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, UrlState
from cormorant.model.settings.priority import Level
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, resource, source as sources, version

_LENGTH: Final = hashlib.sha256().digest_size
_MEMBER: Final = int(DiscoveredBy.MEMBER)
_RENEWED: Final = b"+"
"""Stands behind the hash of a text whose document is to be kept anew."""
_OUTDATED: Final = b"++"
"""Stands behind the hash of a text whose reader is newer, as long as it is to be read again from its kept copy."""
AWAITED: Final = sa.func.length(content.c.text_hash) != _LENGTH
"""Which documents are to be kept anew: their hash is marked, or there is none."""


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
        if source not in generations:  # it is being deleted
            continue
        level = priority.level_of(before) or Level.NORMAL
        rows.append((int(UrlState.READY), priority.due(generations[source], priority.usual(level), depth), 0.0, number))
        sites[source].add(site)
        counts[source] += 1
    for source in sorted(sites):
        enqueue.wake(tx, source, sites[source], generations[source])
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
    """Do what `recall` does, and have each document kept and indexed anew, though it says what it said before.

    What it said is not forgotten, so that receivers are told of it only if it says something else.
    """
    counts = recall(tx, numbers)
    said = bulk.select_in(tx, content, ("id", "text_hash"), "id", numbers)
    marked = [(b"", text and text[:_LENGTH] + _RENEWED, number) for number, text in said]
    bulk.update(tx, content, ("content_hash", "text_hash"), ("id",), marked)
    return counts


def mend(tx: Tx, numbers: Sequence[int]) -> None:
    """Renew these documents, whose copies are damaged, each no sooner than it would have been visited anyway."""
    waits = bulk.select_in(tx, resource, ("not_before", "id"), "id", numbers)
    renew(tx, numbers)
    bulk.update(tx, resource, ("not_before",), ("id",), [row for row in waits if row[0] > 0])


def distrust(tx: Tx, source: int, run: int, generation: int, behind: int, most: int) -> int | None:
    """Forget validators of documents that a run did not read, behind a number; where to go on, None at the end.

    A listing names rows for its run that nobody has visited: these are due still.
    """
    columns = resource.c
    due = sa.and_(columns.state == int(UrlState.READY), columns.due < priority.limit(generation))
    unread = sa.or_(columns.run != run, columns.outcome == int(OutcomeKind.DEFERRED), due)
    theirs = (content.c.source_id == source, content.c.id > behind)
    chosen = sa.select(content.c.id).join(resource, columns.id == content.c.id).where(*theirs, unread)
    numbers = [row.id for row in tx.rows(chosen.order_by(content.c.id).limit(most))]
    nothing = ("", "", b"")
    bulk.update(tx, content, ("etag", "modified", "content_hash"), ("id",), [(*nothing, each) for each in numbers])
    return numbers[-1] if len(numbers) == most else None


def outdate(tx: Tx, types: Sequence[str], behind: int, most: int) -> int | None:
    """Have documents of these media types read again, behind a number; where to go on, None at the end.

    One that search does not find has no copy in use: the next crawl that visits it reads it.
    """
    columns = content.c
    mine = sa.and_(columns.id > behind, columns.mime.in_(types), sa.func.length(columns.text_hash) == _LENGTH)
    chosen = sa.select(columns.id, columns.text_hash, columns.indexed).where(mine).order_by(columns.id).limit(most)
    found = tx.rows(chosen)
    marked = [(row.text_hash + (_OUTDATED if row.indexed else _RENEWED), row.id) for row in found]
    bulk.update(tx, content, ("text_hash",), ("id",), marked)
    return found[-1].id if len(found) == most else None


def reconsider(tx: Tx, statuses: Sequence[int], behind: int, most: int) -> int | None:
    """Have what ended with these statuses fetched whole by the next crawl; where to go on, None at the end."""
    columns = resource.c
    mine = sa.and_(columns.id > behind, columns.status.in_(statuses))
    found = [row.id for row in tx.rows(sa.select(columns.id).where(mine).order_by(columns.id).limit(most))]
    bulk.update(tx, content, ("etag", "modified"), ("id",), [("", "", number) for number in found])
    _unlist(tx, found)
    return found[-1] if len(found) == most else None


def leave(tx: Tx, numbers: Sequence[int]) -> None:
    """Leave documents that are to be read again to the next crawl of their source, whatever it lists or confirms."""
    texts = bulk.select_in(tx, content, ("id", "text_hash"), "id", numbers)
    bulk.update(tx, content, ("text_hash",), ("id",), [(text[:_LENGTH] + _RENEWED, each) for each, text in texts])
    _unlist(tx, numbers)


def _unlist(tx: Tx, numbers: Sequence[int]) -> None:
    """Have the next listing take these for other versions; what no listing names, as it lies in another, is due now."""
    members = [row[0] for row in bulk.select_in(tx, resource, ("id", "how"), "id", numbers) if row[1] == _MEMBER]
    bulk.update(tx, resource, ("validator",), ("id",), [(None, number) for number in numbers])
    recall(tx, members)


def awaited(tx: Tx, numbers: Sequence[int]) -> set[int]:
    """Those of these documents that are to be kept anew."""
    found = set[int]()
    for start in range(0, len(numbers), 500):
        some = sa.select(content.c.id).where(content.c.id.in_(numbers[start : start + 500]), AWAITED)
        found.update(row[0] for row in tx.rows(some))
    return found


def text_before(kept: bytes) -> bytes:
    """The hash of what a document said that is to be kept anew, b"" of any other; given the text's hash as stored."""
    return kept[:_LENGTH] if len(kept) > _LENGTH else b""
