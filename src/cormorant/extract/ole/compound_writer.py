"""A document embedded in an OLE file as an OLE file of its own: [MS-CFB] version 3.

Documents within documents lie in a storage of their container; to be read like any other, their streams are laid out in
sectors of 512 bytes, or of 64 where they are small.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final, TypeAlias

from cormorant.extract.detect.compound_file import MAGIC, Storage

MAX_COPY: Final = 256 * 1024 * 1024
"""Bytes of the streams of a storage that are copied."""
MAX_COPIED_ENTRIES: Final = 20_000
MAX_COPY_DEPTH: Final = 20

Tree: TypeAlias = Mapping[str, "bytes | Tree"]
"""Streams and storages by name."""

_SECTOR: Final = 512
_SMALL_SECTOR: Final = 64
_SMALL: Final = 4096
_NUMBERS_OF_SECTOR: Final = _SECTOR // 4
_TABLES_OF_HEADER: Final = 109
_END, _FREE, _TABLE_SECTOR, _MORE_TABLES_SECTOR = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFC
_HEADER: Final = struct.Struct("<8s16xHHHHH6xIIIIIIIIII")
_ENTRY: Final = struct.Struct("<64sHBBIII16s20xIQ")
_STORAGE, _STREAM, _ROOT = 1, 2, 5


def copy_storage(storage: Storage) -> bytes:
    """Return a storage as an OLE file, without what exceeds the limits."""
    return write_compound(storage_tree(storage), storage.class_id)


def storage_tree(storage: Storage) -> Tree:
    """Return the streams and storages in a storage, without what exceeds the limits."""
    return _tree(storage, [MAX_COPY, MAX_COPIED_ENTRIES], 0)


def write_compound(tree: Tree, class_id: bytes = bytes(16)) -> bytes:
    """Return an OLE file of these streams and storages; `class_id` names the program of its root."""
    return _Writer(tree, class_id).file()


def _tree(storage: Storage, left: list[int], depth: int) -> Tree:
    found: dict[str, bytes | Tree] = {}
    for name in storage.names:
        left[1] -= 1
        if left[1] < 0 or left[0] < 0:
            break
        inner = storage.storage(name) if depth < MAX_COPY_DEPTH else None
        if inner is not None:
            found[name] = _tree(inner, left, depth + 1)
        elif (data := storage.read(name)) is not None:
            left[0] -= len(data)
            found[name] = data
    return found


class _Writer:
    """Sectors and entries in the order in which they are made; tables come last."""

    def __init__(self, tree: Tree, class_id: bytes) -> None:
        self._sectors: list[bytes] = []
        self._table: list[int] = []
        self._small: list[bytes] = []
        self._small_table: list[int] = []
        self._entries: list[list[bytes | int]] = []
        self._add_entry("Root Entry", _ROOT, class_id)
        self._add_folder(tree, 0)

    def file(self) -> bytes:
        small = b"".join(self._small)
        root = self._entries[0]
        root[8], root[9] = self._add_chain(small), len(small)
        small_table = self._packed(self._small_table)
        small_start = self._add_chain(small_table)
        directory = b"".join(_ENTRY.pack(*entry) for entry in self._entries)
        blank = _ENTRY.pack(b"", 0, 0, 0, _FREE, _FREE, _FREE, b"", 0, 0)
        directory += blank * (-len(self._entries) % (_SECTOR // _ENTRY.size))
        directory_start = self._add_chain(directory)
        tables, more, more_start = self._add_tables()
        header = _HEADER.pack(
            MAGIC, 0x3E, 3, 0xFFFE, 9, 6, 0, len(tables), directory_start, 0, _SMALL, small_start,
            len(small_table) // _SECTOR, more_start, more, (tables or [_FREE])[0],
        )  # fmt: skip
        rest = tables[1:_TABLES_OF_HEADER]
        rest += [_FREE] * (_TABLES_OF_HEADER - 1 - len(rest))
        return header + struct.pack(f"<{len(rest)}I", *rest) + b"".join(self._sectors)

    def _add_entry(self, name: str, kind: int, class_id: bytes = bytes(16)) -> int:
        wide = name.encode("utf-16-le", "replace")[:62]
        self._entries.append([wide, len(wide) + 2, kind, 1, _FREE, _FREE, _FREE, class_id, 0, 0])
        return len(self._entries) - 1

    def _add_folder(self, tree: Tree, number: int) -> None:
        ordered = sorted(tree, key=lambda name: (len(name), name.upper()))
        numbers = []
        for name in ordered:
            inner = tree[name]
            numbers.append(self._add_entry(name, _STREAM if isinstance(inner, bytes) else _STORAGE))
            if isinstance(inner, bytes):
                entry = self._entries[-1]
                entry[8], entry[9] = self._add_stream(inner), len(inner)
            else:
                self._add_folder(inner, numbers[-1])
        self._entries[number][6] = self._balanced(numbers)

    def _balanced(self, numbers: list[int]) -> int:
        if not numbers:
            return _FREE
        middle = len(numbers) // 2
        self._entries[numbers[middle]][4] = self._balanced(numbers[:middle])
        self._entries[numbers[middle]][5] = self._balanced(numbers[middle + 1 :])
        return numbers[middle]

    def _add_stream(self, data: bytes) -> int:
        if not data:
            return _END
        if len(data) >= _SMALL:
            return self._add_chain(data)
        start = len(self._small_table)
        padded = data + bytes(-len(data) % _SMALL_SECTOR)
        self._small.append(padded)
        count = len(padded) // _SMALL_SECTOR
        self._small_table += [*range(start + 1, start + count), _END]
        return start

    def _add_chain(self, data: bytes) -> int:
        if not data:
            return _END
        start = len(self._table)
        self._sectors.append(data + bytes(-len(data) % _SECTOR))
        count = len(self._sectors[-1]) // _SECTOR
        self._table += [*range(start + 1, start + count), _END]
        return start

    def _add_tables(self) -> tuple[list[int], int, int]:
        """Add the table of sectors itself; return its sectors, and how many list those beyond the header, and where."""
        used = len(self._table)
        count = more = 0
        while count * _NUMBERS_OF_SECTOR < used + count + more:
            count += 1
            more = max(0, -(-(count - _TABLES_OF_HEADER) // (_NUMBERS_OF_SECTOR - 1)))
        tables = list(range(used, used + count))
        self._table += [_TABLE_SECTOR] * count + [_MORE_TABLES_SECTOR] * more
        self._sectors.append(self._packed(self._table))
        for place in range(more):
            first = _TABLES_OF_HEADER + place * (_NUMBERS_OF_SECTOR - 1)
            listed = tables[first : first + _NUMBERS_OF_SECTOR - 1]
            listed += [_FREE] * (_NUMBERS_OF_SECTOR - 1 - len(listed))
            following = used + count + place + 1 if place + 1 < more else _END
            self._sectors.append(struct.pack(f"<{_NUMBERS_OF_SECTOR}I", *listed, following))
        return tables, more, used + count if more else _END

    @staticmethod
    def _packed(numbers: list[int]) -> bytes:
        filled = numbers + [_FREE] * (-len(numbers) % _NUMBERS_OF_SECTOR)
        return struct.pack(f"<{len(filled)}I", *filled)
