"""Text of Word 97-2003 documents (DOC, DOT): [MS-DOC]; of Word 6 and 95 as far as their structures are the same.

body     the main text, text boxes after the paragraph that they are anchored in
asides   headers and footers, footnotes, endnotes, comments, text boxes of headers, WordArt and alternative texts,
         names of embedded files
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Final

from cormorant.extract.detect.compound_file import CompoundFile, Storage
from cormorant.extract.document.links import page_links
from cormorant.extract.document.text_builder import TextBuilder
from cormorant.extract.errors import Unreadable
from cormorant.extract.job import ExtractionTask
from cormorant.extract.ole.doc.form_fields import form_choice
from cormorant.extract.ole.doc.formatting import ROW_END, apply_formatting
from cormorant.extract.ole.doc.information import Part, Structure, WordFile
from cormorant.extract.ole.doc.paragraph_labels import paragraph_labels
from cormorant.extract.ole.doc.pieces import read_pieces, read_text
from cormorant.extract.ole.doc.story import Story
from cormorant.extract.ole.excel import graph_lines
from cormorant.extract.ole.object_storage import is_read_apart, object_name
from cormorant.extract.ole.office_art import RECORD_HEADER, art_texts, shown_pictures
from cormorant.extract.ole.pictures import BlipText
from cormorant.extract.ole.properties import read_properties
from cormorant.extract.sanitize import title_or_name
from cormorant.model.content import Extraction

OBJECTS: Final = "ObjectPool"
"""The storage of the objects that are embedded in a document."""
MAX_PICTURES: Final = 10_000
"""Pictures whose alternative text is read."""
MAX_OBJECTS: Final = 1_000

_ASIDES: Final = (Part.HEADERS, Part.FOOTNOTES, Part.ENDNOTES, Part.COMMENTS, Part.HEADER_TEXT_BOXES)
_BOX: Final = struct.Struct("<14xI4x")
_ANCHOR: Final = struct.Struct("<I22x")
_U32: Final = struct.Struct("<I")
_PICTURE: Final = struct.Struct("<IHH")
_LINKED: Final = 0x66
_EMBED: Final = "EMBED"
_MAX_FIELD: Final = 1_000
"""Characters before a picture within which the field of an object begins."""


def extract_doc(body: bytes, task: ExtractionTask) -> Extraction:
    """Return the extraction of a Word document.

    Raises Protected when it is encrypted, Unreadable when it has no text that could be found.
    """
    root = CompoundFile(body).root
    return _WordReader(WordFile(root), task).extraction()


class _WordReader:
    """Reads one document; positions are those of its text ([MS-DOC] 2.2.1)."""

    def __init__(self, file: WordFile, task: ExtractionTask) -> None:
        self._file = file
        self._task = task
        self._data = file.storage.read("Data") or b""
        self._builder = TextBuilder()
        self._blips = BlipText()
        self._read_apart: bool | None = None
        self._links: list[tuple[str, str]] = []
        table = read_pieces(file)
        text, missing = read_text(file, table)
        if not text.strip("\0"):
            raise Unreadable("its text is missing: it is cut short or damaged")
        self._damaged = table.damaged or missing
        found = apply_formatting(file, table, text)
        if not found.rows:
            found = found._replace(text=found.text.replace("\x07\x07", "\x07" + ROW_END))
        self._text, self._pictures = found.text, found.pictures
        self._labels = paragraph_labels(file, table, found.text)
        self._borders = [0]
        for count in file.counts if sum(file.counts) else [len(text)]:
            self._borders.append(min(self._borders[-1] + count, len(text)))

    def extraction(self) -> Extraction:
        self._add_body()
        self._add_asides()
        storage = self._file.storage
        properties = read_properties(storage)
        links, seen = page_links(
            self._task.address, [(self._recoded(to), self._recoded(text)) for to, text in self._links]
        )
        damaged = self._damaged or storage.file.damaged
        return Extraction(
            text=self._builder.text(),
            title=title_or_name(properties.title, self._task.address, self._task.file_name),
            links=links,
            links_seen=seen,
            attributes=properties.attributes,
            truncated=damaged or self._builder.full,
            fault="A part of it is damaged or missing; the rest was read." if damaged else "",
        )

    def _add_body(self) -> None:
        boxes = self._boxes()
        anchored: dict[int, str] = {}
        for position, shape in self._anchors():
            if shape in boxes:
                anchored[position] = boxes.pop(shape)
        self._builder.add(self._seen(*self._range(Part.MAIN), anchored))
        for text in boxes.values():
            self._builder.line(text)
        self._builder.line(self._seen(self._borders[-1], len(self._text)))

    def _add_asides(self) -> None:
        for part in _ASIDES:
            for line in self._seen(*self._range(part)).split("\n"):
                self._builder.aside(line)
        for text in (*self._words_of_pictures(), *self._words_of_drawings(), *_words_of_objects(self._file.storage)):
            self._builder.aside(text)

    def _range(self, part: Part) -> tuple[int, int]:
        """Return the positions of a part; Word 6 and damaged blocks have fewer parts."""
        borders = self._borders
        return (borders[part], borders[part + 1]) if part + 1 < len(borders) else (0, 0)

    def _seen(self, first: int, last: int, anchored: Mapping[int, str] = MappingProxyType({})) -> str:
        story = Story(anchored, self._choice_at, self._links, self._labels)
        return self._recoded(story.read(self._text, first, last))

    def _recoded(self, text: str) -> str:
        """Return text of Word 6 and 95 in its code page; a character stands for each of its bytes before."""
        return text.encode("latin-1", "replace").decode(self._file.codec, "replace") if self._file.old else text

    def _choice_at(self, position: int) -> str:
        return form_choice(self._data, self._pictures[position]) if position in self._pictures else ""

    def _boxes(self) -> dict[int, str]:
        """Return the texts of the text boxes by shape: [MS-DOC] 2.8.32 and 2.9.106 (FTXBXS)."""
        first, last = self._range(Part.TEXT_BOXES)
        described = self._file.structure(Structure.TEXT_BOXES)
        count = max(0, len(described) - 4) // (4 + _BOX.size)
        starts = [first + start for (start,) in _U32.iter_unpack(described[: count * 4])]
        shapes = [shape for (shape,) in _BOX.iter_unpack(described[(count + 1) * 4 :][: count * _BOX.size])]
        boxes: dict[int, str] = {}
        place = first
        for number, end in enumerate([*starts[1:], last]):
            end = max(place, min(end, last))
            text = self._seen(place, end).strip()
            if text:
                shape = shapes[number] if number < len(shapes) else 0
                boxes[shape if shape not in boxes else -number] = text
            place = end
        return boxes

    def _anchors(self) -> list[tuple[int, int]]:
        """Return where the drawings of the main text are anchored, each with its shape: [MS-DOC] 2.8.37."""
        described = self._file.structure(Structure.ANCHORS)
        count = max(0, len(described) - 4) // (4 + _ANCHOR.size)
        positions = (position for (position,) in _U32.iter_unpack(described[: count * 4]))
        shapes = (shape for (shape,) in _ANCHOR.iter_unpack(described[(count + 1) * 4 :][: count * _ANCHOR.size]))
        return list(zip(positions, shapes, strict=False))

    def _words_of_pictures(self) -> Iterator[str]:
        """Yield WordArt, alternative texts and text in metafiles of pictures in the line: [MS-DOC] 2.9.192."""
        left = 2 * len(self._data)  # pictures of a sound document share no bytes
        for position, place in islice(self._pictures.items(), MAX_PICTURES):
            if left >= 0 and self._text[position] == "\x01" and place + _PICTURE.size <= len(self._data):
                size, header, mode = _PICTURE.unpack_from(self._data, place)
                left -= min(size, len(self._data))
                start = place + header
                if mode == _LINKED and start < len(self._data):
                    start += 1 + self._data[start]
                yield from art_texts(self._data, start, place + size)
                if not self._is_preview(position):
                    yield from self._blips.inline(self._data, start, place + size)

    def _is_preview(self, position: int) -> bool:
        """Return whether a picture is the result of a field that only shows a document which is read apart."""
        first = max(0, position - _MAX_FIELD)
        begin = self._text.rfind("\x13", first, position)
        if begin <= self._text.rfind("\x15", first, position):
            return False
        return self._text[begin + 1 : begin + 20].lstrip().upper().startswith(_EMBED) and self._all_read_apart()

    def _all_read_apart(self) -> bool:
        if self._read_apart is None:
            pool = self._file.storage.storage(OBJECTS)
            found = [each for _, each in islice(pool.storages(), MAX_OBJECTS)] if pool is not None else []
            self._read_apart = bool(found) and all(is_read_apart(each) for each in found)
        return self._read_apart

    def _words_of_drawings(self) -> Iterator[str]:
        """Yield WordArt, alternative texts and metafiles of drawings before or behind the text: [MS-DOC] 2.9.172."""
        drawings = self._file.structure(Structure.DRAWINGS)
        shown: set[int] = set()
        group = place = skipped = 0
        while place + skipped + RECORD_HEADER.size <= len(drawings):
            end = place + skipped + RECORD_HEADER.size + RECORD_HEADER.unpack_from(drawings, place + skipped)[2]
            yield from art_texts(drawings, place + skipped, end)
            shown.update(shown_pictures(drawings[place + skipped : end]))
            place, skipped = end, 1  # a byte before each drawing says whether it belongs to headers
            group = group or end
        yield from self._blips.stored(drawings[:group], self._file.text, shown)


def _words_of_objects(storage: Storage) -> Iterator[str]:
    """Yield the names of files that were dropped into a document, and the words of its charts."""
    pool = storage.storage(OBJECTS)
    for _, each in () if pool is None else islice(pool.storages(), MAX_OBJECTS):
        yield object_name(each)
        yield from graph_lines(each)
