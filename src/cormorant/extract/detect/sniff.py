"""MIME type sniffing: the real format of a document.

The content decides; what was declared and the file's name are hints where it cannot tell.

    bytes that prove a format            -> that format (a ZIP or an OLE file: what lies in it)
    bytes that no text has               -> the declared type, if it is one that has no signature; else octet-stream
    text: declared as a kind of text     -> that kind (a README in HTML tags stays Markdown)
    text: declared as something binary   -> what the markup, else the name says: an error page sent as PDF is a page
    text: nothing declared, no name      -> a mail, when it begins with several fields of one
    nothing, or blanks only              -> what was declared, else what the name says

The MIME Sniffing Standard keeps a browser from running what was not meant to be run, so it trusts `text/html` and XML
types blindly. Nothing runs here, and faults like a PNG sent as text/html are to be found out (fault B10): there, and
only there, this differs. Source: https://mimesniff.spec.whatwg.org/
"""

from __future__ import annotations

import re
from typing import Final

from cormorant.extract.detect.compound_file import kind_of
from cormorant.extract.detect.formats import by_name, is_in_words, is_signed, signature
from cormorant.extract.detect.mail_signature import is_mailbox, mail_type
from cormorant.extract.detect.media_types import DOCX, EPUB, IDML, MBOX, OCTETS, ODF, OOXML, PPTX, XLSX, essence
from cormorant.extract.detect.signatures import HEAD, OLE, ZIP, is_binary
from cormorant.extract.detect.tika_formats import TIKA_TYPES, ZIPPED, by_parts
from cormorant.extract.detect.xml_root import FLAT_TYPES, type_of_root
from cormorant.extract.detect.zip import ends_as_zip, entries

_SPACE: Final = b"\t\n\x0c\r "
_END_OF_FILE: Final = b"\x1a"
"""How CP/M and DOS mark the end of a text."""
_HTML: Final = re.compile(
    rb"<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]|<!--", re.IGNORECASE
)
_ANY_XML: Final = ("text/xml", "application/xml")
_ALWAYS_SIGNED: Final = frozenset((ZIP, "application/x-gzip"))
_ALSO_TEXT: Final = frozenset(
    (
        "message/rfc822", MBOX, "multipart/related", "image/svg+xml", "application/x-ipynb+json",
        "application/x-fictionbook+xml", *FLAT_TYPES,
    )
)  # fmt: skip
_MEDIA: Final = ("image/", "audio/", "video/")
_XML_AT_HEART: Final = frozenset(("application/xhtml+xml", "image/svg+xml", *FLAT_TYPES))
_PARTS: Final = (("word/", DOCX), ("xl/", XLSX), ("ppt/", PPTX), ("visio/", "application/vnd.ms-visio.drawing"))
_FAMILY: Final = {
    DOCX: ("word",),
    XLSX: ("excel", "spreadsheetml"),
    PPTX: ("powerpoint", "presentationml"),
    "application/vnd.ms-visio.drawing": ("ms-visio",),
}
_XML: Final = (b"<?xml", b"<?mso-application")
_PDF_WITHIN: Final = 1024


def sniff(declared: str, body: bytes, file_name: str = "") -> str:
    """Return the media type of `body`, lower case without parameters; never "".

    `declared` is what the source said, or ""; `file_name` may be a path or an address without its query.
    """
    hint = essence(declared)
    head = body[:HEAD]
    if len(body) <= HEAD:
        head = head.rstrip(_END_OF_FILE)
    if hint == "text/html" and head[:1] == b"<":
        return hint if head[1:5] != b"?xml" else _xml(head, hint)
    named = by_name(file_name)
    if not head.strip(_SPACE) and not body.strip(_SPACE):
        return hint or named or "text/plain"
    proved = signature(body)
    if proved in (ZIP, OLE):
        return (_in_zip if proved == ZIP else _in_ole)(body, hint or named)
    if proved:
        return proved
    if "application/pdf" in (hint, named) and b"%PDF-" in body[:_PDF_WITHIN]:
        return "application/pdf"
    if ZIP in (hint, named) and ends_as_zip(body):
        return ZIP
    if is_binary(head):
        return _binary(hint, named)
    found = _text(head, hint, named)
    return found or mail_type(body) or "text/plain"


