"""A workspace of Excel 4, whose records lie in no container: OpenOffice's description of the file format, 4 and 5."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from bench.formats.sample import Sample, named, sample

_PLACES: Final = (
    "body", "neighbouring cells", "formula result", "plain number", "percent as displayed", "date as displayed",
    "date as stored", "sheet name", "header", "footer", "comment",
)  # fmt: skip
_SHEET, _WORKSPACE = 0x10, 0x100
_END: Final = struct.pack("<HH", 0x0A, 0)


def old_workbook_samples() -> Iterator[Sample]:
    """Yield a workspace of one sheet."""
    inner = _begin(_SHEET) + _sheet() + _END
    page = _record(0x42, struct.pack("<H", 1252))
    name = _record(0x8F, struct.pack("<I", len(inner)), _short("quokkasheetname"))
    yield sample("xls", "by hand, Excel 4", _begin(_WORKSPACE) + page + name + inner + _END, named(*_PLACES))


def _sheet() -> bytes:
    formats = b"".join(_record(0x041E, b"\0\0", _short(code)) for code in ("General", "0.00%", "dd\\.mm\\.yyyy"))
    styles = b"".join(_record(0x0443, bytes((0, number)), bytes(10)) for number in range(3))
    heads = _record(0x14, _short("&Lquokkaheader")) + _record(0x15, _short("&Cquokkafooter"))
    cells = b"".join(
        _label(column, text) for column, text in enumerate(("quokkabody", "quokkacellone", "quokkacelltwo"))
    )
    numbers = ((3, 0, 58213.0), (4, 1, 0.7325), (5, 2, 46095.0))
    cells += b"".join(_record(0x0203, struct.pack("<HHHd", 0, column, style, each)) for column, style, each in numbers)
    cells += _record(0x0406, struct.pack("<HHH", 0, 6, 0), b"\0" * 6 + b"\xff\xff", bytes(4))
    cells += _record(0x0207, _long("quokkaformularesult"))
    return heads + formats + styles + cells + _record(0x1C, struct.pack("<HH", 0, 0), _long("quokkacomment"))


def _begin(kind: int) -> bytes:
    return _record(0x0409, struct.pack("<HHH", 4, kind, 0))


def _record(kind: int, *data: bytes) -> bytes:
    body = b"".join(data)
    return struct.pack("<HH", kind, len(body)) + body


def _label(column: int, text: str) -> bytes:
    return _record(0x0204, struct.pack("<HHH", 0, column, 0), _long(text))


def _short(text: str) -> bytes:
    return bytes((len(text),)) + text.encode("ascii")


def _long(text: str) -> bytes:
    return struct.pack("<H", len(text)) + text.encode("ascii")
