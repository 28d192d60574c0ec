"""Formatting of a Word document as it is stored: pages of runs, each with a list of property modifiers (sprm).

[MS-DOC] 2.9.33 (ChpxFkp), 2.9.174 (PapxFkp) and 2.2.5. A run is addressed by bytes of the stream of the text.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from cormorant.extract.ole.doc.information import Structure, WordFile
from cormorant.extract.ole.doc.pieces import PositionIndex

_TIMES_OVER: Final = 2
_SPARE: Final = 10_000
_PAGE: Final = 512
_U32: Final = struct.Struct("<I")
_PAGE_NUMBER: Final = 0x3FFFFF
_DESCRIBED: Final = {Structure.CHARACTERS: 1, Structure.PARAGRAPHS: 13}
"""Bytes of a page that describe a run."""
_TABLE: Final = 0xD608
_SIZES: Final = (1, 1, 2, 4, 2, 2, 0, 3)


class FormattedRun(NamedTuple):
    """A run: its first byte, its end, the number of its style (of a paragraph only), its property modifiers."""

    start: int
    end: int
    style: int
    formatting: bytes


class PlacedRun(NamedTuple):
    """A run by its positions `first` to `last` (exclusive), with the operands of its property modifiers by code."""

    first: int
    last: int
    found: dict[int, bytes]
    style: int = 0


def formatted_runs(file: WordFile, which: Structure, signs: tuple[bytes, ...] = ()) -> Iterator[FormattedRun]:
    """Yield the runs of characters or paragraphs; with `signs` those whose formatting has one of them."""
    bins, described = file.structure(which), _DESCRIBED[which]
    count = max(0, (len(bins) - 4) // 8)
    numbers = dict.fromkeys(
        number & _PAGE_NUMBER for (number,) in _U32.iter_unpack(bins[(count + 1) * 4 : (count * 2 + 1) * 4])
    )
    for number in numbers:
        page = file.text[number * _PAGE : (number + 1) * _PAGE]
        if len(page) < _PAGE or (signs and not any(sign in page for sign in signs)):
            continue
        runs = page[_PAGE - 1]
        if (runs + 1) * 4 + runs * described >= _PAGE:
            continue
        ends = struct.unpack_from(f"<{runs + 1}I", page)
        for place in range(runs):
            style, formatting = _formatting(page, page[(runs + 1) * 4 + place * described] * 2, described)
            if not signs or any(sign in formatting for sign in signs):
                yield FormattedRun(ends[place], ends[place + 1], style, formatting)


def placed_runs(runs: Iterable[FormattedRun], index: PositionIndex, size: int) -> Iterator[PlacedRun]:
    """Yield the positions of runs in a text of `size` characters, as far as a sound document may have them.

    Its runs share no position.
    """
    most = _TIMES_OVER * size + _SPARE
    for run in runs:
        found = dict(modifiers(run.formatting))
        for first, last in index.positions(run.start, run.end):
            most -= last - first + 1
            if most < 0:
                return
            yield PlacedRun(first, last, found, run.style)


def modifiers(formatting: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the property modifiers (sprm) of a list with their operands: [MS-DOC] 2.2.5."""
    place = 0
    while place + 3 <= len(formatting):
        code = formatting[place] | formatting[place + 1] << 8
        place += 2
        size = _SIZES[code >> 13]
        if code == _TABLE:
            size = int.from_bytes(formatting[place : place + 2], "little") + 1
        elif not size:
            size = formatting[place] + 1
        operand = formatting[place : place + size]
        if len(operand) == size:
            yield code, operand
        place += size


def _formatting(page: bytes, place: int, described: int) -> tuple[int, bytes]:
    """Return the style and the property modifiers at a place of a page; those of characters have no style."""
    if not place or place + 2 > _PAGE:
        return 0, b""
    size = page[place]
    if described == 1:
        return 0, page[place + 1 : place + 1 + size]
    start, end = (place + 1, place + size * 2) if size else (place + 2, place + 2 + page[place + 1] * 2)
    return int.from_bytes(page[start : start + 2], "little"), page[start + 2 : end]