def is_text(mime: str) -> bool:
    """Say whether a type is text in itself, so that binary content contradicts it (status 1009)."""
    return is_in_words(mime) or mime in _ALSO_TEXT


def _binary(hint: str, named: str) -> str:
    for mime in (hint, named):
        if mime and not is_text(mime) and not _must_be_signed(mime):
            return mime
    return OCTETS


def _text(head: bytes, hint: str, named: str) -> str:
    """Return the type of a text, "" where neither markup nor what was declared nor the name says it."""
    if hint in ("", "text/plain") and is_mailbox(head):
        return MBOX
    markup = _markup(head, hint)
    if is_text(hint):
        if hint == "text/plain" and is_text(named) and not named.endswith(("html", "xml")):
            return named
        return markup if markup in _XML_AT_HEART and "xml" in hint else hint
    if hint and not _must_be_signed(hint) and not hint.startswith(_MEDIA):
        return hint
    if markup and (not named or named.endswith(("html", "xml")) or not is_text(named)):
        return markup
    if named and not _must_be_signed(named):
        return named
    return "text/plain" if hint else ""


def _must_be_signed(mime: str) -> bool:
    """Say whether content of this type proves itself, so that content without proof is something else."""
    if is_text(mime):
        return False
    return mime in _ALWAYS_SIGNED or is_signed(mime)


def _markup(head: bytes, hint: str) -> str:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip(_SPACE)
    if start.startswith(_XML) or (start[:1] == b"<" and hint in _ANY_XML):
        return _xml(start, hint)
    if start.startswith(b"<svg"):
        return "image/svg+xml"
    return "text/html" if _HTML.match(start) else ""


def _xml(head: bytes, hint: str) -> str:
    """Name the kind of XML by its root element; the hint stays where the root says nothing."""
    if hint == "text/html":
        return hint
    return type_of_root(head) or (hint if "xml" in hint else "text/xml")


def _in_zip(body: bytes, hint: str) -> str:
    """Name a document that is a ZIP file by its first entry (OpenDocument, EPUB) or its parts (Office)."""
    if body[30:38] == b"mimetype":
        start = 38 + int.from_bytes(body[28:30], "little")
        name = body[start : start + 80].partition(b"PK")[0].decode("ascii", "replace").strip()
        if name.startswith((ODF, EPUB, IDML)) or name in TIKA_TYPES:
            return name
    names = [entry.name for entry in entries(body)]
    if not names:  # cut short: the directory stands at the end
        return hint if hint.startswith((OOXML, ODF)) or hint in (EPUB, IDML) or hint in ZIPPED else ZIP
    if "designmap.xml" in names and any(name.startswith("Stories/") for name in names):
        return IDML
    if "META-INF/container.xml" in names and "[Content_Types].xml" not in names:
        return EPUB
    if "content.xml" in names and "META-INF/manifest.xml" in names:
        return hint if hint.startswith(ODF) else ODF + "text"
    if "[Content_Types].xml" in names:
        for prefix, mime in _PARTS:
            if any(name.startswith(prefix) for name in names):
                return hint if any(word in hint for word in _FAMILY.get(mime, ())) else mime
    return by_parts(names, hint) or ("application/java-archive" if "META-INF/MANIFEST.MF" in names else ZIP)


def _in_ole(body: bytes, hint: str) -> str:
    """Name an OLE file by the streams of its root: what lies deeper belongs to objects embedded in it."""
    kind = kind_of(body)
    if kind:
        return kind
    return hint if hint.startswith("application/vnd.ms-") or hint == "application/msword" else OLE
