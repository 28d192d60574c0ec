"""Header of a 7z archive as records.

Source: 7zFormat.txt of the LZMA SDK. A header has no more items than bytes, so no count is believed that exceeds them.

    streams      packed bytes, one after the other
    folders      chains of coders, each of which turns packed streams into one unpacked stream
    substreams   the files in the unpacked stream of a folder, one after the other
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_END: Final = 0
_ARCHIVE_PROPERTIES: Final = 2
_ADDITIONAL: Final = 3
_MAIN: Final = 4
_FILES: Final = 5
_PACK: Final = 6
_UNPACK: Final = 7
_SUBSTREAMS: Final = 8
_SIZE: Final = 9
_CRC: Final = 10
_FOLDER: Final = 11
_UNPACK_SIZE: Final = 12
_UNPACK_STREAMS: Final = 13
_EMPTY_STREAM: Final = 14
_EMPTY_FILE: Final = 15
_ANTI: Final = 16
_NAMES: Final = 17
_MODIFIED: Final = 20
_ATTRIBUTES: Final = 21
HEADER: Final = 1
ENCODED_HEADER: Final = 23

MAX_ITEMS: Final = 500_000
"""Files, folders or streams of an archive; of one with more nothing is read."""
MAX_CODERS: Final = 32
_MAX_STREAMS: Final = 32


class Coder(NamedTuple):
    """A coder of a folder: its method as bytes, its properties, how many streams go in and come out."""

    method: bytes
    properties: bytes
    inputs: int
    outputs: int


@dataclass(slots=True)
class Folder:
    """A chain of coders. `bonds` lead from an input to the output that feeds it; `packed` are inputs fed by the file.

    `sizes` are those of the outputs; `streams` those of the files in it.
    """

    coders: list[Coder]
    bonds: dict[int, int]
    packed: list[int]
    sizes: list[int] = field(default_factory=list)
    has_checksum: bool = False
    streams: list[int] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Return the bytes of the unpacked stream: that of the output that feeds no input."""
        bound = set(self.bonds.values())
        return next((size for number, size in enumerate(self.sizes) if number not in bound), 0)


@dataclass(slots=True)
class Streams:
    """The packed streams of an archive and the folders that unpack them. `position` counts from behind the start."""

    position: int = 0
    sizes: list[int] = field(default_factory=list)
    folders: list[Folder] = field(default_factory=list)


@dataclass(slots=True)
class ListedFile:
    """An entry of the list of files. `modified` is a FILETIME (100 ns since 1601), 0 when unknown."""

    name: str = ""
    has_stream: bool = True
    is_file: bool = True
    modified: int = 0
    attributes: int = 0


