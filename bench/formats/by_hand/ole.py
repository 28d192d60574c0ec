"""A compound file of storages and streams, of version 3: [MS-CFB]."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Tree: TypeAlias = "dict[str, bytes | Tree]"
"""A storage: streams and storages by name."""

_SECTOR: Final = 512
_MINI: Final = 64
_CUTOFF: Final = 4096
_FREE: Final = 0xFFFFFFFF
_END: Final = 0xFFFFFFFE
_FAT: Final = 0xFFFFFFFD
_STORAGE, _STREAM, _ROOT = 1, 2, 5


@dataclass
class _Entry:
    """A directory entry: [MS-CFB] 2.6.1."""

    name: str
    kind: int
    data: bytes = b""
    child: int = _FREE
    right: int = _FREE
    start: int = 0
    size: int = 0


@dataclass
class _File:
    sectors: list[bytes] = field(default_factory=list)
    chains: list[int] = field(default_factory=list)

    def put(self, data: bytes) -> int:
        """Add a chain of sectors and return its first, END for nothing."""
        first = len(self.sectors)
        pieces = [data[at : at + _SECTOR].ljust(_SECTOR, b"\0") for at in range(0, len(data), _SECTOR)]
        self.sectors += pieces
        self.chains += [first + number + 1 for number in range(len(pieces))]
        if pieces:
            self.chains[-1] = _END
        return first if pieces else _END


def compound_file(tree: Tree) -> bytes:
    """Return a compound file of a root storage with these contents, up to some six megabytes."""
    entries = [_Entry("Root Entry", _ROOT)]
    _enter(entries, 0, tree)
    file, mini = _File(), bytearray()
    chains: list[int] = []
    for entry in entries:
        entry.size = len(entry.data)
        if entry.kind == _STREAM and entry.size < _CUTOFF:
            entry.start = len(chains) if entry.data else _END
            count = -(-entry.size // _MINI)
            chains += [*range(len(chains) + 1, len(chains) + count), _END][:count]
            mini += entry.data.ljust(count * _MINI, b"\0")
        elif entry.kind == _STREAM:
            entry.start = file.put(entry.data)
    entries[0].start, entries[0].size = file.put(bytes(mini)), len(mini)
    mini_fat = file.put(_numbers(chains))
    directory = file.put(b"".join(map(_packed, entries)))
    return _finished(file, directory, mini_fat, len(chains))


def _enter(entries: list[_Entry], parent: int, tree: Tree) -> None:
    """Add the entries of a storage: siblings as a list to the right, in the order of names."""
    before = 0
    for name in sorted(tree, key=lambda name: (len(name), name.upper())):
        content = tree[name]
        number = len(entries)
        is_stream = isinstance(content, bytes)
        entries.append(_Entry(name, _STREAM if is_stream else _STORAGE, content if isinstance(content, bytes) else b""))
        if before:
            entries[before].right = number
        else:
            entries[parent].child = number
        before = number
        if not isinstance(content, bytes):
            _enter(entries, number, content)


def _packed(entry: _Entry) -> bytes:
    name = (entry.name + "\0").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIQ", name, len(name), entry.kind, 1, _FREE, entry.right, entry.child, bytes(16), 0, 0, 0,
        0 if entry.kind == _STORAGE else entry.start, entry.size,
    )  # fmt: skip


def _numbers(values: list[int]) -> bytes:
    padded = values + [_FREE] * (-len(values) % (_SECTOR // 4))
    return struct.pack(f"<{len(padded)}I", *padded)


def _finished(file: _File, directory: int, mini_fat: int, minis: int) -> bytes:
    per = _SECTOR // 4
    tables = 1
    while tables * per < len(file.chains) + tables:
        tables += 1
    places = [len(file.chains) + number for number in range(tables)]
    fat = _numbers(file.chains + [_FAT] * tables)
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(16), 0x3E, 3, 0xFFFE, 9, 6, bytes(6), 0,
        tables, directory, 0, _CUTOFF, mini_fat if minis else _END, -(-minis // per), _END, 0,
    )  # fmt: skip
    header += struct.pack("<109I", *(places + [_FREE] * (109 - tables)))
    return header + b"".join(file.sectors) + fat
