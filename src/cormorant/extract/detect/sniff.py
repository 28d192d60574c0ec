"""MIME type sniffing: the real format of a document.

The content decides; the declared type and the file's name are hints if it is ambiguous.

    bytes that prove a format            -> that format (a ZIP or an OLE file: by its contents)
    bytes that no text has               -> the declared type, if it has no signature; else octet-stream
    text: declared as a kind of text     -> that kind (a README in HTML tags stays Markdown)
    text: declared as a binary type      -> by the markup, else by the name: an error page sent as PDF is a page
    text: nothing declared, no name      -> a mail, if it begins with several mail fields
    nothing, or only blanks              -> the declared type, else by the name

The MIME Sniffing Standard keeps a browser from running unintended scripts, so it trusts `text/html` and XML types
blindly. Nothing runs here, and a PNG sent as text/html must be detected: only there this module differs. Source:
https://mimesniff.spec.whatwg.org/
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
"""The end mark of a text in CP/M and DOS."""
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

    `declared` is the declaration of the source, or ""; `file_name` may be a path or an address without its query.
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
    """Return whether a type is text, so that binary content contradicts it (status 1009)."""
    return is_in_words(mime) or mime in _ALSO_TEXT


def _binary(hint: str, named: str) -> str:
    for mime in (hint, named):
        if mime and not is_text(mime) and not _must_be_signed(mime):
            return mime
    return OCTETS


def _text(head: bytes, hint: str, named: str) -> str:
    """Return the type of a text, "" if neither markup nor declaration nor name has it."""
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
    """Return whether content of this type always has a signature, so that other content is of another type."""
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
    """Return the kind of XML by its root element; the hint if the root is unknown."""
    if hint == "text/html":
        return hint
    return type_of_root(head) or (hint if "xml" in hint else "text/xml")


def _in_zip(body: bytes, hint: str) -> str:
    """Return the type of a ZIP file by its first entry (OpenDocument, EPUB) or its parts (Office)."""
    if body[30:38] == b"mimetype":
        start = 38 + int.from_bytes(body[28:30], "little")
        name = body[start : start + 80].partition(b"PK")[0].decode("ascii", "replace").strip()
        if name.startswith((ODF, EPUB, IDML)) or name in TIKA_TYPES:
            return name
    names = [entry.name for entry in entries(body)]
    if not names:  # cut short: the directory is at the end
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
    """Return the type of an OLE file by the streams of its root: deeper ones belong to embedded objects."""
    kind = kind_of(body)
    if kind:
        return kind
    return hint if hint.startswith("application/vnd.ms-") or hint == "application/msword" else OLE
