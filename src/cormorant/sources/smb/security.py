"""Security descriptors ([MS-DTYP] 2.4.6): the entries of access lists. Pure, and strict about lengths.

Windows takes the entries of an access list in order, and the first that speaks of a reader decides; here a deny wins
over a grant wherever it stands, so that less is shown where they stand in an unusual order, never more.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

_DACL_PRESENT: Final = 0x0004
_INHERIT_ONLY: Final = 0x08
_ALLOWED, _DENIED = (0x00, 0x09), (0x01, 0x0A)
"""Types of entries: plain, and with a condition (2.4.4.2, 2.4.4.6). One with a condition grants nothing here."""
_READ_DATA: Final = 0x00000001
_GENERIC_READ, _GENERIC_ALL = 0x80000000, 0x10000000
_HEADER: Final = struct.Struct("<BBHIIII")
_LIST: Final = struct.Struct("<BBHHH")
_ENTRY: Final = struct.Struct("<BBHI")
MAX_SUBAUTHORITIES: Final = 15
OWNER_RIGHTS: Final = "S-1-3-4"
"""Stands for whoever owns the file (2.4.2.4)."""


class AccessEntry(NamedTuple):
    """An entry of an access list."""

    kind: int
    flags: int
    mask: int
    sid: str


class ReadEntry(NamedTuple):
    """An entry that bears on reading: whether it grants that or denies it, and to whom."""

    grants: bool
    sid: str


def read_entries(descriptor: bytes) -> list[ReadEntry] | None:
    """Return the entries that say who may read a file; None when everybody may.

    The owner's rights stand under the SID of the owner. Raises ValueError and struct.error for a descriptor that cannot
    be read.
    """
    entries = access_list(descriptor)
    if entries is None:
        return None
    found = list[ReadEntry]()
    for each in entries:
        if each.flags & _INHERIT_ONLY or not each.mask & (_READ_DATA | _GENERIC_READ | _GENERIC_ALL):
            continue
        sid = owner_of(descriptor) if each.sid == OWNER_RIGHTS else each.sid
        if each.kind == _ALLOWED[0] or each.kind in _DENIED:
            found.append(ReadEntry(each.kind == _ALLOWED[0], sid))
    return found


def owner_of(descriptor: bytes) -> str:
    """Return the SID of the owner; OWNER_RIGHTS where the descriptor does not have it. Raises as `access_list`."""
    start = _HEADER.unpack_from(descriptor)[3]
    return sid_text(descriptor[start:]) if start else OWNER_RIGHTS


def access_list(descriptor: bytes) -> list[AccessEntry] | None:
    """Return the entries of the discretionary access list; None when there is none, and everybody may do everything.

    Raises ValueError and struct.error for a descriptor that is cut or contradicts itself.
    """
    _, _, control, _, _, _, start = _HEADER.unpack_from(descriptor)
    if not control & _DACL_PRESENT or not start:
        return None
    _, _, size, count, _ = _LIST.unpack_from(descriptor, start)
    if start + size > len(descriptor):
        raise ValueError("an access list ends behind its descriptor")
    return list(_entries(descriptor[start + _LIST.size : start + size], count))


def sid_text(data: bytes) -> str:
    """Return a SID as it is written, like S-1-5-32-544 (2.4.2.1). Raises ValueError and struct.error."""
    revision, count = struct.unpack_from("<BB", data)
    if revision != 1 or count > MAX_SUBAUTHORITIES:
        raise ValueError("not a SID")
    parts = struct.unpack_from(f"<{count}I", data, 8)
    return "-".join(("S-1", str(int.from_bytes(data[2:8], "big")), *map(str, parts)))


def _entries(data: bytes, count: int) -> Iterator[AccessEntry]:
    at = 0
    for _ in range(count):
        kind, flags, size, mask = _ENTRY.unpack_from(data, at)
        if size < _ENTRY.size or at + size > len(data):
            raise ValueError("an entry ends behind its access list")
        if kind in (*_ALLOWED, *_DENIED):
            yield AccessEntry(kind, flags, mask, sid_text(data[at + _ENTRY.size : at + size]))
        at += size
