"""Documents embedded in Office Open XML documents: packages (ECMA-376-1 15.2.11), OLE objects, imported parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cormorant.extract.detect.compound_file import MAGIC, CompoundFile
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.errors import Protected, Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.excel import graph_lines
from cormorant.extract.ole.object_storage import has_own_reader, is_graph, may_hold_graph, unpack_object
from cormorant.extract.ooxml.relationships import OoxmlPackage

MAX_NAMES: Final = 200
"""Embedded objects that are asked for a name."""

_NATIVE: Final = "Ole10Native".encode("utf-16-le")
_KINDS: Final = frozenset(("package", "oleObject"))
_CHART: Final = ".chart"
_CHUNK: Final = "aFChunk"
_READ_AS_TEXT: Final = frozenset(("text/html", "application/xhtml+xml", "text/plain"))
_FOLDERS: Final = ("word/embeddings/", "xl/embeddings/", "ppt/embeddings/")
_EXTENSIONS: Final = {
    "application/msword": "doc",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.ms-outlook": "msg",
    "application/vnd.visio": "vsd",
    "application/x-mspublisher": "pub",
    "application/pdf": "pdf",
    "application/rtf": "rtf",
}
_SIGNATURES: Final = (
    (b"PK\3\4", ""),
    (b"%PDF-", "application/pdf"),
    (b"{\\rtf", "application/rtf"),
)
_NO_DOCUMENTS: Final = ("image/", "audio/", "video/", "application/vnd.openxmlformats-officedocument.oleobject")
_OF_PROGRAM: Final = ("", "bin", "emf", "wmf")


def ooxml_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:
    """Yield the documents embedded in a document of any of the kinds, each once, in the order of their parts.

    The workbook behind a chart is part of the chart, and no file that a reader sees. `task` is not asked: embedded
    files have names of their own. Raises Protected for a document behind a password, Unreadable for what is no ZIP
    file or unpacks to too much.
    """
    del task
    package = OoxmlPackage(body)
    objects, of_charts = _targets(package)
    for name in package.zip.names:
        if name in objects or (name.lower().startswith(_FOLDERS) and name not in of_charts):
            yield from _file_of(package, name)


def words_of_objects(package: OoxmlPackage) -> list[str]:
    """Return the names of files that were dropped into a document, and the words of charts of Microsoft Graph."""
    words: dict[str, None] = {}
    objects = [name for name in package.zip.names if name.lower().startswith(_FOLDERS) and name.endswith(".bin")]
    for part in objects[:MAX_NAMES]:
        try:
            data = package.zip.read(part)
        except (Protected, Unreadable):
            break
        file = unpack_object(data) if data and _NATIVE in data else None
        if file is not None and file.path:
            words[file.path] = None
        words |= dict.fromkeys(_graph_lines(data or b""))
    return list(words)


def _graph_lines(data: bytes) -> list[str]:
    try:
        return graph_lines(CompoundFile(data).root) if may_hold_graph(data) else []
    except Unreadable:
        return []


def is_read_apart(package: OoxmlPackage, part: str) -> bool:
    """Return whether a part needs no picture: it is a document that has a reader of its own, or a chart.

    Raises Protected and Unreadable as `OoxmlPackage.zip.read` does.
    """
    if any(has_own_reader(file) for file in _file_of(package, part)):
        return True
    data = package.zip.read(part) or b""
    return may_hold_graph(data) and is_graph(CompoundFile(data).root)


def _targets(package: OoxmlPackage) -> tuple[set[str], set[str]]:
    """Return the parts that are objects, and those behind charts, as the relationships of all parts say."""
    by_name = {name.lower(): name for name in package.zip.names}
    objects: set[str] = set()
    of_charts: set[str] = set()
    for name in package.zip.names:
        folder, _, file = name.rpartition("_rels/")
        if not file.endswith(".rels") or "/" in file:
            continue
        part = folder + file.removesuffix(".rels")
        is_chart = _CHART in package.content_type(part)
        for each in package.relationships(part).values():
            target = by_name.get(each.target.lower(), "")
            if each.external or not target:
                continue
            if each.kind in _KINDS:
                (of_charts if is_chart else objects).add(target)
            elif each.kind == _CHUNK and not _is_text(package, target):
                objects.add(target)
    return objects, of_charts


def _is_text(package: OoxmlPackage, part: str) -> bool:
    """Return whether an imported part is read where it stands in the text."""
    mime = package.content_type(part).partition(";")[0].strip()
    return mime in _READ_AS_TEXT or part.rpartition(".")[2].lower() in ("htm", "html", "xhtml", "txt")


def _file_of(package: OoxmlPackage, part: str) -> Iterator[EmbeddedFile]:
    name = part.rpartition("/")[2]
    try:
        data = package.zip.read(part)
    except (Protected, Unreadable) as error:
        reason = "it needs a password" if isinstance(error, Protected) else str(error)
        yield EmbeddedFile(name, b"", refusal=reason)
        return
    if not data:
        return
    if data.startswith(MAGIC):
        found = unpack_object(data)
        if found is not None:
            yield _named(found, name)
        return
    declared = package.content_type(part)
    mime = next((mime or declared for mark, mime in _SIGNATURES if data.startswith(mark)), None)
    extension = name.rpartition(".")[2].lower()
    if mime is not None or not (declared.startswith(_NO_DOCUMENTS) or extension in _OF_PROGRAM):
        yield _named(EmbeddedFile("", data, mime or declared), name)


def _named(file: EmbeddedFile, part_name: str) -> EmbeddedFile:
    """Give a file without a name that of its part, with the extension of what it is."""
    if file.path:
        return file
    stem, _, extension = part_name.rpartition(".")
    if extension.lower() in _OF_PROGRAM and file.mime:
        extension = _EXTENSIONS.get(file.mime, extension)
    return file._replace(path=f"{stem or part_name}.{extension}" if extension else stem)
