"""The folders (storages) and streams of an OLE file, and the kind of document it is: [MS-CFB].

A file system of its own: sectors, chained by an allocation table (FAT); small streams lie together in one large one, in
sectors of 64 bytes with a table of their own. Damage is overcome if possible: a cut file only lacks its end, a sector
whose table is missing is followed by its neighbour, unreferenced entries belong to the root.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from cormorant.extract.detect.media_types import ENCRYPTED
from cormorant.extract.detect.tika_formats import STREAMS
from cormorant.extract.errors import Unreadable

MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAX_ENTRIES: Final = 200_000
"""Streams and storages of a file that are listed."""

_HEADER_SIZE: Final = 512
_FIRST_TABLES: Final = 76
_U32: Final = struct.Struct("<I")
_SHIFT: Final = struct.Struct("<H")
_ENTRY: Final = struct.Struct("<64sHBxIII16s20xII4x")
_LAST_SECTOR: Final = 0xFFFFFFFA
_NO_ENTRY: Final = 0xFFFFFFFF
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_SMALL: Final = 4096
_SMALL_SHIFT: Final = 6
# The bytes of all reads: as often as a valid reader may return to a stream.
_READS_OF_ALL: Final = 8
_SPARE: Final = 64 * 1024 * 1024

_KINDS: Final = (
    ("encryptedpackage", ENCRYPTED),
    ("\x09drmcontent", ENCRYPTED),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("worddocument", "application/msword"),
    ("powerpoint document", "application/vnd.ms-powerpoint"),
    ("pp97_dualstorage", "application/vnd.ms-powerpoint"),
    ("workbook", "application/vnd.ms-excel"),
    ("book", "application/vnd.ms-excel"),
    *((stream.lower(), mime) for stream, mime in STREAMS),
)


class _Entry(NamedTuple):
    name: str
    kind: int
    left: int
    right: int
    child: int
    class_id: bytes
    start: int
    size: int


class CompoundFile:
    """The streams of an OLE file. `damaged` becomes true once a part of it is found missing or wrong."""

    def __init__(self, body: bytes) -> None:
        """Open a file by its bytes. Raises Unreadable when it is no OLE file or has no directory."""
        if not body.startswith(MAGIC) or len(body) < _HEADER_SIZE:
            raise Unreadable("it is no OLE file, or only its first bytes are there")
        self.damaged = False
        self._body = body
        self._left = _READS_OF_ALL * len(body) + _SPARE
        shift = _SHIFT.unpack_from(body, 30)[0]
        if shift not in (9, 12):
            self.damaged = True
            shift = 12 if _SHIFT.unpack_from(body, 26)[0] == 4 else 9
        self._shift: int = shift
        self._sectors = max(0, (len(body) - 1) >> shift)
        self._table = self._read_table()
        self._entries = self._read_entries()
        self._folders = self._read_folders()
        self._small: bytes | None = None
        self._small_table = array("I")

    @property
    def root(self) -> Storage:
        """The folder that holds everything."""
        return self.open_storage(0)

    def entry(self, number: int) -> _Entry:
        """Return an entry of the directory; `number` comes from a Storage."""
        return self._entries[number]

    def open_storage(self, number: int) -> Storage:
        """Return the folder of an entry; `number` comes from a Storage."""
        return Storage(self, self._entries[number].class_id, self._folders.get(number, {}))

    def read_stream(self, number: int) -> bytes:
        """Return the bytes of an entry, fewer than it declares where they are missing."""
        entry = self._entries[number]
        if entry.size >= _SMALL:
            data = self._sectors_of(entry.start, entry.size)
        else:
            data = self._read_small(entry.start, entry.size)
        if len(data) < entry.size:
            self.damaged = True
        return data

    def _read_table(self) -> array[int]:
        places = array("I", self._body[_FIRST_TABLES:_HEADER_SIZE])
        if sys.byteorder == "big":
            places.byteswap()
        needed = (self._sectors >> (self._shift - 2)) + 1
        places = places[: self._regular(places)]
        following = _U32.unpack_from(self._body, 68)[0]
        while len(places) < needed and following < self._sectors:
            more = self._numbers(following)
            following = more.pop() if more else _LAST_SECTOR
            places.extend(more[: self._regular(more)] or [_LAST_SECTOR])
        table = array("I")
        for place in places[:needed]:
            numbers = self._numbers(place)
            missing = (1 << (self._shift - 2)) - len(numbers)
            if missing:
                self.damaged = True
                numbers.extend(range(len(table) + len(numbers) + 1, len(table) + len(numbers) + 1 + missing))
            table.extend(numbers)
        return table[: self._sectors]

    @staticmethod
    def _regular(places: array[int]) -> int:
        """Return the number of sector numbers before the first invalid one."""
        return next((place for place, sector in enumerate(places) if sector >= _LAST_SECTOR), len(places))

    def _numbers(self, sector: int) -> array[int]:
        start = (sector + 1) << self._shift
        data = self._body[start : start + (1 << self._shift)]
        numbers = array("I", data[: len(data) & ~3])
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers

    def _sectors_of(self, start: int, size: int) -> bytes:
        """Return at most `size` bytes of a chain: neighbours are copied at one go."""
        size = min(size, self._left, len(self._body))
        runs = _runs(self._table, start, (size + (1 << self._shift) - 1) >> self._shift)
        shift, body = self._shift, self._body
        data = b"".join(body[(first + 1) << shift : (first + count + 1) << shift] for first, count in runs)[:size]
        self._left -= len(data)
        return data

    def _read_small(self, start: int, size: int) -> bytes:
        if self._small is None:
            root = self._entries[0]
            self._small = self._sectors_of(root.start, root.size)
            table = self._sectors_of(
                _U32.unpack_from(self._body, 60)[0], (len(self._small) >> _SMALL_SHIFT << 2) + (1 << self._shift)
            )
            self._small_table = array("I", table[: len(table) & ~3])
            if sys.byteorder == "big":
                self._small_table.byteswap()
        small = self._small
        runs = _runs(self._small_table, start, (size + (1 << _SMALL_SHIFT) - 1) >> _SMALL_SHIFT)
        pieces = (small[first << _SMALL_SHIFT : (first + count) << _SMALL_SHIFT] for first, count in runs)
        data = b"".join(pieces)[: min(size, self._left)]
        self._left -= len(data)
        return data

    def _read_entries(self) -> list[_Entry]:
        first = _U32.unpack_from(self._body, 48)[0]
        data = self._sectors_of(first, MAX_ENTRIES * _ENTRY.size)
        data = data[: len(data) // _ENTRY.size * _ENTRY.size]
        if not data:
            raise Unreadable("its directory is missing: it is cut short or damaged")
        entries: list[_Entry] = []
        for name, length, kind, left, right, child, class_id, start, size in _ENTRY.iter_unpack(data):
            text = name[: max(0, min(length, 64) - 2)].decode("utf-16-le", "replace").partition("\0")[0]
            entries.append(_Entry(text, kind, left, right, child, class_id, start, size))
        if entries[0].kind != _ROOT:
            self.damaged = True
        return entries

    def _read_folders(self) -> dict[int, dict[str, int]]:
        """Return the entries of every storage. Each belongs to one only, so that no folder leads back to itself."""
        taken = bytearray(len(self._entries))
        taken[0] = 1
        folders: dict[int, dict[str, int]] = {}
        waiting = [0]
        while waiting:
            number = waiting.pop()
            folders[number] = self._children(self._entries[number].child, taken)
            waiting.extend(child for child in folders[number].values() if self._entries[child].kind == _STORAGE)
        if self.damaged:
            for number, entry in enumerate(self._entries):
                if entry.kind in (_STREAM, _STORAGE) and not taken[number]:
                    folders[0].setdefault(entry.name.lower(), number)
        return folders

    def _children(self, first: int, taken: bytearray) -> dict[str, int]:
        """Walk the tree of siblings that begins at an entry: [MS-CFB] 2.6.4."""
        found: dict[str, int] = {}
        waiting = [first]
        while waiting:
            number = waiting.pop()
            if number == _NO_ENTRY:
                continue
            if number >= len(self._entries) or taken[number]:
                self.damaged = True
                continue
            taken[number] = 1
            entry = self._entries[number]
            waiting += (entry.right, entry.left)
            if entry.kind in (_STORAGE, _STREAM):
                found.setdefault(entry.name.lower(), number)
        return dict(sorted(found.items(), key=lambda each: (len(each[0]), each[0])))


class Storage:
    """A folder of an OLE file. Names are compared without regard to case."""

    def __init__(self, file: CompoundFile, class_id: bytes, entries: dict[str, int]) -> None:
        """Hold the entries of a folder: their numbers in the directory by lower-case name."""
        self.file = file
        self.class_id = class_id
        """16 bytes that name the program which wrote it, zeros for none."""
        self.entries = entries

    def __contains__(self, name: str) -> bool:
        """Return whether there is a stream or storage of this name."""
        return name.lower() in self.entries

    @property
    def names(self) -> list[str]:
        """The names of the streams and storages in it, as they are written."""
        return [self.file.entry(number).name for number in self.entries.values()]

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a stream, None when there is none of this name."""
        number = self.entries.get(name.lower())
        if number is None or self.file.entry(number).kind != _STREAM:
            return None
        return self.file.read_stream(number)

    def size(self, name: str) -> int:
        """Return the size that a stream declares, in bytes; 0 when there is none of this name."""
        number = self.entries.get(name.lower())
        return 0 if number is None else self.file.entry(number).size

    def storage(self, name: str) -> Storage | None:
        """Return a storage in this one, None when there is none of this name."""
        number = self.entries.get(name.lower())
        if number is None or self.file.entry(number).kind != _STORAGE:
            return None
        return self.file.open_storage(number)

    def storages(self) -> Iterator[tuple[str, Storage]]:
        """Yield the storages in this one with their names."""
        for name in self.names:
            storage = self.storage(name)
            if storage is not None:
                yield name, storage


def kind_of(body: bytes) -> str:
    """Return the media type of an OLE file by the streams of its root, "" if they prove none or it is no OLE file."""
    try:
        return kind_of_storage(CompoundFile(body).root)
    except Unreadable:
        return ""


def kind_of_storage(storage: Storage) -> str:
    """Return the media type of the document whose streams lie in a storage, "" when they prove none."""
    return next((mime for name, mime in _KINDS if name in storage.entries), "")


def _runs(table: Sequence[int], start: int, most: int) -> list[tuple[int, int]]:
    """Return a chain of at most `most` sectors as pairs of a first sector and a count of neighbours."""
    runs: list[tuple[int, int]] = []
    sector, end = start, len(table)
    while most > 0 and sector < end:
        first = sector
        following = table[sector]
        most -= 1
        while most > 0 and following == sector + 1 and following < end:
            sector = following
            following = table[sector]
            most -= 1
        runs.append((first, sector - first + 1))
        sector = following
    return runs
