"""Lists of a Word document and the styles that have them: [MS-DOC] 2.9.184 (PlfLst), 2.9.183 (PlfLfo), 2.9.271 (STSH).

PlfLst ──> definitions, each of one or nine levels ──shared by──> PlfLfo ──> lists, which may begin at other numbers
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from cormorant.extract.document.list_counter import LEVELS, MAX_LABEL, MAX_START, ListLevel
from cormorant.extract.ole.doc.formatted_runs import modifiers
from cormorant.extract.ole.doc.information import Structure, WordFile

LIST: Final = 0x460B
"""Property modifier of the number of a paragraph's list (sprmPIlfo)."""
LEVEL: Final = 0x260A
"""Property modifier of its level (sprmPIlvl)."""

_MAX_BASES: Final = 20
_FORMATS: Final = {
    0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 10: "ideographDigital",
    11: "japaneseCounting", 17: "japaneseDigitalTenThousand", 22: "decimalZero", 23: "bullet", 33: "taiwaneseCounting",
    35: "taiwaneseCountingThousand", 36: "taiwaneseDigital", 37: "chineseCounting", 39: "chineseCountingThousand",
    44: "koreanDigital2", 58: "russianLower", 59: "russianUpper", 255: "none",
}  # fmt: skip
"""Formats of numbers ([MS-OSHARED] 2.2.1.3) by their names in ECMA-376-1 17.18.59; others are shown in digits."""

_U16: Final = struct.Struct("<H")
_DEFINITION: Final = struct.Struct("<i4x9HBx")
_LEVEL: Final = struct.Struct("<IBB9x9xBBBx")
_LIST: Final = struct.Struct("<i8xB3x")
_OVERRIDE: Final = struct.Struct("<IB3x")
_SIMPLE, _LEGAL, _GOES_ON = 1, 4, 8
_STARTS, _FORMATTED, _PLACE = 0x10, 0x20, 0x0F
_NO_STYLE: Final = 0x0FFF
_PARAGRAPH_STYLE: Final = 1
_NUMBERS_OF_STYLE: Final = struct.Struct("<2xHH")


class WordList(NamedTuple):
    """A list: the number of its definition, its levels, and the numbers at which some of them begin."""

    definition: int
    levels: Mapping[int, ListLevel]
    starts: Mapping[int, int] = MappingProxyType({})


class ListReference(NamedTuple):
    """The list of a paragraph or style by its number from 1 on, and its level; None for what is not stated."""

    number: int | None = None
    level: int | None = None


def list_reference(found: dict[int, bytes]) -> ListReference:
    """Return the list that property modifiers name."""
    number, level = found.get(LIST), found.get(LEVEL)
    return ListReference(
        None if number is None else int.from_bytes(number, "little", signed=True), None if level is None else level[0]
    )


