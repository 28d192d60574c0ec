"""Pack format of entries on disk: pure, except for the functions that name, list and lock files.

    DIR/packs/1a48/1a481345bc1a2b3c.pack        a pack: entries one after another, appended by one process

    entry:  magic "CmPk" | version u8 | zero u8[3] | payload length u32 | head checksum u32 |
            resource i64 | kept at f64 | payload checksum u64 | payload          (little-endian, 40 bytes of head)

Both checksums are of xxh3_64. They cover the pack's number and the entry's offset too, so an entry is valid only at its
own place; and as the number is partly random, no document can contain bytes that look like an entry.

A pack's number is the second in which it was begun (33 bits), then 30 random bits; its folder is the first four
hexadecimal digits of it, so three days share a folder and a folder stays listable.
"""

from __future__ import annotations

import fcntl
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import xxhash

from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.blobs.record import MAX_DECODED

ROTATE_BYTES = 256 << 20
"""The size at which a pack is followed by the next."""

MAX_PAYLOAD = MAX_DECODED + (1 << 20)
"""A compressed frame is never larger than this, so a longer length is damage."""

MAGIC = b"CmPk"
ERASED = 0
"""The resource of an overwritten entry; no resource has this number."""
_VERSION = 1
_FIRST = struct.Struct("<4sB3sI")
_SUM = struct.Struct("<I")
_SECOND = struct.Struct("<qdQ")
_WHERE = struct.Struct("<qQ")
_SPLIT = _FIRST.size + _SUM.size
HEAD_BYTES = _SPLIT + _SECOND.size
_RANDOM_BITS = 30


class EntryHeader(NamedTuple):
    """Header of an entry before its payload, with a verified checksum."""

    place: BlobPlace
    resource: int
    kept_at: float
    checksum: int


def head_bytes(resource: int, payload: bytes, kept_at: float, at: tuple[int, int]) -> bytes:
    """Return the header bytes for `payload`; `at` is pack and offset."""
    where = _WHERE.pack(*at)
    first = _FIRST.pack(MAGIC, _VERSION, b"\0\0\0", len(payload))
    second = _SECOND.pack(resource, kept_at, xxhash.xxh3_64_intdigest(payload, xxhash.xxh3_64_intdigest(where)))
    return first + _SUM.pack(_head_sum(first, second, where)) + second


def parse_head(data: bytes, pack: int, offset: int) -> EntryHeader | str:
    """Parse the bytes before a payload, or return in a few words why they are no header."""
    if len(data) < HEAD_BYTES:
        return "the pack ends here"
    first, second = data[: _FIRST.size], data[_SPLIT:HEAD_BYTES]
    magic, version, zero, length = _FIRST.unpack(first)
    if magic != MAGIC:
        return "no entry begins here"
    if version != _VERSION:
        return f"the entry is of version {version}, this program reads version {_VERSION}"
    where = _WHERE.pack(pack, offset)
    if _SUM.unpack_from(data, _FIRST.size)[0] != _head_sum(first, second, where) or zero != b"\0\0\0":
        return "the checksum of its head does not fit"
    return EntryHeader(BlobPlace(pack, offset, HEAD_BYTES + length), *_SECOND.unpack(second))


def fits(head: EntryHeader, payload: bytes) -> bool:
    """Return whether length and checksum of a payload match its header."""
    if len(payload) != head.place.length - HEAD_BYTES:
        return False
    seed = xxhash.xxh3_64_intdigest(_WHERE.pack(head.place.pack, head.place.offset))
    return xxhash.xxh3_64_intdigest(payload, seed) == head.checksum


def _head_sum(first: bytes, second: bytes, where: bytes) -> int:
    return xxhash.xxh3_64_intdigest(first + second + where) & 0xFFFF_FFFF


def pack_number(now: float, token: str) -> int:
    """Return a pack's number from the time and at least 32 random bits in hexadecimal."""
    return (int(now) & ((1 << 33) - 1)) << _RANDOM_BITS | int(token, 16) & ((1 << _RANDOM_BITS) - 1)


def packs_folder(directory: Path) -> Path:
    """Return the folder of all packs, below the folder of the cache. The first entry creates it."""
    return directory / "packs"


def pack_path(directory: Path, pack: int) -> Path:
    """Return the path of the pack with that number, below the folder of the cache."""
    name = f"{pack:016x}"
    return packs_folder(directory) / name[:4] / f"{name}.pack"


def pack_numbers(directory: Path) -> Iterator[int]:
    """Yield the numbers of all packs, oldest first. Files with other names are skipped."""
    for folder in sorted(packs_folder(directory).glob("????")):
        for path in sorted(folder.glob("*.pack")):
            try:
                number = int(path.stem, 16)
            except ValueError:
                continue
            if pack_path(directory, number) == path:
                yield number


def is_being_written(descriptor: int) -> bool:
    """Return whether a writer, of this or another process, holds the pack."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False
