"""Small XLS workbooks, written by hand record by record: [MS-XLS]."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence

from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.compound_writer import write_compound
from cormorant.extract.ole.excel import extract_xls
from cormorant.model.content import Extraction
from tests.extract.writers import _rc4

TASK = ExtractionTask("application/vnd.ms-excel", "https://host.example/folder/figures.xls")
GLOBALS, SHEET, CHART = 0x05, 0x10, 0x20
CONTINUE = 0x3C


def record(kind: int, *data: bytes) -> bytes:
    """Return a record."""
    body = b"".join(data)
    return struct.pack("<HH", kind, len(body)) + body


END = record(0x0A)


def bof(kind: int = SHEET, version: int = 0x0600) -> bytes:
    """Return the beginning of a substream."""
    return record(0x0809, struct.pack("<HHHH", version, kind, 0, 0), bytes(8))


def characters(text: str) -> bytes:
    """Return the byte that says how wide characters are, and the characters."""
    try:
        return b"\0" + text.encode("latin-1")
    except UnicodeEncodeError:
        return b"\1" + text.encode("utf-16-le")


def long(text: str) -> bytes:
    """Return an XLUnicodeString."""
    return struct.pack("<H", len(text)) + characters(text)


def short(text: str) -> bytes:
    """Return a ShortXLUnicodeString."""
    return bytes((len(text),)) + characters(text)


def at(row: int, column: int = 0, style: int = 0) -> bytes:
    """Return the beginning of a cell."""
    return struct.pack("<HHH", row, column, style)


def shared(row: int, number: int, column: int = 0) -> bytes:
    """Return a cell with a shared string."""
    return record(0xFD, at(row, column), struct.pack("<I", number))


def label(row: int, text: str, column: int = 0, style: int = 0) -> bytes:
    """Return a cell with a text of its own."""
    return record(0x0204, at(row, column, style), long(text))


def number(row: int, value: float, style: int = 0) -> bytes:
    """Return a cell with a number."""
    return record(0x0203, at(row, 1, style), struct.pack("<d", value))


def formula(row: int, result: bytes, tokens: bytes = b"", column: int = 0) -> bytes:
    """Return a cell with a formula and its result of eight bytes."""
    return record(0x06, at(row, column), result, bytes(6), struct.pack("<H", len(tokens)), tokens)


def text_box(text: str, kind: int = 6) -> bytes:
    """Return a text box; kind 0x19 is that of a comment."""
    about = record(0x5D, struct.pack("<HHHH", 0x15, 0x12, kind, 1), bytes(14))
    box = record(0x01B6, bytes(10), struct.pack("<HHI", len(text), 16, 0))
    return about + box + record(CONTINUE, characters(text)) + record(CONTINUE, bytes(16))


def stream(
    sheets: Mapping[str, bytes], *, strings: bytes = b"", codes: Sequence[str] = (), before: bytes = b""
) -> bytes:
    """Return the stream of a workbook; `codes` are number formats of the styles 1 and up, `strings` the SST records."""
    formats = b"".join(record(0x041E, struct.pack("<H", 164 + place), long(code)) for place, code in enumerate(codes))
    ids = (0, *range(164, 164 + len(codes)))
    styles = b"".join(record(0xE0, struct.pack("<HH", 0, each), bytes(16)) for each in ids)
    listed = sum(len(record(0x85, bytes(6), short(name))) for name in sheets)
    head = bof(GLOBALS) + before + formats + styles
    place = len(head) + listed + len(strings) + len(END)
    names, bodies = b"", b""
    for name, body in sheets.items():
        names += record(0x85, struct.pack("<IH", place + len(bodies), 0), short(name))
        bodies += body
    return head + names + strings + END + bodies


def sheet(*records: bytes) -> bytes:
    """Return the substream of a sheet."""
    return bof() + b"".join(records) + END


def table(*texts: str) -> bytes:
    """Return the shared strings."""
    return record(0xFC, struct.pack("<II", len(texts), len(texts)), *(long(text) for text in texts))


def read(*records: bytes, strings: bytes = b"", codes: Sequence[str] = (), before: bytes = b"") -> Extraction:
    """Return what the reader says of a workbook of one sheet, `Stock`."""
    return read_stream(stream({"Stock": sheet(*records)}, strings=strings, codes=codes, before=before))


def read_stream(data: bytes, name: str = "Workbook") -> Extraction:
    """Return what the reader says of a workbook whose stream this is."""
    return extract_xls(write_compound({name: data}), TASK)


def locked(plain: bytes, password: str) -> bytes:
    """Return a stream encrypted with RC4 of 40 bits; it has to have room for it after its first record: `room`."""
    salt, verifier = b"0123456789abcdef", b"fedcba9876543210"
    first = hashlib.md5(password.encode("utf-16-le")).digest()[:5]
    middle = hashlib.md5((first + salt) * 16).digest()[:5]
    keys = [hashlib.md5(middle + struct.pack("<I", each)).digest() for each in range(len(plain) // 1024 + 1)]
    proof = _rc4(keys[0], verifier + hashlib.md5(verifier).digest())
    about = record(0x2F, struct.pack("<HHH", 1, 1, 1), salt, proof)
    plain = plain.replace(room(), about, 1)
    mixed = b"".join(_rc4(key, plain[place * 1024 : place * 1024 + 1024]) for place, key in enumerate(keys))
    out, place = bytearray(mixed), 0
    while place < len(plain):
        kind, size = struct.unpack_from("<HH", plain, place)
        kept = size if kind in (0x0809, 0x2F) else 4 if kind == 0x85 else 0
        out[place : place + 4 + kept] = plain[place : place + 4 + kept]
        place += 4 + size
    return bytes(out)


def room() -> bytes:
    """Return a record without meaning, as long as that of the encryption."""
    return record(0x2E, bytes(54))
