"""Cache verification: compares rows with packs, and lists all entries.

Packs are read from end to end, one after another. After damaged bytes the next entry is searched: its head is verified
(pack number and offset are in its checksum), so no bytes of a document can look like one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from cormorant.base.errors import DataFolderError
from cormorant.store.blobs.pack_format import (
    ERASED,
    HEAD_BYTES,
    MAGIC,
    EntryHeader,
    fits,
    is_being_written,
    pack_numbers,
    pack_path,
    parse_head,
)
from cormorant.store.blobs.protocol import BlobEntry, BlobPlace, Damage, Harm

_WINDOW = 1 << 20
"""Bytes searched at once for the next entry."""


class DamagedBytes(NamedTuple):
    """Bytes of a pack that are no readable entry. `resource` is known if only the payload is damaged."""

    place: BlobPlace
    resource: int | None
    reason: str


def check(directory: Path, live: Iterable[tuple[int, BlobPlace]]) -> Iterator[Damage]:
    """Compare rows (resource, place) with the entries, and read all packs.

    Rows of one pack must come one after another, as `ORDER BY pack` returns them; ValueError otherwise. Memory is that
    of one pack's rows. Packs under construction are read too; their unfinished end is no damage.
    """
    seen: set[int] = set()
    for pack, rows in groupby(live, key=_pack_of):
        if pack in seen:
            raise ValueError("the rows of one pack have to come one after another")
        seen.add(pack)
        yield from _check_pack(directory, pack, set(rows))
    for pack in pack_numbers(directory):
        if pack not in seen:
            yield from _check_pack(directory, pack, set())


def entries(directory: Path) -> Iterator[BlobEntry]:
    """Yield every readable entry of every pack, to rebuild lost rows.

    Of several entries of one resource the one with the greatest `kept_at` is valid. Packs are read once, in full.
    """
    for pack in pack_numbers(directory):
        for piece in scan(directory, pack):
            if isinstance(piece, EntryHeader) and piece.resource != ERASED:
                yield BlobEntry(piece.resource, piece.place, piece.kept_at)


def scan(directory: Path, pack: int) -> Iterator[EntryHeader | DamagedBytes]:
    """Yield the contents of a pack, in order. A missing pack is empty."""
    return _pieces(directory, pack, whole=True)


def walk(directory: Path, pack: int) -> Iterator[EntryHeader | DamagedBytes]:
    """Do the same as `scan` from head to head; the payloads, which are most of the bytes, are not read."""
    return _pieces(directory, pack, whole=False)


def _pieces(directory: Path, pack: int, *, whole: bool) -> Iterator[EntryHeader | DamagedBytes]:
    descriptor = _open(directory, pack)
    if descriptor is None:
        return
    try:
        size = os.fstat(descriptor).st_size
        offset = 0
        while offset < size:
            piece = _piece(descriptor, pack, offset, size, whole=whole)
            yield piece
            offset += piece.place.length
    finally:
        os.close(descriptor)


def _pack_of(row: tuple[int, BlobPlace]) -> int:
    return row[1].pack


def _check_pack(directory: Path, pack: int, wanted: set[tuple[int, BlobPlace]]) -> Iterator[Damage]:
    """Yield the damage of one pack, given the rows that point into it."""
    descriptor = _open(directory, pack)
    if descriptor is None:
        yield from (Damage(Harm.LIVE, resource, place, "its pack is gone") for resource, place in sorted(wanted))
        return
    try:
        written = is_being_written(descriptor)
        size = os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)
    gaps: list[DamagedBytes] = []
    for piece in scan(directory, pack):
        if isinstance(piece, DamagedBytes):
            gaps.append(piece)
        else:
            wanted.discard((piece.resource, piece.place))
    for resource, place in sorted(wanted):
        yield Damage(Harm.LIVE, resource, place, _why(place, gaps))
    named = {place for _, place in wanted}
    for gap in gaps:
        if any(_overlap(gap.place, place) for place in named):
            continue
        at_end = gap.place.offset + gap.place.length >= size
        if not (at_end and written):
            yield Damage(Harm.TAIL if at_end else Harm.DEAD, gap.resource, gap.place, gap.reason)


def _why(place: BlobPlace, gaps: Iterable[DamagedBytes]) -> str:
    """Return why a row's entry was not found."""
    for gap in gaps:
        if _overlap(gap.place, place):
            return gap.reason
    return "there is no entry of this resource at this place"


def _overlap(one: BlobPlace, other: BlobPlace) -> bool:
    return one.offset < other.offset + other.length and other.offset < one.offset + one.length


def _piece(descriptor: int, pack: int, offset: int, size: int, *, whole: bool) -> EntryHeader | DamagedBytes:
    """Read the entry at `offset`, or find the end of the damage."""
    head = parse_head(_read(descriptor, HEAD_BYTES, offset), pack, offset)
    if isinstance(head, str):
        following = _next_entry(descriptor, pack, offset + 1, size)
        return DamagedBytes(BlobPlace(pack, offset, following - offset), None, head)
    if offset + head.place.length > size:
        return DamagedBytes(BlobPlace(pack, offset, size - offset), head.resource, "the pack ends here")
    if not whole:
        return head
    payload = _read(descriptor, head.place.length - HEAD_BYTES, offset + HEAD_BYTES)
    if not fits(head, payload):
        return DamagedBytes(head.place, head.resource, "its checksum does not fit")
    return head


def _next_entry(descriptor: int, pack: int, start: int, size: int) -> int:
    """Return the offset of the next entry with a valid head, or the end of the pack."""
    while start < size:
        window = _read(descriptor, _WINDOW + HEAD_BYTES, start)
        found = window.find(MAGIC)
        while 0 <= found < _WINDOW:
            if isinstance(parse_head(window[found : found + HEAD_BYTES], pack, start + found), EntryHeader):
                return start + found
            found = window.find(MAGIC, found + 1)
        start += _WINDOW
    return size


def _read(descriptor: int, length: int, offset: int) -> bytes:
    """Read bytes; b"" if the disk reports an error."""
    try:
        return os.pread(descriptor, length, offset)
    except OSError:
        return b""


def _open(directory: Path, pack: int) -> int | None:
    """Open a pack for reading; None if it does not exist."""
    path = pack_path(directory, pack)
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        about = os.strerror(error.errno or 0)
        raise DataFolderError(f"The kept copies in {path} cannot be opened: {about}.") from error
