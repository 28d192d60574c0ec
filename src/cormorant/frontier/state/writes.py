"""Writing of a batch of visits to the store.

Rows are made before the transaction begins; this module writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cormorant.frontier.policy.transition import REPEATED, RowUpdate
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import Resource
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, outlinks, resource

_READ = (OutcomeKind.OK, OutcomeKind.UNCHANGED)
_FATE = ("state", "due", "attempts", "outcome", "status", "not_before", "run", "visited_at", "visits+")
_CONTENT = (
    "id", "source_id", "url", "etag", "modified", "content_hash", "text_hash", "mime", "language", "title",
    "size_bytes", "modified_at", "fetched_at", "changed_at", "pack", "pack_offset", "pack_length", "acl_id", "indexed",
    "seq",
)  # fmt: skip
_REWRITTEN = bulk.OnConflict(key=("id",), columns=_CONTENT[1:])
_LINKED = bulk.OnConflict(key=("id",), columns=("run", "inverted", "links"))


class ContentRow(NamedTuple):
    """A row of `content`, in the order of its columns; `seq` is set after the stream has assigned its number."""

    id: int
    source_id: int
    url: str
    etag: str
    modified: str
    content_hash: bytes
    text_hash: bytes
    mime: str
    language: str
    title: str
    size_bytes: int
    modified_at: float | None
    fetched_at: float
    changed_at: float
    pack: int
    pack_offset: int
    pack_length: int
    acl_id: int
    indexed: bool
    seq: int


def fates(tx: Tx, visits: Sequence[tuple[Resource, RowUpdate, float]], run: int) -> None:
    """Write the updates of visited rows; the third value is when the visit ended.

    An exclusion or quarantine without a reason repeats an earlier one, whose reason stays; so does the remark on a
    document that is unchanged since its last visit.
    """
    rows, repeated = [], []
    for r, f, at in visits:
        row = (int(f.state), f.due, f.attempts, int(f.outcome), f.status, f.not_before, run, at, 1)
        same = f.outcome is OutcomeKind.UNCHANGED and r.outcome in _READ
        if f.reason is None and (same or f.outcome in REPEATED):
            repeated.append((*row, r.id))
        else:
            rows.append((*row, bulk.storable(f.reason) if f.reason else None, r.id))
    bulk.update(tx, resource, (*_FATE, "reason"), ("id",), rows)
    bulk.update(tx, resource, _FATE, ("id",), repeated)


def contents(tx: Tx, rows: Sequence[ContentRow]) -> None:
    """Write the contents of resources, replacing older rows."""
    bulk.insert(tx, content, _CONTENT, [storable(row) for row in rows], _REWRITTEN)


def storable(row: ContentRow) -> ContentRow:
    """Return a row that every database accepts: texts from outside may hold any character."""
    written = row.title + row.etag + row.modified
    if written.isascii() and "\0" not in written:
        return row
    clean = bulk.storable
    return row._replace(title=clean(row.title), etag=clean(row.etag), modified=clean(row.modified))


def validators(tx: Tx, rows: Sequence[tuple[str, str, bytes, int]]) -> None:
    """Write new validators and the body's hash of documents with an unchanged text: (etag, modified, hash, id)."""
    kept = [(bulk.storable(etag), bulk.storable(modified), body, number) for etag, modified, body, number in rows]
    bulk.update(tx, content, ("etag", "modified", "content_hash"), ("id",), kept)


def links(tx: Tx, rows: Sequence[tuple[int, int, bool, bytes]]) -> None:
    """Write packed out-links: (resource, run, inverted=False, blob).

    The links as of the last inversion are kept to compute the difference.
    """
    if not rows:
        return
    numbers = [row[0] for row in rows]
    for start in range(0, len(numbers), 1000):
        chunk = numbers[start : start + 1000]
        tx.execute(
            outlinks.update()
            .where(outlinks.c.id.in_(chunk), outlinks.c.inverted)
            .values(previous=outlinks.c.links, inverted=False)
        )
    bulk.insert(tx, outlinks, ("id", "run", "inverted", "links"), rows, _LINKED)


def judged(tx: Tx, rows: Sequence[tuple[str, str, bool, int]]) -> None:
    """Write the validators of a version that was read and excluded: (ETag, Last-Modified, searchable before, resource).

    The hash stays that of the searchable bytes; a document that never was searchable has no content row, so its
    resource holds the validators.
    """
    clean = [(bulk.storable(etag), bulk.storable(modified), found, number) for etag, modified, found, number in rows]
    bulk.update(
        tx, content, ("etag", "modified"), ("id",), [(etag, modified, n) for etag, modified, found, n in clean if found]
    )
    never = [(f"{etag}\n{modified}", number) for etag, modified, found, number in clean if not found]
    bulk.update(tx, resource, ("validator",), ("id",), never)


def access(tx: Tx, rows: Sequence[tuple[int, int]]) -> None:
    """Write new rights of documents with an unchanged text: (number of the access list, id)."""
    bulk.update(tx, content, ("acl_id",), ("id",), rows)
