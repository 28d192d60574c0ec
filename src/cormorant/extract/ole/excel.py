"""Text of Excel workbooks in binary form (XLS), from Excel 2 to Excel 2003: [MS-XLS].

globals      formats, shared strings, names of sheets
sheet        name, rows, charts, text boxes; comments, headers and prompts after all sheets
  chart      a substream within its sheet, or a sheet of its own
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Final

from cormorant.extract.detect.compound_file import MAGIC, CompoundFile, Storage
from cormorant.extract.document.cells.cell_formats import MAX_STYLES, CellFormats
from cormorant.extract.document.cells.locale_data import locale_of_country
from cormorant.extract.document.embedded_file import EmbeddedFile
from cormorant.extract.document.links import page_links
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.biff.cells import BiffCells
from cormorant.extract.ole.biff.encryption import decrypted
from cormorant.extract.ole.biff.objects import BiffObjects
from cormorant.extract.ole.biff.records import (
    BOF,
    EOF,
    FILE_PASS,
    BiffRecord,
    BiffStream,
    TextPieces,
    long_text,
    short_text,
    substream_start,
)
from cormorant.extract.ole.code_pages import DEFAULT_CODEC, code_page_codec
from cormorant.extract.ole.object_storage import embedded_object, is_graph, is_read_apart
from cormorant.extract.ole.pictures import BlipText
from cormorant.extract.ole.properties import OfficeProperties, read_properties
from cormorant.extract.sanitize import title_or_name
from cormorant.model.content import Extraction

_STREAMS: Final = ("Workbook", "Book")
_OBJECT: Final = "mbd"
_GLOBALS, _MACRO_MODULE, _CHART, _GRAPH = 0x0005, 0x0006, 0x0020, 0x8000
_FIRST_WITH_GLOBALS: Final = 5
"""The version of BIFF from which on sheets share formats; each sheet of a workspace of Excel 4 has its own."""
_MAX_DEPTH: Final = 100
_FIRST_RECORDS: Final = 10
_HLINK: Final = b"\xb8\x01"
_HIDDEN_OR_BUILT_IN: Final = 0x21
_BUILT_IN: Final = "_xlnm."
_NAME_PLACE: Final = 14
_DAMAGED: Final = "Some of it is damaged or missing."
_Handlers = Mapping[int, Callable[[BiffRecord], None]]


def extract_xls(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the text of all sheets, hidden ones too.

    Raises Protected for a workbook behind a password, Unreadable for any other document.
    """
    file = CompoundFile(body) if body.startswith(MAGIC) else None
    data = body if file is None else next((each for name in _STREAMS if (each := file.root.read(name))), b"")
    about = OfficeProperties("", {}) if file is None else read_properties(file.root)
    reader = _WorkbookReader(_readable(data))
    reader.read()
    if file is not None:
        _add_objects(reader, file.root)
    text = reader.text.text()
    links, seen = page_links(task.address, reader.cells.links)
    damaged = not reader.complete or (file is not None and file.damaged)
    if damaged and not text:
        raise Unreadable("it is damaged, and nothing of it can be read")
    return Extraction(
        text=text,
        title=title_or_name(about.title, task.address, task.file_name),
        links=links,
        attributes=about.attributes,
        links_seen=seen,
        truncated=damaged or reader.text.full,
        fault=_DAMAGED if damaged else "",
    )


def _add_objects(reader: _WorkbookReader, root: Storage) -> None:
    """Add the words of charts of Microsoft Graph, and of metafiles, unless they only show a document read apart."""
    for storage in _objects(root):
        for line in graph_lines(storage):
            reader.text.aside(line)
    shown, previews = reader.objects.shown, reader.objects.previews
    if previews and all(is_read_apart(storage) for storage in _objects(root)):
        shown = shown - previews
    for line in BlipText().stored(bytes(reader.objects.pictures), b"", shown):
        reader.text.aside(line)


def _objects(root: Storage) -> Iterator[Storage]:
    return (storage for name, storage in root.storages() if name.lower().startswith(_OBJECT))


