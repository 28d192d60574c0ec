"""Cormorant's own readers, by the way that a crawl takes: sniffed, routed, converted, decoded."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final

from bench.formats.readers.loop import Answer, serve
from cormorant.extract import convert, convert_office, convert_xberg
from cormorant.extract.detect.formats import format_of
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ConversionFault, ExtractionTask, decode_result, encode_task
from cormorant.extract.router import (
    OFFICE_TASK,
    TASK,
    XBERG_TASK,
    ReadMode,
    answer_mail,
    extract_inline,
    reading_of,
    task_of,
)
from cormorant.model.content import Extraction

_ADDRESS: Final = "https://reader.example/document"
_MODULES: Final[dict[str, Any]] = {TASK: convert, OFFICE_TASK: convert_office, XBERG_TASK: convert_xberg}
_DEEPEST: Final = 4
_MOST_FILES: Final = 100


def read(path: Path) -> Answer:
    """Return the answer for a document and all files in it."""
    body = path.read_bytes()
    said = _extracted(body, path.name, "")
    embedded = [{"name": name, "text": text} for name, text in _embedded(body, path.name, "", 1)]
    if isinstance(said, ConversionFault):
        return {"error": f"{said.reason} {said.detail}".strip(), "embedded": embedded}
    values = {
        name: [str(each) for each in value] if isinstance(value, tuple | list) else [str(value)]
        for name, value in said.attributes.items()
    }
    links = [link.address for link in said.links]
    return {"text": said.text, "title": said.title, "attributes": values, "links": links, "embedded": embedded}


def _extracted(body: bytes, name: str, declared: str) -> Extraction | ConversionFault:
    mime = sniff(declared, body, name)
    match reading_of(mime, len(body)):
        case ReadMode.INLINE:
            return extract_inline(mime, body, address=_ADDRESS)
        case ReadMode.MAIL:
            return decode_result(answer_mail(body, address=_ADDRESS, file_name=name))
        case ReadMode.CHILD:
            chosen: Any = _MODULES[task_of(mime).name]
            payload = b"".join(encode_task(mime, body, address=_ADDRESS, file_name=name))
            return decode_result(chosen.convert(payload))
        case ReadMode.NONE:
            return ConversionFault(0, f"nothing reads {mime}")


def _embedded(body: bytes, name: str, declared: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield name and text of each file in a document, and of those in it."""
    mime = sniff(declared, body, name)
    form = format_of(mime)
    if form is None or not form.embedded or depth > _DEEPEST:
        return
    module, _, function = form.embedded.partition(":")
    task = ExtractionTask(mime, _ADDRESS, "", name)
    found: Iterator[EmbeddedFile] = getattr(import_module(module), function)(body, task)
    try:
        for each in islice(found, _MOST_FILES):
            said = _extracted(each.body, each.path, each.mime) if each.body else ConversionFault(0, each.refusal)
            yield each.path, "" if isinstance(said, ConversionFault) else f"{said.title}\n{said.text}"
            yield from _embedded(each.body, each.path, each.mime, depth + 1)
    except (Unreadable, Protected):
        return


if __name__ == "__main__":
    serve(read)
