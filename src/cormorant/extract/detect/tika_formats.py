"""Formats that an Apache Tika server reads and no built-in converter does: names, extensions and marks. Tables only.

Documents of these formats get their types here, with or without a Tika server. Sources of the marks: [MS-ONESTORE]
2.3.1, [MS-CFB] 2.6.1, ECMA-388 (XPS) 9, and the media type registry of Apache Tika, whose names are used here.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Final, NamedTuple


class TikaFormat(NamedTuple):
    """A format that Tika reads.

    `media_types` are its types, the usual one first, with the `extensions` of that one. `starts` are the first bytes of
    its documents; `streams` names of which its OLE files have one in their root; `parts` patterns of names of which its
    ZIP files have one. `zipped`: all its documents are ZIP files. Without `is_read` it is only recognised, since it
    holds no text.
    """

    label: str
    media_types: tuple[str, ...]
    extensions: tuple[str, ...] = ()
    starts: tuple[bytes, ...] = ()
    streams: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    zipped: bool = False
    is_read: bool = True


_VISIO: Final = "application/vnd.ms-visio."
_MACRO: Final = ".macroenabled.12"
_APPLE: Final = "application/vnd.apple."
_XPS: Final = "application/vnd.ms-xpsdocument"
_OPEN_XPS: Final = "application/oxps"
_DRAWINGS: Final = tuple(b"AC10%d\0" % version for version in (12, 14, 15, 18, 21, 24, 27, 32))

TIKA_FORMATS: Final = (
    TikaFormat(
        "OneNote", ("application/onenote", "application/msonenote"), ("one",),
        starts=(b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3",),
    ),
    TikaFormat(
        "OneNote contents", ("application/x-onenote-contents",), ("onetoc2",), is_read=False,
        starts=(b"\xa1\x2f\xff\x43\xd9\xef\x76\x4c\x9e\xe2\x10\xea\x57\x22\x76\x5f",),
    ),
    TikaFormat(
        "Visio",
        tuple(_VISIO + kind + macro for kind in ("drawing", "template", "stencil") for macro in ("", _MACRO)),
        ("vsdx",), zipped=True,
    ),
    TikaFormat("Visio 2003", ("application/vnd.visio",), ("vsd", "vst", "vss"), streams=("VisioDocument",)),
    TikaFormat("Publisher", ("application/x-mspublisher",), ("pub",), streams=("Quill",)),
    TikaFormat("Project", ("application/vnd.ms-project",), ("mpp", "mpt"), streams=("Props9", "Props12", "Props14")),
    TikaFormat("Keynote", (_APPLE + "keynote",), ("key",), parts=("index.apxl", "Index/Slide*.iwa"), zipped=True),
    TikaFormat("Numbers", (_APPLE + "numbers",), ("numbers",), zipped=True),
    TikaFormat("Pages", (_APPLE + "pages",), ("pages",), parts=("Index/Document.iwa",), zipped=True),
    TikaFormat("XPS", (_XPS, _OPEN_XPS), ("xps",), parts=("*.fdseq",), zipped=True),
    TikaFormat("Compiled help", ("application/vnd.ms-htmlhelp",), ("chm",), starts=(b"ITSF\x03\x00\x00\x00",)),
    TikaFormat("AutoCAD drawing", ("image/vnd.dwg",), ("dwg",), starts=_DRAWINGS),
    TikaFormat("Outlook archive", ("application/vnd.ms-outlook-pst",), ("pst", "ost"), starts=(b"!BDN",)),
    TikaFormat(
        "Access", ("application/x-msaccess",), ("mdb", "accdb"),
        starts=(b"\x00\x01\x00\x00Standard Jet DB\x00", b"\x00\x01\x00\x00Standard ACE DB\x00"),
    ),
    TikaFormat("dBASE", ("application/x-dbf",), ("dbf",)),
    TikaFormat("Signed document", ("application/pkcs7-mime",), ("p7m",)),
    TikaFormat("Hangul", ("application/x-hwp-v5",), ("hwp",), streams=("\x05HwpSummaryInformation",)),
    TikaFormat("Quattro Pro", ("application/x-quattro-pro",), ("qpw",), streams=("NativeContent_MAIN",)),
    TikaFormat("OpenOffice 1 text", ("application/vnd.sun.xml.writer",), ("sxw",)),
    TikaFormat("SAS table", ("application/x-sas-data",), ("sas7bdat",)),
)  # fmt: skip

TIKA_TYPES: Final = frozenset(mime for each in TIKA_FORMATS if each.is_read for mime in each.media_types)
TIKA_LABELS: Final = {mime: each.label for each in TIKA_FORMATS for mime in each.media_types}
"""The name of each of these types for people."""
EXTENSIONS: Final = {
    "oxps": _OPEN_XPS, "vsdm": _VISIO + "drawing" + _MACRO, "vssm": _VISIO + "stencil" + _MACRO,
    "vssx": _VISIO + "stencil", "vstm": _VISIO + "template" + _MACRO, "vstx": _VISIO + "template",
} | {extension: each.media_types[0] for each in TIKA_FORMATS for extension in each.extensions}  # fmt: skip
"""File-name extensions of these formats, lower case without the dot."""
EXTENSION_OF: Final = {
    mime: extension for extension, mime in reversed(EXTENSIONS.items())
}  # fmt: skip
"""The usual extension of a type."""
STREAMS: Final = tuple((stream, each.media_types[0]) for each in TIKA_FORMATS for stream in each.streams)
"""Names of streams in an OLE file, with the media type that they prove."""
_STARTS: Final = tuple((start, each.media_types[0]) for each in TIKA_FORMATS for start in each.starts)
_ANY_START: Final = tuple(start for start, _ in _STARTS)
_ZIPPED: Final = tuple(each for each in TIKA_FORMATS if each.zipped)
ZIPPED: Final = frozenset(mime for each in _ZIPPED for mime in each.media_types)
"""Types whose documents are ZIP files."""
_IWORK: Final = frozenset(_APPLE + name for name in ("keynote", "numbers", "pages"))
_IWORK_PARTS: Final = ("index.xml", "Index.zip", "*.iwa")
SIGNED: Final = frozenset(
    mime
    for each in TIKA_FORMATS
    if each.starts or each.streams or each.zipped
    for mime in each.media_types
)  # fmt: skip
"""Types whose documents always have a signature, so that other files with such a name are of another type."""


def by_start(head: bytes) -> str:
    """Return the media type that the first bytes prove, "" when they prove none of these."""
    if not head.startswith(_ANY_START):
        return ""
    return next(mime for start, mime in _STARTS if head.startswith(start))


def by_parts(names: Sequence[str], hint: str) -> str:
    """Return the media type of a ZIP file by the names in it, "" when it is none of these.

    `hint` is the type by declaration or name: it decides between the names of one format, and between documents of
    iWork, which look alike from outside.
    """
    if hint in _IWORK and _has(names, _IWORK_PARTS):
        return hint
    for each in _ZIPPED:
        if _has(names, each.parts):
            return hint if hint in each.media_types else each.media_types[0]
    return ""


def _has(names: Sequence[str], patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.filter(names, pattern) for pattern in patterns)
