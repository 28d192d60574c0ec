"""A binary workbook, which no free library writes: [MS-XLSB]."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from bench.formats.packages import zipped
from bench.formats.sample import Sample, named, sample

_TYPES: Final = """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/>
<Override PartName="/xl/worksheets/sheet1.bin" ContentType="application/vnd.ms-excel.worksheet"/>
<Override PartName="/xl/worksheets/sheet2.bin" ContentType="application/vnd.ms-excel.worksheet"/>
<Override PartName="/xl/sharedStrings.bin" ContentType="application/vnd.ms-excel.sharedStrings"/>
<Override PartName="/xl/styles.bin" ContentType="application/vnd.ms-excel.styles"/>
</Types>"""
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PLACES: Final = (
    "body", "neighbouring cells", "inline string", "formula result", "plain number", "percent as displayed",
    "percent as stored", "date as displayed", "sheet name", "hidden sheet", "hidden sheet's name", "header", "footer",
    "link target",
)  # fmt: skip


def workbook_samples() -> Iterator[Sample]:
    """Yield a workbook of two sheets, one of them hidden."""
    parts = {
        "[Content_Types].xml": _TYPES.encode(),
        "_rels/.rels": _relations(("officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": _workbook(),
        "xl/_rels/workbook.bin.rels": _relations(
            ("worksheet", "worksheets/sheet1.bin"), ("worksheet", "worksheets/sheet2.bin"),
            ("sharedStrings", "sharedStrings.bin"), ("styles", "styles.bin"),
        ),
        "xl/sharedStrings.bin": _strings("quokkabody", "quokkacellone", "quokkacelltwo", "quokkahiddensheet"),
        "xl/styles.bin": _styles(),
        "xl/worksheets/sheet1.bin": _sheet(_cells(), _heads() + _link()),
        "xl/worksheets/_rels/sheet1.bin.rels": _relations(("hyperlink", "https://example.org/quokkalinktarget")),
        "xl/worksheets/sheet2.bin": _sheet(_record(0, struct.pack("<IIHBI", 0, 0, 300, 0, 0) + bytes(4))
                                           + _record(7, struct.pack("<III", 0, 0, 3)), b""),
    }  # fmt: skip
    yield sample("xlsb", "by hand", zipped(parts), named(*_PLACES))


def _record(number: int, data: bytes = b"") -> bytes:
    """Return a record: its number and its length in seven bits each byte, and its data. [MS-XLSB] 2.1.4."""
    return _variable(number, 2) + _variable(len(data), 4) + data


def _variable(value: int, most: int) -> bytes:
    out = bytearray()
    for _ in range(most):
        out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            break
    return bytes(out)


def _text(value: str) -> bytes:
    return struct.pack("<I", len(value)) + value.encode("utf-16-le")


def _workbook() -> bytes:
    sheets = _record(156, struct.pack("<II", 0, 1) + _text("rId1") + _text("quokkasheetname"))
    sheets += _record(156, struct.pack("<II", 1, 2) + _text("rId2") + _text("quokkahiddensheetname"))
    return _record(131) + _record(143) + sheets + _record(144) + _record(132)


def _strings(*values: str) -> bytes:
    items = b"".join(_record(19, b"\0" + _text(value)) for value in values)
    return _record(159, struct.pack("<II", len(values), len(values))) + items + _record(160)


def _styles() -> bytes:
    """Return three cell formats: general, percent, and a date of its own: BrtFmt, BrtXF."""
    formats = _record(615, struct.pack("<I", 1)) + _record(44, struct.pack("<H", 164) + _text("dd\\.mm\\.yyyy"))
    cells = b"".join(_record(47, struct.pack("<HHHHHBBHH", 0, kind, 0, 0, 0, 0, 0, 0, 1)) for kind in (0, 10, 164))
    return (
        _record(278) + formats + _record(616) + _record(617, struct.pack("<I", 3)) + cells + _record(618) + _record(279)
    )


def _cells() -> bytes:
    row = _record(0, struct.pack("<IIHBI", 0, 0, 300, 0, 0) + bytes(4))
    strings = b"".join(_record(7, struct.pack("<III", column, 0, column)) for column in range(3))
    inline = _record(6, struct.pack("<II", 3, 0) + _text("quokkainlinestring"))
    number = _record(5, struct.pack("<IId", 4, 0, 58213.0))
    percent = _record(5, struct.pack("<IId", 5, 1, 0.7325))
    date = _record(5, struct.pack("<IId", 6, 2, 46095.0))
    formula = _record(8, struct.pack("<II", 7, 0) + _text("quokkaformularesult") + struct.pack("<HII", 0, 0, 0))
    return row + strings + inline + number + percent + date + formula


def _sheet(cells: bytes, after: bytes) -> bytes:
    size = _record(148, struct.pack("<IIII", 0, 0, 0, 7))
    return _record(129) + size + _record(145) + cells + _record(146) + after + _record(130)


def _heads() -> bytes:
    """Return the header and footer of a sheet: BrtBeginHeaderFooter."""
    texts = _text("&Lquokkaheader") + _text("&Cquokkafooter") + struct.pack("<IIII", *[0xFFFFFFFF] * 4)
    return _record(479, struct.pack("<H", 0) + texts) + _record(480)


def _link() -> bytes:
    return _record(494, struct.pack("<IIII", 0, 0, 0, 0) + _text("rId1") + _text("") + _text("") + _text(""))


def _relations(*targets: tuple[str, str]) -> bytes:
    rows = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{target}"'
        f"{' TargetMode=' + chr(34) + 'External' + chr(34) if kind == 'hyperlink' else ''}/>"
        for number, (kind, target) in enumerate(targets, 1)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="{space}">{rows}</Relationships>'.encode()
