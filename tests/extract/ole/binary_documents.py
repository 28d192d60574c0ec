"""Small Word, PowerPoint and Outlook documents in the forms of 1997, written here byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cormorant.extract.ole.compound_writer import Tree, write_compound

TEXT_AT = 1024
PAGE = 512
CHARACTERS, PARAGRAPHS, FONTS, PIECES, ANCHORS, TEXT_BOXES = 12, 13, 15, 33, 40, 56


class Run(NamedTuple):
    """Formatting of the positions from `first` to `last` (exclusive), a paragraph's with the number of its style."""

    first: int
    last: int
    formatting: bytes
    style: int = 0


def sprm(code: int, operand: bytes) -> bytes:
    return struct.pack("<H", code) + operand


def word_document(
    parts: Sequence[str],
    *,
    runs: Sequence[Run] = (),
    paragraphs: Sequence[Run] = (),
    structures: Mapping[int, bytes | tuple[bytes, bytes]] | None = None,
    streams: Tree | None = None,
    flags: int = 0x1200,
) -> bytes:
    """Return a document of these parts: main text, footnotes, headers, macros, comments, endnotes, boxes, header boxes.

    The text is one piece of UTF-16. A structure may be a pair: its bytes, and those that follow it and do not count as
    its own.
    """
    text = "".join(parts).encode("utf-16-le")
    counts = [len(part.encode("utf-16-le")) // 2 for part in parts]
    stream = bytearray(TEXT_AT) + text
    stream += bytes(-len(stream) % PAGE)
    found: dict[int, bytes | tuple[bytes, bytes]] = {PIECES: clx([(0, len(text) // 2, TEXT_AT, 0)])}
    found.update(structures or {})
    for which, described in ((CHARACTERS, runs), (PARAGRAPHS, paragraphs)):
        if described:
            found[which] = struct.pack("<III", TEXT_AT, TEXT_AT + len(text), len(stream) // PAGE)
            stream += formatted_page(described, 13 if which == PARAGRAPHS else 1)
    table = bytearray()
    struct.pack_into("<HH6xH", stream, 0, 0xA5EC, 0xC1, flags)
    struct.pack_into("<II", stream, 0x18, TEXT_AT, TEXT_AT + len(text))
    struct.pack_into(f"<{len(counts)}i", stream, 0x4C, *counts)
    for which, structure in found.items():
        data, behind = structure if isinstance(structure, tuple) else (structure, b"")
        struct.pack_into("<II", stream, 0x9A + which * 8, len(table), len(data))
        table += data + behind
    return write_compound({"WordDocument": bytes(stream), "1Table": bytes(table), **(streams or {})})


def clx(pieces: Sequence[tuple[int, int, int, int]], changes: Sequence[bytes] = ()) -> bytes:
    """Return a table of pieces: first position, last, byte, modifier.

    The byte of text in bytes is twice its place, with 0x40000000.
    """
    before = b"".join(b"\x01" + struct.pack("<H", len(change)) + change for change in changes)
    positions = [pieces[0][0], *(last for _, last, _, _ in pieces)]
    table = struct.pack(f"<{len(positions)}I", *positions)
    table += b"".join(struct.pack("<HIH", 0, start, modifier) for _, _, start, modifier in pieces)
    return before + b"\x02" + struct.pack("<I", len(table)) + table


def formatted_page(runs: Sequence[Run], described: int) -> bytes:
    """Return a page of formatting of characters (described by one byte each) or of paragraphs (13)."""
    borders, formats = [0], [b""]
    for run in runs:
        if run.first != borders[-1]:
            borders.append(run.first)
            formats.append(b"")
        formats[-1] = struct.pack("<H", run.style) + run.formatting if described == 13 else run.formatting
        borders.append(run.last)
        formats.append(b"")
    borders.append(1_000_000)
    page = bytearray(PAGE)
    struct.pack_into(f"<{len(borders)}I", page, 0, *(TEXT_AT + border * 2 for border in borders))
    place, at = PAGE - 2, len(borders) * 4
    for number, formatting in enumerate(formats):
        if formatting:
            if described == 13:
                written = bytes((0, (len(formatting) + 1) // 2)) + formatting
            else:
                written = bytes((len(formatting),)) + formatting
            place = place - len(written) & ~1
            page[place : place + len(written)] = written
            page[at + number * described] = place // 2
    page[PAGE - 1] = len(formats)
    return bytes(page)


def record(kind: int, body: bytes = b"", *, instance: int = 0, container: bool = False) -> bytes:
    """Return a record of PowerPoint or of a drawing."""
    return struct.pack("<HHI", instance << 4 | (15 if container else 0), kind, len(body)) + body


def container(kind: int, *children: bytes, instance: int = 0) -> bytes:
    return record(kind, b"".join(children), instance=instance, container=True)


def characters(text: str) -> bytes:
    return record(0x0FA0, text.encode("utf-16-le"))


def string(text: str, instance: int = 0) -> bytes:
    return record(0x0FBA, text.encode("utf-16-le"), instance=instance)


def shape(*text_box: bytes, placeholder: bool = False, drawn: bytes = b"") -> bytes:
    """Return a shape; `drawn` are records of its drawing."""
    data = container(0xF011, record(0x0BC3, bytes(8))) if placeholder else b""
    return container(0xF004, drawn, data, container(0xF00D, record(0x0F9F, bytes(4)), *text_box))


def slide(*shapes: bytes, notes: int = 0, after: bytes = b"", kind: int = 0x03EE) -> bytes:
    atom = record(0x03EF, bytes(16) + struct.pack("<II", notes, 0))
    return container(kind, atom, container(0x040C, container(0xF002, container(0xF003, *shapes))), after)


def outline(*texts: str) -> bytes:
    return b"".join(record(0x0F9F, bytes(4)) + characters(text) for text in texts)


class Page(NamedTuple):
    """A slide, notes or master with its number, and the texts that the list of pages has of it."""

    record: bytes
    number: int = 256
    outline: bytes = b""


def powerpoint_document(
    slides: Sequence[Page],
    *,
    notes: Sequence[Page] = (),
    masters: Sequence[Page] = (),
    document: bytes = b"",
    objects: Sequence[bytes] = (),
    encrypted: bool = False,
) -> bytes:
    """Return a presentation; `document` are further records of its document, `objects` further ones with a number."""
    pages = [*slides, *notes, *masters]
    lists, number = b"", 2
    for instance, listed in ((0, slides), (2, notes), (1, masters)):
        entries = b""
        for page in listed:
            entries += record(0x03F3, struct.pack("<IIiII", number, 0, 0, page.number, 0)) + page.outline
            number += 1
        lists += record(0x0FF0, entries, instance=instance, container=True) if listed else b""
    stored = [container(0x03E8, document, lists), *(page.record for page in pages), *objects]
    stream, places = b"", []
    for each in stored:
        places.append(len(stream))
        stream += each
    directory = len(stream)
    stream += record(0x1772, struct.pack(f"<I{len(places)}I", len(places) << 20 | 1, *places))
    edit = len(stream)
    stream += record(0x0FF5, struct.pack("<IIIIIIHH", 0, 0, 0, directory, 1, len(places) + 1, 0, 0))
    token = 0xF3D1C4DF if encrypted else 0xE391C05F
    user = record(0x0FF6, struct.pack("<III", 20, token, edit))
    return write_compound({"PowerPoint Document": stream, "Current User": user})


Properties = Mapping[int, "str | bytes | int | Tree"]
"""Values by number: text, bytes, numbers, storages."""


def message_tree(
    properties: Properties,
    recipients: Sequence[Properties] = (),
    attachments: Sequence[Properties] = (),
    *,
    header: int = 32,
) -> Tree:
    """Return the streams of a message; an attached one has the tree of its message under the number 0x3701."""
    tree: dict[str, bytes | Tree] = dict(property_streams(properties, header))
    for number, each in enumerate(recipients):
        tree[f"__recip_version1.0_#{number:08X}"] = property_streams(each, 8)
    for number, attached in enumerate(attachments):
        tree[f"__attach_version1.0_#{number:08X}"] = property_streams(attached, 8)
    return tree


def property_streams(properties: Properties, header: int) -> Tree:
    found: dict[str, bytes | Tree] = {}
    entries = b""
    for tag, value in properties.items():
        if isinstance(value, int):
            kind = 0x40 if value > 0xFFFFFFFF else 3
            entries += struct.pack("<HHIQ", kind, tag, 6, value)
        elif isinstance(value, str):
            found[f"__substg1.0_{tag:04X}001F"] = value.encode("utf-16-le")
        elif isinstance(value, bytes):
            found[f"__substg1.0_{tag:04X}0102"] = value
        else:
            found[f"__substg1.0_{tag:04X}000D"] = value
    return {"__properties_version1.0": bytes(header) + entries, **found}