def read_lists(file: WordFile) -> list[WordList]:
    """Return the lists of a document in their order, none for Word 6 and 95."""
    data = file.structure(Structure.LISTS)
    if len(data) < 4:
        return []
    definitions = _read_definitions(file)
    count = min(int.from_bytes(data[:4], "little"), (len(data) - 4) // _LIST.size)
    place = 4 + count * _LIST.size
    lists: list[WordList] = []
    for number in range(count):
        definition, overrides = _LIST.unpack_from(data, 4 + number * _LIST.size)
        made, place = _with_overrides(data, place + 4, overrides, WordList(definition, definitions.get(definition, {})))
        lists.append(made)
    return lists


def _with_overrides(data: bytes, place: int, count: int, made: WordList) -> tuple[WordList, int]:
    """Return a list with levels and numbers of its own (LFOLVL, [MS-DOC] 2.9.132), and where they end."""
    levels, starts = dict(made.levels), dict[int, int]()
    for _ in range(count):
        if place + _OVERRIDE.size > len(data):
            break
        start, flags = _OVERRIDE.unpack_from(data, place)
        place += _OVERRIDE.size
        number = flags & _PLACE
        if flags & _FORMATTED:
            level, place = _read_level(data, place, "")
            if level is None:
                break
            levels[number], start = level, level.start
        if flags & _STARTS:
            starts[number] = min(start, MAX_START)
    return made._replace(levels=levels, starts=starts), place


def _read_definitions(file: WordFile) -> dict[int, dict[int, ListLevel]]:
    """Return the levels of each definition by its identifier; they follow the structure that the block names."""
    size = len(file.structure(Structure.LIST_DEFINITIONS))
    data = file.beginning_at(Structure.LIST_DEFINITIONS)
    count = min(int.from_bytes(data[:2], "little"), max(0, size - 2) // _DEFINITION.size)
    place = 2 + count * _DEFINITION.size
    found: dict[int, dict[int, ListLevel]] = {}
    for number in range(count):
        identity, *styles, flags = _DEFINITION.unpack_from(data, 2 + number * _DEFINITION.size)
        levels = found.setdefault(identity, {})
        for level in range(1 if flags & _SIMPLE else LEVELS):
            style = "" if styles[level] == _NO_STYLE else str(styles[level])
            made, place = _read_level(data, place, style)
            if made is None:
                return found
            levels[level] = made
    return found


def _read_level(data: bytes, place: int, style: str) -> tuple[ListLevel | None, int]:
    """Return a level (LVL, [MS-DOC] 2.9.149), None when the data ends within it, and where it ends."""
    if place + _LEVEL.size > len(data):
        return None, place
    start, code, flags, characters, paragraph, limit = _LEVEL.unpack_from(data, place)
    place += _LEVEL.size + characters + paragraph
    size = int.from_bytes(data[place : place + 2], "little") * 2
    text = data[place + 2 : place + 2 + min(size, MAX_LABEL * 2)]
    level = ListLevel(
        start=min(start, MAX_START),
        number_format=_FORMATS.get(code, "decimal"),
        text=text.decode("utf-16-le", "replace"),
        restarts_below=limit if flags & _GOES_ON else LEVELS,
        is_legal=bool(flags & _LEGAL),
        style=style,
    )
    return level, place + 2 + size


class ParagraphStyles:
    """The paragraph styles of a document by number, as far as they put paragraphs into lists."""

    def __init__(self, file: WordFile) -> None:
        """Read the style sheet: [MS-DOC] 2.9.271."""
        self._bases: dict[int, int] = {}
        self._lists: dict[int, ListReference] = {}
        data = file.structure(Structure.STYLES)
        head = int.from_bytes(data[:2], "little")
        if head < 4 or len(data) < 2 + head:
            return
        count, base_size = struct.unpack_from("<HH", data, 2)
        place = 2 + head
        for number in range(count):
            size = int.from_bytes(data[place : place + 2], "little")
            self._read_style(number, data[place + 2 : place + 2 + size], base_size)
            place += 2 + size + (size & 1)
            if place >= len(data):
                return

    def list_of(self, style: int) -> ListReference:
        """Return the list of a style, or else of the style that it is based on."""
        number: int | None = None
        level: int | None = None
        for _ in range(_MAX_BASES):
            stated = self._lists.get(style, ListReference())
            level = stated.level if level is None else level
            number = stated.number
            style = self._bases.get(style, _NO_STYLE)
            if number is not None or style == _NO_STYLE:
                break
        return ListReference(number, level)

    def _read_style(self, number: int, data: bytes, base_size: int) -> None:
        """Read a style (STD, [MS-DOC] 2.9.258): its base, its name, the formatting of its paragraphs."""
        if len(data) < base_size or base_size < _NUMBERS_OF_STYLE.size:
            return
        kind, _ = _NUMBERS_OF_STYLE.unpack_from(data)
        self._bases[number] = kind >> 4
        if kind & 0xF != _PARAGRAPH_STYLE:
            return
        place = base_size + 2 + int.from_bytes(data[base_size : base_size + 2], "little") * 2 + 2
        place += place & 1
        size = int.from_bytes(data[place : place + 2], "little")
        formatting = data[place + 4 : place + 2 + size]
        self._lists[number] = list_reference(dict(modifiers(formatting)))
