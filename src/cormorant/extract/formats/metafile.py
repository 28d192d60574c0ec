"""Text in Windows metafiles, pictures that are lists of drawing orders: EMF [MS-EMF], EMF+ [MS-EMFPLUS], WMF [MS-WMF].

    order --text, position, width--> line of words

A program may draw a word in several pieces. Pieces on one height that touch are one word, those apart are words of one
line. Glyphs without their characters, and signs of fonts like Wingdings, are skipped.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Mapping
from heapq import heappop, heappush
from typing import Final, NamedTuple

from cormorant.extract.formats.drawn_text import DrawingOrders, DrawnText, MetafileFont, metafile_font, shown_text
from cormorant.extract.job import ExtractionTask
from cormorant.extract.sanitize import clean_lines, name_of
from cormorant.model.content import Extraction

MAX_METAFILE: Final = 32 * 1024 * 1024
"""Bytes of a picture that are read."""
MAX_BYTES: Final = 128 * 1024 * 1024
"""Bytes of all pictures of a document that are read."""
MAX_ORDERS: Final = 1_000_000
"""Drawing orders of a picture that are read."""

_PLACEABLE: Final = b"\xd7\xcd\xc6\x9a"
_PLACEABLE_SIZE: Final = 22
_WMF_STARTS: Final = tuple(kind + b"\0\x09\0\0" + version for kind in (b"\1", b"\2") for version in (b"\1", b"\3"))
_WMF_HEADER: Final = 18
_EMF_START: Final = b"\1\0\0\0"
_EMF_MARK: Final = slice(40, 44)
_GZIP: Final = b"\x1f\x8b\x08"
_ORDER: Final = struct.Struct("<II")
_WMF_ORDER: Final = struct.Struct("<IH")
_U16: Final = struct.Struct("<H")
_U32: Final = struct.Struct("<I")
_POINT: Final = struct.Struct("<ii")
_SMALL_POINT: Final = struct.Struct("<hh")

_GLYPHS: Final = 0x10
_HAS_RECTANGLE: Final = 0x06
_NO_RECTANGLE: Final = 0x100
_SMALL_CHARACTERS: Final = 0x200
_PAIRS: Final = 0x2000
_PLUS: Final = b"EMF+"
_PLUS_ORDER: Final = struct.Struct("<HHII")
_PLUS_STRING, _PLUS_GLYPHS = 0x401C, 0x4036
_BY_CHARACTER: Final = 1
_NAME_SIZE: Final = 64


class MetafileText(NamedTuple):
    """The lines of text in a picture, and whether it was read to its end."""

    lines: list[str]
    complete: bool


def extract_metafile(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text in a metafile, which may be none."""
    found = read_metafile(body)
    return Extraction(
        text=clean_lines("\n".join(found.lines)),
        title=name_of(task.address, task.file_name),
        truncated=not found.complete,
        fault="" if found.complete else "The picture ends too early, or is larger than is read.",
    )


def is_metafile(data: bytes) -> bool:
    """Return whether bytes begin a metafile that is not compressed."""
    return _is_emf(data) or data.startswith((_PLACEABLE, *_WMF_STARTS))


def read_metafile(data: bytes) -> MetafileText:
    """Return the text in a metafile, compressed by gzip (EMZ, WMZ) or not; none in other data."""
    if data.startswith(_GZIP):
        data = _inflated(data)
    whole = len(data) <= MAX_METAFILE
    data = data[:MAX_METAFILE]
    if _is_emf(data):
        orders: DrawingOrders = _EmfOrders(data)
    elif is_metafile(data):
        orders = _WmfOrders(data)
    else:
        return MetafileText([], complete=True)
    complete = orders.read()
    return MetafileText(orders.lines(), complete and whole)


class PictureText:
    """The texts of the pictures of one document, within bounds that they share."""

    def __init__(self) -> None:
        self._left = MAX_BYTES

    def admit(self, size: int) -> bool:
        """Count bytes that are about to be read; return whether they are within the bounds."""
        self._left -= size
        return self._left >= 0

    def lines(self, data: bytes) -> list[str]:
        """Return the lines of text in a picture, none for one that is no metafile or beyond the bounds."""
        if not self.admit(len(data)):
            return []
        if data.startswith(_GZIP):
            data = _inflated(data)
            self.admit(len(data))
        return read_metafile(data).lines


def _is_emf(data: bytes) -> bool:
    return data.startswith(_EMF_START) and data[_EMF_MARK] == b" EMF"


