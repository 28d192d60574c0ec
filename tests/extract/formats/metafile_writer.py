"""Small metafiles, written order by order: [MS-EMF], [MS-EMFPLUS], [MS-WMF]."""

from __future__ import annotations

import struct


def emf(*orders: bytes) -> bytes:
    """Return an enhanced metafile with these orders between its header and its end."""
    head = bytearray(108)
    struct.pack_into("<II", head, 0, 1, 108)
    head[40:44] = b" EMF"
    return bytes(head) + b"".join(orders) + order(14, bytes(12))


def order(kind: int, body: bytes) -> bytes:
    """Return an order of an enhanced metafile, filled to four bytes."""
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, 8 + len(body)) + body


def text(
    words: str | bytes, x: int = 0, y: int = 0, *, step: int = 10, options: int = 0, distances: bool = True
) -> bytes:
    """Return EMR_EXTTEXTOUTW or, for bytes, EMR_EXTTEXTOUTA; each character is `step` wide."""
    drawn = words if isinstance(words, bytes) else words.encode("utf-16-le")
    count = len(words)
    padded = drawn + bytes(-len(drawn) % 4)
    place = 76 + len(padded) if distances else 0
    about = struct.pack("<iiiiIff", 0, 0, 0, 0, 1, 1.0, 1.0)
    about += struct.pack("<iiIIIiiiiI", x, y, count, 76, options, 0, 0, 0, 0, place)
    wide = struct.pack("<I", step) * count if distances else b""
    return order(83 if isinstance(words, bytes) else 84, about + padded + wide)


def many_texts(*words: str) -> bytes:
    """Return EMR_POLYTEXTOUTW, each text below the one before."""
    about = struct.pack("<iiiiIffI", 0, 0, 0, 0, 1, 1.0, 1.0, len(words))
    objects, drawn = b"", b""
    start = 40 + 40 * len(words)
    for number, word in enumerate(words):
        objects += struct.pack("<iiIIIiiiiI", 0, 100 * number, len(word), start + len(drawn), 0, 0, 0, 0, 0, 0)
        drawn += word.encode("utf-16-le")
    return order(97, about + objects + drawn)


def small_text(words: str, *, narrow: bool) -> bytes:
    """Return EMR_SMALLTEXTOUT without a rectangle, or with one and wide characters."""
    options = 0x300 if narrow else 0
    about = struct.pack("<iiIIIff", 0, 0, len(words), options, 1, 1.0, 1.0)
    return order(108, about + (words.encode("latin-1") if narrow else bytes(16) + words.encode("utf-16-le")))


def font(name: str, charset: int = 0, *, number: int = 1, height: int = -40) -> bytes:
    """Return the orders that make a font and take it."""
    about = struct.pack("<iiiii4B4B", height, 0, 0, 0, 400, 0, 0, 0, charset, 0, 0, 0, 0)
    face = name.encode("utf-16-le").ljust(64, b"\0")
    return order(82, struct.pack("<I", number) + about + face) + order(37, struct.pack("<I", number))


def align(mode: int) -> bytes:
    """Return EMR_SETTEXTALIGN."""
    return order(22, struct.pack("<I", mode))


def move(x: int, y: int) -> bytes:
    """Return EMR_MOVETOEX."""
    return order(27, struct.pack("<ii", x, y))


def plus(*orders: bytes) -> bytes:
    """Return a comment with EMF+ orders."""
    body = b"EMF+" + b"".join(orders)
    return order(70, struct.pack("<I", len(body)) + body)


def plus_order(kind: int, body: bytes) -> bytes:
    """Return an order of EMF+."""
    body += bytes(-len(body) % 4)
    return struct.pack("<HHII", kind, 0, 12 + len(body), len(body)) + body


def plus_string(words: str, x: float = 0, y: float = 0) -> bytes:
    """Return EmfPlusDrawString."""
    return plus_order(0x401C, struct.pack("<IIIffff", 0, 0, len(words), x, y, 9, 9) + words.encode("utf-16-le"))


def plus_glyphs(words: str, *, by_character: bool = True) -> bytes:
    """Return EmfPlusDrawDriverString."""
    characters = words.encode("utf-16-le")
    places = b"".join(struct.pack("<ff", 5 * number, 0) for number in range(len(words)))
    body = struct.pack("<IIII", 0, int(by_character), 0, len(words)) + characters + bytes(len(characters) % 4) + places
    return plus_order(0x4036, body)


def wmf(*orders: bytes, placeable: bool = True) -> bytes:
    """Return a metafile of Windows 3 with these orders."""
    body = b"".join(orders) + struct.pack("<IH", 3, 0)
    head = struct.pack("<HHHIHIH", 1, 9, 0x300, 9 + len(body) // 2, 9, 100, 0)
    return (b"\xd7\xcd\xc6\x9a" + bytes(18) if placeable else b"") + head + body


def wmf_order(kind: int, body: bytes) -> bytes:
    """Return an order of a WMF."""
    body += bytes(len(body) % 2)
    return struct.pack("<IH", 3 + len(body) // 2, kind) + body


def wmf_text(words: bytes, x: int = 0, y: int = 0) -> bytes:
    """Return META_TEXTOUT."""
    return wmf_order(0x0521, struct.pack("<H", len(words)) + words + bytes(len(words) % 2) + struct.pack("<hh", y, x))


def wmf_placed_text(words: bytes, x: int = 0, y: int = 0, *, step: int = 10, rectangle: bool = False) -> bytes:
    """Return META_EXTTEXTOUT with distances."""
    about = struct.pack("<hhHH", y, x, len(words), 4 if rectangle else 0) + (bytes(8) if rectangle else b"")
    return wmf_order(0x0A32, about + words + bytes(len(words) % 2) + struct.pack("<h", step) * len(words))


def wmf_font(name: bytes, charset: int = 0) -> bytes:
    """Return META_CREATEFONTINDIRECT."""
    return wmf_order(0x02FB, struct.pack("<hhhhh8B", -40, 0, 0, 0, 400, 0, 0, 0, charset, 0, 0, 0, 0) + name + b"\0\0")


def wmf_select(number: int) -> bytes:
    """Return META_SELECTOBJECT."""
    return wmf_order(0x012D, struct.pack("<H", number))


def wmf_delete(number: int) -> bytes:
    """Return META_DELETEOBJECT."""
    return wmf_order(0x01F0, struct.pack("<H", number))
