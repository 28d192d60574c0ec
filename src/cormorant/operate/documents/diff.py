"""Text diff of two kept versions of a document."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from cormorant.base.clock import rfc3339
from cormorant.base.errors import CacheDamaged, ConflictError, NotFoundError
from cormorant.model.resource import Role
from cormorant.operate.documents import lookup
from cormorant.operate.installation import Installation
from cormorant.operate.records.documents import DocumentDiff
from cormorant.store.blobs.protocol import BlobEntry, Cache
from cormorant.store.blobs.record import Frame

LONGEST = 100_000
"""Lines of a text that are compared; the time grows with their square if all of them differ."""


def diff(house: Installation, address: str, back: int = 1) -> list[DocumentDiff]:
    """Diff the newest kept version with the one `back` versions before it: an object for each source.

    Raises NotFoundError for an address that no source knows, ConflictError if there are too few versions.
    """
    with house.store.read() as tx:
        rows = [row for row in lookup.at(tx, lookup.address_of(tx, address)) if row.role == Role.DOCUMENT]
    if not rows:
        raise NotFoundError(f"No source knows {address}. `cormorant explain` says whether a gate excluded it.")
    with closing(house.cache()) as cache:
        return [_of(house, cache, row, back) for row in rows]


def _of(house: Installation, cache: Cache, row: Any, back: int) -> DocumentDiff:
    versions = list(_whole(cache, house.packs.versions(row.id)))
    if len(versions) <= back:
        raise ConflictError(
            f"Of {row.address} {_many(len(versions))} kept, so there is none {back} before the newest. A crawl that "
            "finds the document changed adds a version; `cormorant store compact` deletes old ones."
        )
    (before, older), (now, newer) = versions[-1 - back], versions[-1]
    one, other = (f"{each.url} {rfc3339(entry.kept_at)}" for entry, each in ((before, older), (now, newer)))
    lines = difflib.unified_diff(_lines(older), _lines(newer), one, other, lineterm="")
    return {
        "source": row.source, "url": row.url or row.address, "before_at": rfc3339(before.kept_at),
        "now_at": rfc3339(now.kept_at), "versions": len(versions), "diff": list(lines),
    }  # fmt: skip


def _whole(cache: Cache, entries: list[BlobEntry]) -> Iterator[tuple[BlobEntry, Frame]]:
    """Yield the readable versions, without those equal to the one before, which were only written again."""
    last = None
    for entry in entries:
        try:
            frame = cache.read(entry.place, body=False)
        except CacheDamaged:
            continue
        if (frame.title, frame.text) != last:
            last = frame.title, frame.text
            yield entry, frame


def _many(versions: int) -> str:
    """Return the number of versions with its verb."""
    return "1 version is" if versions == 1 else f"{versions} versions are"


def _lines(frame: Frame) -> list[str]:
    """Return the lines to compare: the title, then the text."""
    return [frame.title, "", *frame.text.splitlines()][:LONGEST]
