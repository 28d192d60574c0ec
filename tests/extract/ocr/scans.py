"""Scans: pages of a PDF drawn by PDFium, put into pictures and into PDFs that hold nothing else. No font is needed."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import pypdfium2

from tests.extract.pdf.pdf_writer import FONT, page_file, pdf_file, shown, stream

Rows = Sequence[bytes]
"""A grey picture: a byte a pixel, 0 for black."""

ENGLISH = (
    "The lighthouse keeper counted the cormorants",
    "every morning before the ferry left for the mainland.",
    "In March there were forty of them on the rocks.",
)
GERMAN = (
    "Der Leuchtturmw\u00e4rter z\u00e4hlte jeden Morgen die Kormorane,",
    "bevor die F\u00e4hre zum Festland \u00fcber die Bucht fuhr.",
    "Im M\u00e4rz sa\u00dfen vierzig V\u00f6gel auf den Felsen.",
)
FRENCH = (
    "Le gardien du phare comptait les cormorans",
    "chaque matin, avant le d\u00e9part du bateau vers la c\u00f4te.",
    "En mars, ils \u00e9taient quarante sur les rochers.",
)


def drawn(*lines: str, dpi: int = 150) -> Rows:
    """Return the upper part of a page with these lines."""
    document = pypdfium2.PdfDocument(page_file(*lines))
    bitmap = document[0].render(scale=dpi / 72, grayscale=True)
    pixels, stride, width = bytes(bitmap.buffer), bitmap.stride, bitmap.width
    document.close()
    return [pixels[row * stride : row * stride + width] for row in range(bitmap.height // 3)]


def png(rows: Rows, width: int = 0, height: int = 0) -> bytes:
    """Return a PNG; `width` and `height` are what it claims."""
    head = struct.pack(">IIBBBBB", width or len(rows[0]), height or len(rows), 8, 0, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, (b"IHDR", b"IDAT", b"IEND"), (head, data, b"")))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def tiff(*pages: Rows) -> bytes:
    """Return a TIFF of several pages, not compressed: TIFF 6.0, section 4."""
    out, links = bytearray(b"II*\0\0\0\0\0"), [4]
    for rows in pages:
        place = len(out)
        out += b"".join(rows) + b"\0" * (sum(map(len, rows)) % 2)
        struct.pack_into("<I", out, links[-1], len(out))
        entries = ((256, len(rows[0])), (257, len(rows)), (258, 8), (259, 1), (262, 1), (273, place), (277, 1),
                   (278, len(rows)), (279, sum(map(len, rows))))  # fmt: skip
        out += struct.pack("<H", len(entries)) + b"".join(
            struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries
        )
        links.append(len(out))
        out += bytes(4)
    return bytes(out)


def scan(*pages: Rows, text: str = "") -> bytes:
    """Return a PDF whose pages are these pictures, with `text` on each of them."""
    objects: dict[int, str | bytes] = {1: "<< /Type /Catalog /Pages 2 0 R >>", 5: FONT}
    kids = []
    for number, rows in enumerate(pages):
        page, content, picture = 10 + 3 * number, 11 + 3 * number, 12 + 3 * number
        kids.append(f"{page} 0 R")
        objects[page] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 300] /Contents {content} 0 R /Resources"
            f" << /Font << /F1 5 0 R >> /XObject << /Im {picture} 0 R >> >> >>"
        )
        objects[content] = stream(
            f"q 600 0 0 300 0 0 cm /Im Do Q {shown(text).replace('50 700', '9 9') if text else ''}"
        )
        objects[picture] = stream(
            zlib.compress(b"".join(rows)),
            f"/Type /XObject /Subtype /Image /Width {len(rows[0])} /Height {len(rows)} /ColorSpace /DeviceGray"
            " /BitsPerComponent 8 /Filter /FlateDecode",
        )
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    return pdf_file(objects)
