"""Objects of an XLS file that are no cells: comments, text boxes, charts, headers, prompts, hyperlinks."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from cormorant.extract.document.cells.sheet_text import comment_text, header_text
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.ole.biff.cells import BiffCells
from cormorant.extract.ole.biff.links import cell_link
from cormorant.extract.ole.biff.records import BiffRecord, BiffStream, TextPieces, long_text, short_text
from cormorant.extract.ole.office_art import art_texts, shown_pictures

MSO_DRAWING: Final = 0x00EC
MSO_DRAWING_GROUP: Final = 0x00EB
MAX_GROUP: Final = 256 * 1024 * 1024
"""Bytes of the pictures of a workbook that are kept."""

_U16: Final = struct.Struct("<H")
_COMMENT: Final = 0x19
_PICTURE: Final = 0x08
_EMBEDDED: Final = b"\x09\0"
"""Begins the part of an object that says where its document lies: [MS-XLS] 2.5.149 (FtPictFmla)."""
_MAX_CHART_LINES: Final = 20_000
_EVEN_AND_FIRST: Final = struct.Struct("<38xHHHH")
_IS_LIST: Final = 0x80
_TEXT_TOKEN: Final = 0x17


class BiffObjects:
    """Reads the records of objects: comments, headers and prompts become asides of a text, other objects lines of it.

    `handlers` are for a sheet, `chart_handlers` for a chart on it or in its place.
    """

    def __init__(self, stream: BiffStream, text: TextBuilder, cells: BiffCells) -> None:
        """Read from `stream` into `text`; hyperlinks are added to those of `cells`."""
        self._stream = stream
        self._text = text
        self._cells = cells
        self._object_kind = 0
        self._drawings: list[bytes] = []
        self._chart: dict[str, None] = {}
        self.pictures = bytearray()
        """The records of the drawing group, with the pictures of all sheets."""
        self.shown: set[int] = set()
        """The numbers of the pictures that shapes show."""
        self.previews: set[int] = set()
        """The numbers of the pictures that show an embedded object."""
        both: dict[int, Callable[[BiffRecord], None]] = {
            0x005D: self._on_object, 0x01B6: self._on_text, MSO_DRAWING: self._on_drawing,
            0x0014: self._on_header, 0x0015: self._on_header, 0x089C: self._on_headers,
        }  # fmt: skip
        self.handlers: Mapping[int, Callable[[BiffRecord], None]] = {
            **both, 0x001C: self._on_note, 0x01B8: self._on_link, 0x01BE: self._on_validation,
            MSO_DRAWING_GROUP: self._on_pictures,
        }  # fmt: skip
        self.chart_handlers: Mapping[int, Callable[[BiffRecord], None]] = {
            **both, 0x100D: self._on_chart_text, 0x0204: self._on_category,
        }  # fmt: skip

    def end_chart(self) -> None:
        """Write the words of a chart, each wording once."""
        self._add_lines(self._chart)
        self._chart.clear()

    def end_sheet(self) -> None:
        """Write the words of the drawings of a sheet."""
        drawings = b"".join(self._drawings)
        self._add_lines(dict.fromkeys(art_texts(drawings)))
        self.shown.update(shown_pictures(drawings))
        self._drawings.clear()
        self._object_kind = 0

    def _add_lines(self, lines: Iterable[str]) -> None:
        self._cells.end_row()
        for line in lines:
            self._text.line(line)

    def _on_object(self, record: BiffRecord) -> None:
        """Note the kind of an object, whose text follows: [MS-XLS] 2.5.143."""
        if record.size >= 6:
            self._object_kind = _U16.unpack_from(self._stream.data, record.start + 4)[0]
        if self._object_kind == _PICTURE and self._drawings and _EMBEDDED in self._stream.body(record):
            self.previews.update(shown_pictures(self._drawings[-1])[-1:])

    def _on_text(self, record: BiffRecord) -> None:
        """Read a text box or comment: [MS-XLS] 2.4.329; its characters stand in the CONTINUE records."""
        pieces = self._stream.continued(record)
        if len(pieces) < 2 or record.size < 12:
            return
        length = _U16.unpack_from(pieces[0], 10)[0]
        text = TextPieces(pieces[1:]).flagged_text(length).replace("\r", "\n")
        if self._object_kind == _COMMENT:
            self._text.aside(comment_text(text))
        else:
            self._add_lines((text,))

    def _on_drawing(self, record: BiffRecord) -> None:
        self._drawings += self._stream.continued(record)

    def _on_pictures(self, record: BiffRecord) -> None:
        for piece in self._stream.continued(record, MSO_DRAWING_GROUP):
            if len(self.pictures) + len(piece) <= MAX_GROUP:
                self.pictures += piece

    def _on_header(self, record: BiffRecord) -> None:
        body = self._stream.body(record)
        read = short_text if self._cells.codec else long_text
        self._text.aside(header_text(read(body, 0, self._cells.codec)[0]))

    def _on_headers(self, record: BiffRecord) -> None:
        """Read the headers and footers of even pages and of the first: [MS-XLS] 2.4.137."""
        body = b"".join(self._stream.continued(record))
        place = _EVEN_AND_FIRST.size
        for length in _EVEN_AND_FIRST.unpack_from(body):
            if length:
                code, place = long_text(body, place, "")
                self._text.aside(header_text(code))

    def _on_note(self, record: BiffRecord) -> None:
        """Read a comment: its text up to BIFF5; in BIFF8 its text box has the text."""
        if self._cells.codec:
            self._text.aside(long_text(self._stream.body(record), 4, self._cells.codec)[0])

    def _on_link(self, record: BiffRecord) -> None:
        link = cell_link(b"".join(self._stream.continued(record)))
        if link:
            self._cells.links.append((link.target, self._cells.text_at(link.row, link.column) or link.name))

    def _on_validation(self, record: BiffRecord) -> None:
        """Read the prompt and the error message for what is typed, and a list to choose from: [MS-XLS] Dv."""
        body = b"".join(self._stream.continued(record))
        flags, place = int.from_bytes(body[:4], "little"), 4
        for _ in range(4):
            text, place = long_text(body, place, "")
            self._text.aside(text.replace("\0", ""))
        if flags & _IS_LIST and body[place + 4 : place + 5] == bytes((_TEXT_TOKEN,)):
            self._text.aside(short_text(body, place + 5, "")[0].replace("\0", "\n"))

    def _on_chart_text(self, record: BiffRecord) -> None:
        """Read a title or the name of a series: [MS-XLS] 2.4.254."""
        self._add_to_chart(short_text(self._stream.body(record), 2, self._cells.codec)[0])

    def _on_category(self, record: BiffRecord) -> None:
        """Read a category that the chart keeps a copy of: [MS-XLS] 2.4.148."""
        self._add_to_chart(long_text(self._stream.body(record), 6, self._cells.codec)[0])

    def _add_to_chart(self, text: str) -> None:
        text = text.strip()
        if text and len(self._chart) < _MAX_CHART_LINES:
            self._chart[text] = None
