"""Conversion of one document to its extraction, run in the sandboxed child process.

    payload (task.Task) ──convert──> reader by type ──> answer: an extraction, or why there is none

`convert` is the boundary around third-party code: any exception of a converter becomes a ConversionFault with status
903. The sandbox handles lack of memory and crashes. A fork server loads this module once; no thread is started before
`convert` is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from cormorant.base.entry_points import imported
from cormorant.extract.detect.built_in import BUILT_IN, BY_MEDIA_TYPE
from cormorant.extract.detect.format import Format
from cormorant.extract.detect.formats import reader_of
from cormorant.extract.detect.media_types import FormatReader
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.formats.plain import extract_csv, extract_json, extract_markdown, extract_text
from cormorant.extract.formats.xml import extract_xml
from cormorant.extract.html.page import extract_html
from cormorant.extract.html.xhtml import XHTML, extract_xhtml
from cormorant.extract.job import Body, ConversionFault, ExtractionTask, decode_task, encode_result, unreadable
from cormorant.extract.sanitize import name_of, one_line
from cormorant.extract.unpack import embedded_files
from cormorant.model.content import Extraction

NO_CONVERTER: Final = 908
_FAULTS: Final = (
    ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError,
)  # fmt: skip
_SEARCHED_BYTES: Final = 4_000_000
"""Documents up to this size are searched for others as they are read; larger ones when they are unpacked."""


def convert(payload: bytes) -> bytes:
    """Read one document. Takes what `encode_task` made, returns what `decode_result` reads.

    Raises msgspec.DecodeError for an invalid payload, MemoryError for lack of memory, and any exception of a
    third-party converter, which its child process reports as a failed task. Office documents are for `convert_office`.
    """
    task, body = decode_task(payload)
    del payload  # or the document is there twice while it is read
    return answered(task, body, _read)


def convert_declared(payload: bytes) -> bytes:
    """Read one document of a format with a converter of its own; otherwise like `convert`."""
    task, body = decode_task(payload)
    del payload
    return answered(task, body, read_declared)


def answered(
    task: ExtractionTask, body: Body, read: Callable[[ExtractionTask, Body], Extraction | ConversionFault]
) -> bytes:
    """Read a document; returns a fault if it cannot be read. Raises what `convert` raises."""
    try:
        return encode_result(read(task, body))
    except MemoryError:
        raise
    except Protected:
        return encode_result(_name_only(task))
    except Unreadable as error:
        return encode_result(unreadable(error))


def _read(task: ExtractionTask, body: Body) -> Extraction | ConversionFault:
    address, charset, name, manner = task.address, task.charset, task.file_name, task.manner
    match reader_of(task.mime):
        case FormatReader.HTML:
            read = extract_xhtml if task.mime == XHTML else extract_html
            return read(body.take(), address=address, charset=charset, manner=manner)
        case FormatReader.TEXT:
            return extract_text(body.take(), address=address, charset=charset, file_name=name, manner=manner)
        case FormatReader.MARKDOWN:
            return extract_markdown(body.take(), address=address, charset=charset, file_name=name, manner=manner)
        case FormatReader.CSV:
            tab = task.mime == "text/tab-separated-values"
            return extract_csv(body.take(), address=address, charset=charset, file_name=name, tab=tab, manner=manner)
        case FormatReader.XML:
            return extract_xml(body.take(), address=address, charset=charset, file_name=name, manner=manner)
        case FormatReader.JSON:
            return extract_json(body.take(), address=address, charset=charset, file_name=name, manner=manner)
        case FormatReader.DECLARED | None:
            return read_declared(task, body)


def read_declared(task: ExtractionTask, body: Body) -> Extraction | ConversionFault:
    """Read a document with the converter that its built-in format names."""
    made = BY_MEDIA_TYPE.get(task.mime)
    if made is None:
        return ConversionFault(NO_CONVERTER, f"There is no converter for {one_line(task.mime)}.")
    if not made.embedded or made.always_unpacked or body.size > _SEARCHED_BYTES:
        return _converter(made)(body.take(), task)
    data = body.take()
    said = _converter(made)(data, task)
    return replace(said, embeds=said.embeds and _embeds(made, data, task))


def _embeds(made: Format, data: bytes, task: ExtractionTask) -> bool:
    """Return whether other documents lie in a document; True if that is unknown."""
    try:
        return next(embedded_files(made)(data, task), None) is not None
    except (Protected, Unreadable, *_FAULTS):  # its text was read; unpacking it says why no other document can be
        return True


def _converter(made: Format) -> Callable[[bytes, ExtractionTask], Extraction]:
    found = imported(made.converter)
    if not callable(found):
        raise TypeError(f"{made.converter} is no function")
    return found


def load_converters(server: str) -> None:
    """Import the converters of a fork server's formats, so that its children have them from the start."""
    for made in BUILT_IN:
        if made.server == server:
            _converter(made)


load_converters("convert")


def _name_only(task: ExtractionTask) -> Extraction:
    """Return the extraction of a password-protected document: its name as the title, and its protection."""
    name = name_of(task.address, task.file_name)
    return Extraction(text="", title=name, attributes={"Protection": "password"})
