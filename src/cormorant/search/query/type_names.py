"""Names that people use for types of documents."""

from __future__ import annotations

_OFFICE = "application/vnd.openxmlformats-officedocument"
_OPEN = "application/vnd.oasis.opendocument"

NAMES: dict[str, tuple[str, ...]] = {
    "page": ("text/html", "application/xhtml+xml"),
    "html": ("text/html", "application/xhtml+xml"),
    "pdf": ("application/pdf",),
    "word": (
        "application/msword",
        f"{_OFFICE}.wordprocessingml.document",
        f"{_OPEN}.text",
        "application/rtf",
        "text/rtf",
    ),
    "sheet": ("application/vnd.ms-excel", f"{_OFFICE}.spreadsheetml.sheet", f"{_OPEN}.spreadsheet", "text/csv"),
    "slides": ("application/vnd.ms-powerpoint", f"{_OFFICE}.presentationml.presentation", f"{_OPEN}.presentation"),
    "drawing": ("image/svg+xml", "application/vnd.visio", f"{_OPEN}.graphics"),
    "message": ("message/rfc822", "application/vnd.ms-outlook"),
    "book": ("application/epub+zip",),
    "text": ("text/plain", "text/markdown"),
    "xml": ("text/xml", "application/xml"),
}
"""Names for `type:`, each standing for MIME types."""

ALIASES = {"html": "page"}
"""Names with the same meaning as another one, which is shown instead."""


def mimes(value: str) -> tuple[str, ...]:
    """Return the MIME types that `value` stands for: a name of the table, or a type itself; none when it is neither."""
    value = value.lower()
    return NAMES.get(value) or ((value,) if "/" in value.strip("/") else ())
