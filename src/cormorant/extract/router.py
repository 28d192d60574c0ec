"""Choice of the process that reads a document.

It is this process, the sandbox, or none.

    INLINE <- HTML up to 4 MB, XHTML up to 400 kB, plain text and Markdown up to 1 MB: linear in their input
    MAIL   <- mail up to 100 kB, in this process too: the parser is ours, and bounds what it reads
    CHILD  <- all other types with a converter, and larger documents of the above
    NONE   <- pictures, sound, film, programs: status 1001; types without a converter: status 908

A crawl needs only this module and `job`; neither loads a converter.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from cormorant.base.entry_points import imported
from cormorant.base.profiling import Steps, unmeasured
from cormorant.extract.detect.built_in import BY_MEDIA_TYPE
from cormorant.extract.detect.format import OFFICE_SERVER, XBERG_SERVER
from cormorant.extract.detect.formats import FORMATS, by_name, proves_itself, reader_of
from cormorant.extract.detect.mail_signature import MAIL
from cormorant.extract.detect.media_types import FormatReader
from cormorant.extract.errors import Unreadable
from cormorant.extract.formats.plain import extract_markdown, extract_text
from cormorant.extract.html.page import extract_html
from cormorant.extract.html.xhtml import XHTML, extract_xhtml
from cormorant.extract.job import ConversionFault, ExtractionTask, decode_result, encode_result, encode_task, unreadable
from cormorant.model.content import PLAIN, Extraction, Manner
from cormorant.sandbox.limits import Limits

__all__ = [
    "TASK",
    "ChildTask",
    "ConversionFault",
    "ReadMode",
    "answer_mail",
    "claims_to_be",
    "decode_result",
    "encode_task",
    "extract_inline",
    "reading_of",
    "task_of",
    "unread_status",
]

INLINE_HTML_BYTES: Final = 4_000_000
INLINE_XHTML_BYTES: Final = 400_000
"""It takes ten times as long as HTML of the same size."""
INLINE_TEXT_BYTES: Final = 1_000_000
INLINE_MAIL_BYTES: Final = 100_000
"""The worst of this size, ten thousand parts, takes a quarter of a second."""

TASK: Final = "convert"
OFFICE_TASK: Final = OFFICE_SERVER
XBERG_TASK: Final = XBERG_SERVER
"""Tasks of the sandbox; office documents have a server of their own, since their readers are large."""

NOT_A_DOCUMENT: Final = 1001
NO_CONVERTER: Final = 908

_INLINE: Final = {
    FormatReader.HTML: INLINE_HTML_BYTES,
    FormatReader.TEXT: INLINE_TEXT_BYTES,
    FormatReader.MARKDOWN: INLINE_TEXT_BYTES,
}
OCR_PICTURES: Final = frozenset(("image/bmp", "image/gif", "image/jpeg", "image/png", "image/tiff", "image/webp"))
"""Picture types with recognition of text, if a source requests it."""
OCR_LIMITS: Final = Limits(cpu_s=600, wall_s=1_200.0)
"""A page takes 2 to 6 seconds; a document has 30 pages of its budget (`extract.ocr.engines`)."""
_NOT_DOCUMENTS: Final = frozenset(
    (
        "application/java-archive", "application/java-vm", "application/octet-stream", "application/ogg",
        "application/vnd.microsoft.portable-executable", "application/vnd.sqlite3", "application/wasm",
        "application/x-executable",
    )
)  # fmt: skip


class ChildTask(NamedTuple):
    """Task of a sandboxed child, with its limits (None: the usual ones); `added` by a package."""

    name: str
    limits: Limits | None = None
    added: bool = False


class ReadMode(Enum):
    """The place where a document is read."""

    INLINE = "inline"
    MAIL = "mail"
    CHILD = "child"
    NONE = "none"


def reading_of(mime: str, size_bytes: int, ocr: str = "") -> ReadMode:
    """Return where a document of this type and size is read.

    `mime` is the result of `sniff`, `ocr` the engine, or "".
    """
    if ocr and mime in OCR_PICTURES:
        return ReadMode.CHILD
    reader = reader_of(mime)
    if reader is None:
        return ReadMode.NONE
    if mime == MAIL and size_bytes <= INLINE_MAIL_BYTES:
        return ReadMode.MAIL
    most = INLINE_XHTML_BYTES if mime == XHTML else _INLINE.get(reader, -1)
    return ReadMode.INLINE if size_bytes <= most else ReadMode.CHILD


def task_of(mime: str, ocr: str = "") -> ChildTask:
    """Return the sandbox's task for a document of this type."""
    if ocr and (mime in OCR_PICTURES or mime == "application/pdf"):
        return ChildTask(ocr_task(ocr), OCR_LIMITS)
    if (made := BY_MEDIA_TYPE.get(mime)) is not None:
        return ChildTask(made.server, made.limits)
    added = FORMATS.of(mime) if reader_of(mime) is FormatReader.DECLARED else None
    return ChildTask(TASK) if added is None else ChildTask(plugin_task(FORMATS.name_of(mime)), added.limits, True)


def ocr_task(engine: str) -> str:
    """Return the name of the task that recognises text with an engine."""
    return f"convert with {engine}"


def plugin_task(name: str) -> str:
    """Return the name of the task that the converter of a package does."""
    return f"convert by {name}"


def claims_to_be(declared: str, file_name: str) -> str:
    """Return the readable format with a signature that name or type claim, "" if neither does."""
    if proves_itself(by_name(file_name)):
        return f"name says {file_name.rpartition('.')[2].upper()[:10]}"
    return f"type says {declared}" if proves_itself(declared) else ""


def unread_status(mime: str) -> int:
    """Return the status number of an unread type: 1001 if it is no document, 908 for a document without a converter."""
    media = mime.startswith(("image/", "audio/", "video/", "font/", "model/"))
    return NOT_A_DOCUMENT if media or mime in _NOT_DOCUMENTS else NO_CONVERTER


def answer_mail(body: bytes, *, address: str, charset: str = "", file_name: str = "", manner: Manner = PLAIN) -> bytes:
    """Read mail for which `reading_of` returned MAIL; returns an answer as a child gives it, for `decode_result`.

    Never raises for the contents of `body`. The reader is imported with the first mail.
    """
    read = imported(BY_MEDIA_TYPE[MAIL].converter)
    if not callable(read):
        raise TypeError(f"{BY_MEDIA_TYPE[MAIL].converter} is no function")
    try:
        return encode_result(read(body, ExtractionTask(MAIL, address, charset, file_name, manner)))
    except Unreadable as error:
        return encode_result(unreadable(error))


def extract_inline(
    mime: str, body: bytes, *, address: str, charset: str = "", steps: Steps = unmeasured, manner: Manner = PLAIN
) -> Extraction:
    """Return the extraction of a document for which `reading_of` returned INLINE.

    Never raises for the contents of `body`.
    """
    if reader_of(mime) is FormatReader.HTML:
        page = extract_xhtml if mime == XHTML else extract_html
        return page(body, address=address, charset=charset, steps=steps, manner=manner)
    with steps("text"):
        read = extract_markdown if reader_of(mime) is FormatReader.MARKDOWN else extract_text
        return read(body, address=address, charset=charset, manner=manner)
