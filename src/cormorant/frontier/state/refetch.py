"""Orders to visit resources again, or to delete their documents.

recall: READY, due in the current generation, no validators: the next run fetches them in full, in every mode
renew:  recall, and the copy is stored again even if the text is the same, which is then no change
mend:   renew, but not before the time that the server asked for
forget: recall, and delete the document; the journal stays
distrust: documents that a run could not read are fetched in full at their next visit
outdate: the converter is newer than the text: convert the kept copy again, in the background or by the next crawl
leave: an outdated document whose kept copy cannot be converted waits for the next crawl
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
"""Suffix of the hash of a text whose document has to be stored again."""
_OUTDATED: Final = b"++"
"""Suffix of the hash of a text with a newer converter, until its kept copy has been converted again."""
AWAITED: Final = sa.func.length(content.c.text_hash) != _LENGTH
"""Documents that have to be stored again: their hash is marked, or they have none."""


def recall(tx: Tx, numbers: Sequence[int]) -> dict[int, int]:
    """Have the current or next run visit these resources; returns how many of each source.

    Their positions follow from their levels. The hashes of their content stay, so that an equal text is no change; only
    the validators are deleted, by which a server could answer 304.
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
    """Delete the documents of these resources, and have them visited as if for the first time.

    Their rows stay: discovery meets a deleted address again only on a changed page that links to it.
    """
    recall(tx, numbers)
    for table in (content, version):
        tx.execute(sa.delete(table).where(table.c.id.in_(numbers)))
    nothing = (int(OutcomeKind.NONE), 0, 0, None, None)
    sets = ("outcome", "status", "attempts", "reason", "visited_at")
    bulk.update(tx, resource, sets, ("id",), [(*nothing, number) for number in numbers])


def renew(tx: Tx, numbers: Sequence[int]) -> dict[int, int]:
    """Recall resources, and have each document stored and indexed again even if its text is the same.

    The hash of its text stays, so that receivers get an event only if the text changes.
    """
    counts = recall(tx, numbers)
    hashes = bulk.select_in(tx, content, ("id", "text_hash"), "id", numbers)
    marked = [(b"", text and text[:_LENGTH] + _RENEWED, number) for number, text in hashes]
    bulk.update(tx, content, ("content_hash", "text_hash"), ("id",), marked)
    return counts


def mend(tx: Tx, numbers: Sequence[int]) -> None:
    """Renew these documents, whose copies are damaged, each no earlier than its planned visit."""
    waits = bulk.select_in(tx, resource, ("not_before", "id"), "id", numbers)
    renew(tx, numbers)
    bulk.update(tx, resource, ("not_before",), ("id",), [row for row in waits if row[0] > 0])


def distrust(tx: Tx, source: int, run: int, generation: int, behind: int, most: int) -> int | None:
    """Delete the validators of documents that a run did not read, after a number; returns the next number.

    None at the end. A listing writes its run to rows that are not visited yet: these are still due.
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
    """Have documents of these media types converted again, after a number; returns the next number, None at the end.

    An unsearchable document has no kept copy in use: the next crawl that visits it converts it.
    """
    columns = content.c
    mine = sa.and_(columns.id > behind, columns.mime.in_(types), sa.func.length(columns.text_hash) == _LENGTH)
    chosen = sa.select(columns.id, columns.text_hash, columns.indexed).where(mine).order_by(columns.id).limit(most)
    found = tx.rows(chosen)
    marked = [(row.text_hash + (_OUTDATED if row.indexed else _RENEWED), row.id) for row in found]
    bulk.update(tx, content, ("text_hash",), ("id",), marked)
    return found[-1].id if len(found) == most else None


def reconsider(tx: Tx, statuses: Sequence[int], behind: int, most: int) -> int | None:
    """Have resources with these statuses fetched in full by the next crawl; returns the next number.

    None at the end.
    """
    columns = resource.c
    mine = sa.and_(columns.id > behind, columns.status.in_(statuses))
    found = [row.id for row in tx.rows(sa.select(columns.id).where(mine).order_by(columns.id).limit(most))]
    bulk.update(tx, content, ("etag", "modified"), ("id",), [("", "", number) for number in found])
    _unlist(tx, found)
    return found[-1] if len(found) == most else None


def leave(tx: Tx, numbers: Sequence[int]) -> None:
    """Leave outdated documents to the next crawl of their source.

    It fetches them even if its listing or server calls them unchanged.
    """
    texts = bulk.select_in(tx, content, ("id", "text_hash"), "id", numbers)
    bulk.update(tx, content, ("text_hash",), ("id",), [(text[:_LENGTH] + _RENEWED, each) for each, text in texts])
    _unlist(tx, numbers)


def _unlist(tx: Tx, numbers: Sequence[int]) -> None:
    """Have the next listing treat these as changed; members of containers, which no listing names, become due now."""
    members = [row[0] for row in bulk.select_in(tx, resource, ("id", "how"), "id", numbers) if row[1] == _MEMBER]
    bulk.update(tx, resource, ("validator",), ("id",), [(None, number) for number in numbers])
    recall(tx, members)


def awaited(tx: Tx, numbers: Sequence[int]) -> set[int]:
    """Return those of these documents that have to be stored again."""
    found = set[int]()
    for start in range(0, len(numbers), 500):
        some = sa.select(content.c.id).where(content.c.id.in_(numbers[start : start + 500]), AWAITED)
        found.update(row[0] for row in tx.rows(some))
    return found


def text_before(kept: bytes) -> bytes:
    """Return the hash of the former text of a document that has to be stored again, b"" of any other.

    `kept` is the text's hash as stored.
    """
    return kept[:_LENGTH] if len(kept) > _LENGTH else b""