def _inflated(data: bytes) -> bytes:
    inflator = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        return inflator.decompress(data, MAX_METAFILE + 1)
    except zlib.error:
        return b""


class _EmfOrders(DrawingOrders):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._fonts: dict[int, MetafileFont] = {}
        self._plus = DrawnText()
        self._readers: Mapping[int, Callable[[bytes], None]] = {
            22: self._on_align, 27: self._on_move, 37: self._on_select, 70: self._on_comment, 82: self._on_font,
            83: self._on_bytes, 84: self._on_characters, 96: self._on_many_bytes, 97: self._on_many_characters,
            108: self._on_small_text,
        }  # fmt: skip

    def read(self) -> bool:
        place, end = 0, len(self.data)
        for _ in range(MAX_ORDERS):
            if place + _ORDER.size > end:
                return False
            kind, size = _ORDER.unpack_from(self.data, place)
            if kind == 14:
                return True
            if size < _ORDER.size or place + size > end:
                return False
            reader = self._readers.get(kind)
            if reader is not None:
                _carry_out(reader, self.data[place : place + size])
            place += size
        return False

    def lines(self) -> list[str]:
        """Return the lines of text; those in EMF+ orders only where the usual orders do not draw them too."""
        self._plus.end()
        found = super().lines()
        known = " ".join(found)
        return found + [line for line in self._plus.lines if line not in known]

    def _on_align(self, order: bytes) -> None:
        self.align = _U32.unpack_from(order, 8)[0]

    def _on_move(self, order: bytes) -> None:
        self.move_to(*_POINT.unpack_from(order, 8))

    def _on_font(self, order: bytes) -> None:
        name = order[40 : 40 + _NAME_SIZE].decode("utf-16-le", "replace")
        height = struct.unpack_from("<i", order, 12)[0]
        self._fonts[_U32.unpack_from(order, 8)[0]] = metafile_font(order[35], name, height)

    def _on_select(self, order: bytes) -> None:
        self.font = self._fonts.get(_U32.unpack_from(order, 8)[0], self.font)

    def _on_characters(self, order: bytes) -> None:
        self._text(order, 36, "utf-16-le")

    def _on_bytes(self, order: bytes) -> None:
        self._text(order, 36, self.font.codec)

    def _on_many_characters(self, order: bytes) -> None:
        self._many(order, "utf-16-le")

    def _on_many_bytes(self, order: bytes) -> None:
        self._many(order, self.font.codec)

    def _many(self, order: bytes, codec: str) -> None:
        count = min(_U32.unpack_from(order, 36)[0], len(order) // 40)
        for number in range(count):
            self._text(order, 40 + 40 * number, codec)

    def _text(self, order: bytes, place: int, codec: str) -> None:
        """Draw a text object: [MS-EMF] 2.2.5."""
        x, y, count, start, options = struct.unpack_from("<iiIII", order, place)
        distances = _U32.unpack_from(order, place + 36)[0]
        if not options & _GLYPHS:
            size = count * 2 if codec == "utf-16-le" else count
            width = _sum(order, distances, count, "i", options)
            self.draw(order[start : start + size].decode(codec, "replace"), x, y, width)

    def _on_small_text(self, order: bytes) -> None:
        """Draw a text without distances: [MS-EMF] 2.3.5.37."""
        x, y, count, options = struct.unpack_from("<iiII", order, 8)
        start = 36 if options & _NO_RECTANGLE else 52
        if options & _GLYPHS:
            return
        if options & _SMALL_CHARACTERS:
            text = order[start : start + count].decode("latin-1")
        else:
            text = order[start : start + 2 * count].decode("utf-16-le", "replace")
        self.draw(text, x, y, None)

    def _on_comment(self, order: bytes) -> None:
        """Read the EMF+ orders in a comment: [MS-EMFPLUS] 2.3."""
        if order[12:16] != _PLUS:
            return
        place = 16
        while place + _PLUS_ORDER.size <= len(order):
            kind, _, size, data_size = _PLUS_ORDER.unpack_from(order, place)
            if size < _PLUS_ORDER.size:
                return
            data = order[place + _PLUS_ORDER.size : place + min(size, _PLUS_ORDER.size + data_size)]
            if kind == _PLUS_STRING:
                _, _, count, x, y = struct.unpack_from("<IIIff", data)
                self._plus.add(shown_text(data[28 : 28 + 2 * count].decode("utf-16-le", "replace")), x, y, None)
            elif kind == _PLUS_GLYPHS:
                self._on_plus_glyphs(data)
            place += size

    def _on_plus_glyphs(self, data: bytes) -> None:
        """Draw characters each at a place of its own: [MS-EMFPLUS] 2.3.4.6; glyphs without characters are skipped."""
        _, options, _, count = struct.unpack_from("<IIII", data)
        count = min(count, len(data) // 10)
        if options & _BY_CHARACTER and count:
            text = shown_text(data[16 : 16 + 2 * count].decode("utf-16-le", "replace"))
            place = 16 + 2 * count
            place += place % 4
            x, y = struct.unpack_from("<ff", data, place)
            last = struct.unpack_from("<f", data, place + 8 * (count - 1))[0]
            self._plus.add(text, x, y, (last - x) * count / max(1, count - 1))


class _WmfOrders(DrawingOrders):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._objects: dict[int, MetafileFont | None] = {}
        self._free: list[int] = []
        self._count = 0
        self._readers: Mapping[int, Callable[[bytes], None]] = {
            0x012E: self._on_align, 0x0214: self._on_move, 0x012D: self._on_select, 0x01F0: self._on_delete,
            0x02FB: self._on_font, 0x0521: self._on_text, 0x0A32: self._on_placed_text,
            **dict.fromkeys((0x00F7, 0x01F9, 0x02FA, 0x02FC, 0x0142, 0x06FF), self._on_object),
        }  # fmt: skip

    def read(self) -> bool:
        place = (_PLACEABLE_SIZE if self.data.startswith(_PLACEABLE) else 0) + _WMF_HEADER
        for _ in range(MAX_ORDERS):
            if place + _WMF_ORDER.size > len(self.data):
                return False
            size, kind = _WMF_ORDER.unpack_from(self.data, place)
            if kind == 0:
                return True
            if size < 3 or place + 2 * size > len(self.data):
                return False
            reader = self._readers.get(kind)
            if reader is not None:
                _carry_out(reader, self.data[place + 6 : place + 2 * size])
            place += 2 * size
        return False

    def _add_object(self, font: MetafileFont | None) -> None:
        """Give an object the lowest number that is free: [MS-WMF] 3.1.4.1."""
        number = heappop(self._free) if self._free else self._count
        self._count = max(self._count, number + 1)
        self._objects[number] = font

    def _on_object(self, _: bytes) -> None:
        self._add_object(None)

    def _on_font(self, order: bytes) -> None:
        name = order[18 : 18 + _NAME_SIZE // 2].partition(b"\0")[0].decode("latin-1")
        self._add_object(metafile_font(order[13], name, struct.unpack_from("<h", order)[0]))

    def _on_select(self, order: bytes) -> None:
        self.font = self._objects.get(_U16.unpack_from(order)[0]) or self.font

    def _on_delete(self, order: bytes) -> None:
        number = _U16.unpack_from(order)[0]
        if number in self._objects:
            del self._objects[number]
            heappush(self._free, number)

    def _on_align(self, order: bytes) -> None:
        self.align = _U16.unpack_from(order)[0]

    def _on_move(self, order: bytes) -> None:
        y, x = _SMALL_POINT.unpack_from(order)
        self.move_to(x, y)

    def _on_text(self, order: bytes) -> None:
        """Draw a text: [MS-WMF] 2.3.3.20 (META_TEXTOUT)."""
        count = _U16.unpack_from(order)[0]
        y, x = _SMALL_POINT.unpack_from(order, 2 + count + count % 2)
        self.draw(order[2 : 2 + count].decode(self.font.codec, "replace"), x, y, None)

    def _on_placed_text(self, order: bytes) -> None:
        """Draw a text with distances: [MS-WMF] 2.3.3.5 (META_EXTTEXTOUT)."""
        y, x, count, options = struct.unpack_from("<hhHH", order)
        start = 16 if options & _HAS_RECTANGLE else 8
        if not options & _GLYPHS:
            text = order[start : start + count].decode(self.font.codec, "replace")
            self.draw(text, x, y, _sum(order, start + count + count % 2, count, "h", options))


def _carry_out(reader: Callable[[bytes], None], order: bytes) -> None:
    """Read an order; one that is too short draws nothing."""
    try:
        reader(order)
    except (struct.error, IndexError):
        return


def _sum(order: bytes, place: int, count: int, kind: str, options: int) -> float | None:
    """Return the width of a text, the sum of the distances of its characters; None when the order has none."""
    step = 2 if options & _PAIRS else 1
    size = struct.calcsize(kind)
    if not place or place + count * step * size > len(order):
        return None
    distances: tuple[int, ...] = struct.unpack_from(f"<{count * step}{kind}", order, place)
    return sum(distances[::step])
