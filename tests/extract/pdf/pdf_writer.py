"""PDFs written object by object, for what `tests.extract.writers` has no words for."""

from __future__ import annotations

from collections.abc import Mapping

from cormorant.extract.job import ExtractionTask

TASK = ExtractionTask("application/pdf", "http://example.org/papers/a.pdf")
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"


def pdf_file(objects: Mapping[int, str | bytes], trailer: str = "/Root 1 0 R") -> bytes:
    """Return a PDF of these objects, with a table of where they are."""
    out = bytearray(b"%PDF-1.7\n")
    places: dict[int, int] = {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, encoded(body))
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    return bytes(out) + b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer.encode(), start)


def stream(data: str | bytes, entries: str = "") -> bytes:
    """Return a stream with further entries in its dictionary."""
    raw = encoded(data)
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(raw), entries.encode(), raw)


def encoded(data: str | bytes) -> bytes:
    """Return text in the encoding of the font."""
    return data.encode("cp1252") if isinstance(data, str) else data


def shown(*lines: str) -> str:
    """Return page content that shows these lines one below the other."""
    escaped = (line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines)
    return "BT /F1 12 Tf 14 TL 50 700 Td " + " ".join(f"({line}) Tj T*" for line in escaped) + " ET"


def page_file(
    *lines: str, page: str = "", catalog: str = "", more: Mapping[int, str | bytes] | None = None, trailer: str = ""
) -> bytes:
    """Return a PDF of one page with these lines.

    `page` and `catalog` are further entries of theirs, `more` further objects, from number 10 on.
    """
    objects: dict[int, str | bytes] = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R"
        f" /Resources << /Font << /F1 5 0 R >> >> {page} >>",
        4: stream(shown(*lines)),
        5: FONT,
    }
    return pdf_file(objects | dict(more or {}), f"/Root 1 0 R {trailer}")