class Cursor:
    """Reads a header from its beginning to its end. All methods raise ValueError when there is not enough of it."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    @property
    def left(self) -> int:
        """Return how many bytes there are still."""
        return len(self._data) - self._place

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        if size < 0 or size > self.left:
            raise ValueError("the header is cut short")
        self._place += size
        return self._data[self._place - size : self._place]

    def byte(self) -> int:
        """Return the next byte."""
        return self.take(1)[0]

    def number(self) -> int:
        """Return a number of 1 to 9 bytes: the high bits of the first one count the others."""
        first = self.byte()
        for count in range(8):
            mask = 0x80 >> count
            if not first & mask:
                return (first & (mask - 1)) << (8 * count) | int.from_bytes(self.take(count), "little")
        return int.from_bytes(self.take(8), "little")

    def count(self) -> int:
        """Return a number of items that follow, each of at least a byte; the last one of a list may have none."""
        number = self.number()
        if number > min(self.left + 1, MAX_ITEMS):
            raise ValueError("the header counts more items than it has")
        return number

    def bits(self, count: int) -> list[bool]:
        """Return flags, eight to a byte, the highest bit first."""
        data = self.take((count + 7) // 8)
        return [bool(data[place >> 3] & 0x80 >> (place & 7)) for place in range(count)]

    def optional_bits(self, count: int) -> list[bool]:
        """Return flags behind a byte that says whether all are set."""
        return [True] * count if self.byte() else self.bits(count)

    def skip_checksums(self, count: int) -> list[bool]:
        """Pass over checksums; return which of the items have one."""
        defined = self.optional_bits(count)
        self.take(4 * sum(defined))
        return defined


def read_streams(cursor: Cursor) -> Streams:
    """Read the description of packed streams and folders. Raises ValueError for a broken one."""
    made = Streams()
    while (kind := cursor.byte()) != _END:
        if kind == _PACK:
            _read_packed(cursor, made)
        elif kind == _UNPACK:
            _read_folders(cursor, made)
        elif kind == _SUBSTREAMS:
            _read_substreams(cursor, made)
        else:
            raise ValueError(f"no property of streams: {kind}")
    for folder in made.folders:
        folder.streams = folder.streams or [folder.size]
    return made


def read_header(cursor: Cursor) -> tuple[Streams, list[ListedFile]]:
    """Read a header behind its first byte. Raises ValueError for a broken one."""
    streams, files = Streams(), list[ListedFile]()
    while (kind := cursor.byte()) != _END:
        if kind == _ARCHIVE_PROPERTIES:
            while cursor.byte() != _END:
                cursor.take(cursor.number())
        elif kind == _ADDITIONAL:
            read_streams(cursor)
        elif kind == _MAIN:
            streams = read_streams(cursor)
        elif kind == _FILES:
            files = _read_files(cursor)
        else:
            raise ValueError(f"no property of a header: {kind}")
    return streams, files


def _read_packed(cursor: Cursor, made: Streams) -> None:
    made.position = cursor.number()
    count = cursor.count()
    while (kind := cursor.byte()) != _END:
        if kind == _SIZE:
            made.sizes = [cursor.number() for _ in range(count)]
        elif kind == _CRC:
            cursor.skip_checksums(count)
        else:
            raise ValueError(f"no property of packed streams: {kind}")


def _read_folders(cursor: Cursor, made: Streams) -> None:
    if cursor.byte() != _FOLDER:
        raise ValueError("no folders")
    count = cursor.count()
    if cursor.byte():
        raise ValueError("folders in another stream")
    made.folders = [_read_folder(cursor) for _ in range(count)]
    while (kind := cursor.byte()) != _END:
        if kind == _UNPACK_SIZE:
            for folder in made.folders:
                folder.sizes = [cursor.number() for coder in folder.coders for _ in range(coder.outputs)]
        elif kind == _CRC:
            for folder, has in zip(made.folders, cursor.skip_checksums(count), strict=True):
                folder.has_checksum = has
        else:
            raise ValueError(f"no property of folders: {kind}")


def _read_folder(cursor: Cursor) -> Folder:
    coders = [_read_coder(cursor) for _ in range(min(cursor.count(), MAX_CODERS + 1))]
    inputs, outputs = sum(coder.inputs for coder in coders), sum(coder.outputs for coder in coders)
    if not coders or len(coders) > MAX_CODERS or inputs > _MAX_STREAMS or outputs > _MAX_STREAMS or not outputs:
        raise ValueError("a folder of too many coders, or of none")
    bonds = {cursor.number(): cursor.number() for _ in range(outputs - 1)}
    free = [number for number in range(inputs) if number not in bonds]
    packed = free if len(free) == 1 else [cursor.number() for _ in range(inputs - (outputs - 1))]
    return Folder(coders, bonds, packed)


def _read_coder(cursor: Cursor) -> Coder:
    flags = cursor.byte()
    method = cursor.take(flags & 15)
    inputs, outputs = (cursor.number(), cursor.number()) if flags & 16 else (1, 1)
    properties = cursor.take(cursor.number()) if flags & 32 else b""
    return Coder(method, properties, inputs, outputs)


def _read_substreams(cursor: Cursor, made: Streams) -> None:
    counts = [1] * len(made.folders)
    kind = cursor.byte()
    if kind == _UNPACK_STREAMS:
        counts = [cursor.count() for _ in made.folders]
        kind = cursor.byte()
    sized = kind == _SIZE
    for folder, count in zip(made.folders, counts, strict=True):
        sizes = [cursor.number() for _ in range(count - 1)] if sized else []
        folder.streams = [*sizes, max(0, folder.size - sum(sizes))] if count else []
    kind = cursor.byte() if sized else kind
    while kind != _END:
        if kind == _CRC:
            pairs = zip(made.folders, counts, strict=True)
            cursor.skip_checksums(sum(count for folder, count in pairs if count != 1 or not folder.has_checksum))
        else:
            cursor.take(cursor.number())
        kind = cursor.byte()


def _read_files(cursor: Cursor) -> list[ListedFile]:
    files = [ListedFile() for _ in range(cursor.count())]
    while (kind := cursor.byte()) != _END:
        _set_property(kind, Cursor(cursor.take(cursor.number())), files)
    return files


def _set_property(kind: int, data: Cursor, files: list[ListedFile]) -> None:
    if kind == _EMPTY_STREAM:
        _set_empty(data, files)
    elif kind in (_EMPTY_FILE, _ANTI):
        without = [file for file in files if not file.has_stream]
        for file, flag in zip(without, data.bits(len(without)), strict=True):
            # An empty file is one; an "anti" item deletes one when the archive is unpacked over others.
            file.is_file = flag if kind == _EMPTY_FILE else file.is_file and not flag
    elif kind == _NAMES:
        for file, name in zip(files, _read_names(data, len(files)), strict=False):
            file.name = name
    elif kind == _MODIFIED:
        for file, value in _values(data, files, "<Q"):
            file.modified = value
    elif kind == _ATTRIBUTES:
        for file, value in _values(data, files, "<L"):
            file.attributes = value


def _set_empty(data: Cursor, files: list[ListedFile]) -> None:
    for file, empty in zip(files, data.bits(len(files)), strict=True):
        file.has_stream, file.is_file = not empty, not empty


def _read_names(data: Cursor, count: int) -> list[str]:
    return [] if data.byte() else data.take(data.left).decode("utf-16-le", "replace").split("\0", count)


def _values(data: Cursor, files: list[ListedFile], shape: str) -> list[tuple[ListedFile, int]]:
    """Return the files that have a value, and the value."""
    defined = data.optional_bits(len(files))
    if data.byte():
        return []
    size = struct.calcsize(shape)
    return [(file, struct.unpack(shape, data.take(size))[0]) for file, has in zip(files, defined, strict=True) if has]