def graph_lines(storage: Storage) -> list[str]:
    """Return the data sheet and the words of a chart of Microsoft Graph, [] for another object: [MS-OGRAPH] 2.1."""
    data = next((each for name in _STREAMS if (each := storage.read(name))), b"") if is_graph(storage) else b""
    if not data:
        return []
    reader = _WorkbookReader(data)
    try:
        reader.read()
    except Unreadable:
        return []
    lines = [line for line in reader.text.text().split("\n") if line]
    cells = {cell for line in lines if "\t" in line for cell in line.split("\t")}
    return [line for line in lines if line not in cells]


def xls_embedded_files(body: bytes, task: ExtractionTask) -> Iterator[EmbeddedFile]:  # noqa: ARG001
    """Yield the documents that are embedded in a workbook. Raises Unreadable when it is no OLE file."""
    if not body.startswith(MAGIC):
        return
    for storage in _objects(CompoundFile(body).root):
        found = embedded_object(storage)
        if found is not None:
            yield found


def _readable(data: bytes) -> bytes:
    """Return a stream without encryption; its record is among the first."""
    stream = BiffStream(data)
    for record in islice(stream, _FIRST_RECORDS):
        if record.kind == FILE_PASS:
            return decrypted(data, stream.body(record))
    return data


class _WorkbookReader:
    def __init__(self, data: bytes) -> None:
        self.text = TextBuilder()
        self.complete = True
        self._stream = BiffStream(data)
        self._formats = CellFormats()
        self.cells = BiffCells(self._stream, self.text, self._formats, keep_texts=_HLINK in data)
        self.objects = BiffObjects(self._stream, self.text, self.cells)
        self._names: list[str] = []
        self._sheets: dict[int, str] = {}
        self._sheet_count = 0
        self._open: list[int] = []
        self._handlers: dict[int, _Handlers] = {_MACRO_MODULE: {}, _CHART: self.objects.chart_handlers}
        self._usual: _Handlers = {
            0x0018: self._on_name, 0x001E: self._on_old_format, 0x0022: self._on_date_mode, 0x0042: self._on_code_page,
            0x0085: self._on_sheet, 0x008C: self._on_country, 0x008F: self._on_old_sheet, 0x00E0: self._on_style,
            0x00FC: self._on_strings, 0x0243: self._on_old_style, 0x041E: self._on_format, 0x0443: self._on_old_style,
            **self.cells.handlers, **self.objects.handlers,
        }  # fmt: skip
        self._handlers[_GRAPH] = {**self.objects.chart_handlers, **self._usual}

    def read(self) -> None:
        """Read the whole stream. Raises Unreadable when it does not begin as one of BIFF."""
        handlers = self._usual
        begun = False
        for record in self._stream:
            if record.kind in BOF:
                if not begun:
                    self._set_version(record)
                self._begin(record)
                begun = True
            elif not begun:
                raise Unreadable("it does not begin as a workbook does")
            elif record.kind == EOF:
                self._end()
            else:
                self._handle(handlers, record)
                continue
            handlers = self._handlers.get(self._open[-1], self._usual) if self._open else {}
            if self.text.full:
                break
        if not begun:
            raise Unreadable("there is no workbook in it")
        self._finish()

    def _finish(self) -> None:
        """End what is open, and write the names of sheets that are missing, and those that people gave to cells."""
        self.complete = self.complete and self._stream.complete and (not self._open or self.text.full)
        while self._open:
            self._end()
        for name in list(self._sheets.values())[self._sheet_count :]:
            self.complete = self.text.full and self.complete
            self._begin_sheet(name)
        for name in self._names:
            self.text.aside(name)

    def _handle(self, handlers: _Handlers, record: BiffRecord) -> None:
        handler = handlers.get(record.kind)
        if handler is None:
            return
        try:
            handler(record)
        except (struct.error, IndexError, ValueError):
            self.complete = False

    def _begin(self, record: BiffRecord) -> None:
        start = substream_start(record, self._stream.body(record))
        known = self._sheets.get(record.start - 4)
        while self._open and (known is not None or len(self._open) >= _MAX_DEPTH):
            self.complete = False
            self._end()
        if not self._open and start.kind != _GLOBALS:
            self._begin_sheet(known)
        if start.version < _FIRST_WITH_GLOBALS and start.kind != _CHART:
            self._formats.clear()
        self._open.append(start.kind)

    def _begin_sheet(self, name: str | None) -> None:
        if name is None and self._sheet_count < len(self._sheets):
            name = list(self._sheets.values())[self._sheet_count]
        self._sheet_count += 1
        self.text.end_paragraph()
        self.text.add("\n")
        self.text.line(name or "")

    def _set_version(self, record: BiffRecord) -> None:
        version = substream_start(record, self._stream.body(record)).version
        self.cells.version = version
        self.cells.codec = "" if version == 8 else DEFAULT_CODEC

    def _end(self) -> None:
        if not self._open:
            return
        kind = self._open.pop()
        if kind in (_CHART, _GRAPH):
            self.objects.end_chart()
        if kind != _CHART:
            self.cells.end_sheet()
        if not self._open:
            self.objects.end_sheet()

    def _on_code_page(self, record: BiffRecord) -> None:
        if self.cells.codec:
            self.cells.codec = code_page_codec(int.from_bytes(self._stream.body(record)[:2], "little"))

    def _on_date_mode(self, record: BiffRecord) -> None:
        self._formats.from_1904 = self._stream.body(record)[:1] == b"\1"

    def _on_country(self, record: BiffRecord) -> None:
        self._formats.locale = locale_of_country(int.from_bytes(self._stream.body(record)[:2], "little"))

    def _on_sheet(self, record: BiffRecord) -> None:
        body = self._stream.body(record)
        name, _ = short_text(body, 6, self.cells.codec)
        self._sheets[int.from_bytes(body[:4], "little")] = name

    def _on_old_sheet(self, record: BiffRecord) -> None:
        """Read the name of a sheet in a workspace of Excel 4, which stands before the sheet."""
        self.text.end_paragraph()
        self.text.add("\n")
        self.text.line(short_text(self._stream.body(record), 4, self.cells.codec)[0])

    def _on_style(self, record: BiffRecord) -> None:
        self._add_style(int.from_bytes(self._stream.body(record)[2:4], "little"))

    def _on_old_style(self, record: BiffRecord) -> None:
        self._add_style(self._stream.body(record)[1])

    def _add_style(self, format_id: int) -> None:
        if len(self._formats.format_ids) < MAX_STYLES:
            self._formats.format_ids.append(format_id)

    def _on_format(self, record: BiffRecord) -> None:
        """Read a format code with its id; up to BIFF4 they are numbered by their order."""
        body = self._stream.body(record)
        if self.cells.version < 5:
            self._add_format(len(self._formats.codes), short_text(body, 2, self.cells.codec)[0])
            return
        read = short_text if self.cells.codec else long_text
        self._add_format(int.from_bytes(body[:2], "little"), read(body, 2, self.cells.codec)[0])

    def _on_old_format(self, record: BiffRecord) -> None:
        self._add_format(len(self._formats.codes), short_text(self._stream.body(record), 0, self.cells.codec)[0])

    def _add_format(self, format_id: int, code: str) -> None:
        if len(self._formats.codes) < MAX_STYLES:
            self._formats.codes[format_id] = code

    def _on_strings(self, record: BiffRecord) -> None:
        self.cells.strings, complete = TextPieces(self._stream.continued(record)).shared_strings()
        self.complete = self.complete and complete

    def _on_name(self, record: BiffRecord) -> None:
        """Read a name that a person gave to cells: [MS-XLS] 2.4.150."""
        body = self._stream.body(record)
        if self.cells.version < 5 or body[0] & _HIDDEN_OR_BUILT_IN:
            return
        length = bytes((body[3],))
        name = short_text(length + body[_NAME_PLACE:], 0, self.cells.codec)[0]
        if not name.startswith(_BUILT_IN):
            self._names.append(name)
