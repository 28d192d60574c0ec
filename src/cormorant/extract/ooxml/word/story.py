"""Text of the stories of a text document: body, headers, notes, comments (ECMA-376-1 17.3 to 17.16).

One walk over the elements of a part, without recursion: elements that hold paragraphs open a story of their own, whose
lines go to the one around it when they close.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from cormorant.extract.document.alt_text import human_text
from cormorant.extract.document.equation_field import phonetic_guide
from cormorant.extract.document.text_builder import CELL
from cormorant.extract.document.xml_tree import Element, attribute, walk_tree
from cormorant.extract.ooxml.drawings.drawing_part import DrawingReader
from cormorant.extract.ooxml.namespaces import first_child, is_passed_over, leading_child, name_of_element, short_name
from cormorant.extract.ooxml.symbols import symbol_text, with_symbols
from cormorant.extract.ooxml.word.fields import WordField, hyperlink_of, is_page_number
from cormorant.extract.ooxml.word.lists import ListNumbering
from cormorant.extract.ooxml.word.paragraph import WordParagraph, WordStory
from cormorant.extract.ooxml.word.styles import WordStyles, is_on, value_of

_NOT_READ: Final = (
    "w:rPr", "w:tblPr", "w:tblPrEx", "w:trPr", "w:tcPr", "w:sdtPr", "w:sectPr", "w:tblGrid", "w:pPr", "w:del",
    "w:moveFrom", "w:delText", "w:delInstrText", "m:rPr", "m:ctrlPr", "m:oMathParaPr", "a:blip", "pic:spPr", "wps:spPr",
    "wps:style", "wps:bodyPr", "wp:positionH", "wp:positionV",
)  # fmt: skip
_CHARACTERS: Final = {
    "w:tab": "\t", "w:ptab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "m:den": "/", "m:mr": " ",
}  # fmt: skip
_MAX_FIELDS: Final = 100
"""Fields within one another."""
_SEPARATORS: Final = frozenset(("separator", "continuationSeparator", "continuationNotice"))
_GAPS: Final = ("wp:inline", "w:pict", "w:object", "w:footnoteReference", "w:endnoteReference")
_SHAPES: Final = (
    "v:shape", "v:rect", "v:roundrect", "v:oval", "v:line", "v:polyline", "v:curve", "v:arc", "v:image", "v:group",
)  # fmt: skip
_MAX_TAGS: Final = 1_000
"""Names of elements whose readers are kept at hand."""
_Handlers: TypeAlias = tuple[Callable[[Element], object] | None, Callable[[Element], object] | None]
"""Readers of the start and of the end of an element."""


class WordContext:
    """Styles, list numbers and links that all parts of a document share. `title` is its first paragraph of that style.

    `read_chunk` returns the lines of a part in another format that stands in the text (`w:altChunk`).
    """

    def __init__(self, styles: WordStyles, numbering: ListNumbering, read_chunk: Callable[[str], list[str]]) -> None:
        self.styles = styles
        self.numbering = numbering
        self.read_chunk = read_chunk
        self.links: list[tuple[str, str]] = []
        self.title = ""


class WordReader:
    """Reads elements of one part.

    `is_margin`: it is a header or footer, where a line that holds nothing but the number of the page says nothing.
    """

    def __init__(self, context: WordContext, drawing: DrawingReader, *, is_margin: bool = False) -> None:
        self._context = context
        self._drawing = drawing
        self._drawing.links = context.links
        self._is_margin = is_margin
        self._stories = [WordStory()]
        self._paragraphs: list[WordParagraph] = []
        self._rows: list[list[str]] = []
        self._spans: list[tuple[str, WordParagraph | None, int]] = []
        self._handlers: dict[object, _Handlers] = {}
        self._starts = self._make_starts()
        self._ends: dict[str, Callable[[Element], object]] = {
            "w:p": self._end_paragraph,
            "w:tc": self._end_cell,
            "w:tr": self._end_row,
            "w:txbxContent": self._end_box,
            "w:hyperlink": self._end_span,
            "w:fldSimple": self._end_span,
            "w:footnote": self._end_note,
            "w:endnote": self._end_note,
            "w:comment": self._end_note,
            "m:d": self._end_brackets,
        }

    def read(self, element: Element) -> list[str]:
        """Return the lines of a block of the part, or of all of them."""
        handlers = self._handlers
        walk = walk_tree(element, "start", "end")
        passed: Element | None = None
        for event, each in walk:
            tag = each.tag
            start, end = handlers[tag] if tag in handlers else self._handlers_of(tag)
            if event == "start":
                if start is not None and start(each):
                    passed = each
                    walk.skip_subtree()
            elif each is passed:
                passed = None
            elif end is not None:
                end(each)
        lines, self._stories[0].lines = self._stories[0].lines, []
        return lines

    def finish(self) -> list[str]:
        """Return the lines that wait for a paragraph that never came."""
        return self._stories[0].close()

    def _handlers_of(self, tag: object) -> _Handlers:
        name = short_name(tag) if isinstance(tag, str) else ""
        found = self._starts.get(name), self._ends.get(name)
        if len(self._handlers) < _MAX_TAGS:
            self._handlers[tag] = found
        return found

    def _make_starts(self) -> dict[str, Callable[[Element], object]]:
        """Return the readers of elements; one that answers true is done with all that is in its element."""
        return {
            "w:t": self._on_text,
            "m:t": self._on_text,
            "w:p": self._on_paragraph,
            "w:tbl": self._on_table,
            "w:tr": self._on_row,
            "w:tc": self._on_cell,
            "w:sdt": _is_placeholder,
            "w:txbxContent": self._on_box,
            "w:footnote": self._on_note,
            "w:endnote": self._on_note,
            "w:comment": self._on_note,
            "w:hyperlink": self._on_hyperlink,
            "w:fldSimple": self._on_simple_field,
            "w:fldChar": self._on_field_mark,
            "w:instrText": self._on_field_code,
            "w:ddList": self._on_choice,
            "w:sym": self._on_symbol,
            "w:ruby": self._on_ruby,
            "w:altChunk": self._on_chunk,
            "m:d": self._on_brackets,
            "m:e": self._on_matrix_element,
            "mc:Choice": is_passed_over,
            "mc:Fallback": is_passed_over,
            "a:txBody": self._on_text_body,
            "v:textpath": self._on_word_art,
            **dict.fromkeys(_NOT_READ, lambda _: True),
            **dict.fromkeys(_CHARACTERS, self._on_character),
            **dict.fromkeys(("wp:docPr", "pic:cNvPr", "wps:cNvPr", "wpg:cNvPr", "a:cNvPr"), self._on_properties),
            **dict.fromkeys(("c:chart", "cx:chart", "dgm:relIds"), self._on_graphic),
            **dict.fromkeys(_SHAPES, self._on_shape),
            **dict.fromkeys(_GAPS, self._part_words),
        }

    def _add(self, text: str) -> None:
        story = self._stories[-1]
        if not text or (story.fields and story.in_code):
            return
        if self._paragraphs:
            self._paragraphs[-1].add(text)
        elif text.strip():
            story.lines.append(text)

    def _part_words(self, _: Element) -> None:
        """Keep the words before and behind a picture, a box or the mark of a note apart."""
        if self._paragraphs:
            self._paragraphs[-1].has_gap = True

    def _add_after(self, lines: list[str]) -> None:
        """Add lines of what is anchored in the current paragraph: they come after it, and part none of its words."""
        after = self._paragraphs[-1].after if self._paragraphs else self._stories[-1].lines
        after += lines

    def _on_text(self, element: Element) -> None:
        text = element.text or ""
        if not text.isascii():
            text = with_symbols(text, element.getparent())
        self._add(text.replace("\n", " ") if "\n" in text else text)

    def _on_character(self, element: Element) -> None:
        self._add(_CHARACTERS[name_of_element(element)])

    def _on_symbol(self, element: Element) -> None:
        code = attribute(element, "char")
        try:
            text = symbol_text(attribute(element, "font"), int(code[:8], 16))
        except ValueError:
            return
        if text:
            self._add(text)
        else:
            self._part_words(element)

    def _on_ruby(self, element: Element) -> bool:
        base, reading = _texts_in(element, "w:rubyBase"), _texts_in(element, "w:rt")
        if self._paragraphs and not self._stories[-1].in_code:
            self._paragraphs[-1].add_ruby(base, reading)
        return True

    def _on_brackets(self, element: Element) -> None:
        self._add(_bracket(element, "m:begChr", "("))

    def _end_brackets(self, element: Element) -> None:
        self._add(_bracket(element, "m:endChr", ")"))

    def _on_matrix_element(self, element: Element) -> None:
        if name_of_element(element.getparent()) in ("m:mr", "m:eqArr"):
            self._add(" ")

    def _on_paragraph(self, element: Element) -> None:
        properties = leading_child(element, "w:pPr")
        if properties is None:
            self._paragraphs.append(self._stories[-1].begin(""))
            return
        joins = _has_deleted_end(properties)
        label = "" if joins else self._context.numbering.label(properties)
        paragraph = self._stories[-1].begin(label)
        paragraph.joins_next = joins
        paragraph.is_title = self._context.styles.is_title(value_of(properties, "w:pStyle"))
        self._paragraphs.append(paragraph)

    def _end_paragraph(self, _: Element) -> None:
        paragraph = self._paragraphs.pop()
        if self._is_margin and paragraph.has_page_number and not any(map(str.isalpha, paragraph.text())):
            paragraph.pieces.clear()
        text = self._stories[-1].end(paragraph)
        if paragraph.is_title and not self._context.title:
            self._context.title = text.strip()

    def _on_table(self, element: Element) -> None:
        properties = leading_child(element, "w:tblPr")
        if properties is not None:
            about = (human_text(value_of(properties, name)) for name in ("w:tblCaption", "w:tblDescription"))
            self._stories[-1].lines += [text for text in about if text]

    def _on_row(self, element: Element) -> bool:
        properties = first_child(element, "w:trPr")
        deleted = properties is not None and first_child(properties, "w:del") is not None
        if not deleted:
            self._rows.append([])
        return deleted

    def _end_row(self, _: Element) -> None:
        line = CELL.join(cell for cell in self._rows.pop() if cell)
        if line:
            self._stories[-1].lines.append(line)

    def _on_cell(self, element: Element) -> bool:
        properties = leading_child(element, "w:tcPr")
        deleted = properties is not None and first_child(properties, "w:cellDel") is not None
        if not deleted:
            self._on_story(element)
        return deleted

    def _end_cell(self, _: Element) -> None:
        cell = "\n".join(self._stories.pop().close())
        (self._rows[-1] if self._rows else self._stories[-1].lines).append(cell)

    def _on_box(self, element: Element) -> None:
        self._part_words(element)
        self._on_story(element)

    def _on_story(self, _: Element) -> None:
        self._stories.append(WordStory())

    def _end_box(self, _: Element) -> None:
        self._add_after(self._stories.pop().close())

    def _on_note(self, element: Element) -> bool:
        is_separator = attribute(element, "type") in _SEPARATORS
        if not is_separator:
            self._on_story(element)
        return is_separator

    def _end_note(self, element: Element) -> None:
        text = "\n".join(self._stories.pop().close()).strip()
        author = attribute(element, "author").strip() if name_of_element(element) == "w:comment" else ""
        if text:
            self._stories[-1].lines.append(f"{author}: {text}" if author else text)

    def _on_hyperlink(self, element: Element) -> None:
        self._begin_span(self._drawing.external_target(attribute(element, "id")))

    def _on_simple_field(self, element: Element) -> None:
        code = attribute(element, "instr")
        self._note_page_number(code)
        self._begin_span(hyperlink_of(code))

    def _begin_span(self, target: str) -> None:
        paragraph = self._paragraphs[-1] if self._paragraphs else None
        self._spans.append((target, paragraph, len(paragraph.pieces) if paragraph else 0))

    def _end_span(self, _: Element) -> None:
        target, paragraph, start = self._spans.pop()
        if target:
            self._drawing.add_link(target, paragraph.anchor_from(start) if paragraph else "")

    def _note_page_number(self, code: str) -> None:
        if self._paragraphs and is_page_number(code):
            self._paragraphs[-1].has_page_number = True

    def _on_field_mark(self, element: Element) -> None:
        kind, fields = attribute(element, "fldCharType"), self._stories[-1].fields
        if kind == "begin" and len(fields) < _MAX_FIELDS:
            fields.append(WordField())
        elif kind == "separate" and fields:
            field = fields[-1]
            field.in_code = False
            field.paragraph = self._paragraphs[-1] if self._paragraphs else None
            field.start = len(self._paragraphs[-1].pieces) if self._paragraphs else 0
        elif kind == "end" and fields:
            self._end_field(fields.pop())

    def _on_field_code(self, element: Element) -> bool:
        fields = self._stories[-1].fields
        if fields:
            fields[-1].add_code(element.text or "")
        return True

    def _end_field(self, field: WordField) -> None:
        self._note_page_number(field.code)
        paragraph = self._paragraphs[-1] if self._paragraphs else None
        target = hyperlink_of(field.code)
        if target:
            inside = paragraph is not None and paragraph is field.paragraph
            self._drawing.add_link(target, paragraph.anchor_from(field.start) if paragraph and inside else "")
        if field.start < 0:
            self._add(field.choice)
            base, reading = phonetic_guide(field.code)
            if paragraph and base and not self._stories[-1].in_code:
                paragraph.add_ruby(base, reading)

    def _on_choice(self, element: Element) -> None:
        entries = [attribute(each, "val") for each in element if name_of_element(each) == "w:listEntry"]
        chosen = value_of(element, "w:result") or value_of(element, "w:default") or "0"
        if self._stories[-1].fields and chosen.isdecimal() and len(chosen) < 10 and int(chosen) < len(entries):
            self._stories[-1].fields[-1].choice = entries[int(chosen)]

    def _on_chunk(self, element: Element) -> None:
        part = self._drawing.package.target(self._drawing.part, attribute(element, "id"))
        if part:
            self._add_after(self._context.read_chunk(part))

    def _on_properties(self, element: Element) -> None:
        known = self._paragraphs[-1].after if self._paragraphs else self._stories[-1].lines
        self._add_after([text for text in self._drawing.add_properties(element) if text not in known[-2:]])

    def _on_graphic(self, element: Element) -> None:
        self._add_after(self._drawing.read_graphic(element))

    def _on_text_body(self, element: Element) -> bool:
        self._add_after(self._drawing.body_lines(element))
        return True

    def _on_word_art(self, element: Element) -> None:
        text = attribute(element, "string").strip()
        self._add_after([text] if text else [])

    def _on_shape(self, element: Element) -> None:
        text, target = human_text(attribute(element, "alt")), attribute(element, "href")
        self._add_after([text] if text else [])
        if target:
            self._drawing.add_link(target, text)


def _is_placeholder(content_control: Element) -> bool:
    """Return whether a content control shows a prompt, or the box of a choice by a tick: ECMA-376-1 17.5.2.38."""
    properties = first_child(content_control, "w:sdtPr")
    if properties is None:
        return False
    return is_on(first_child(properties, "w:showingPlcHdr")) or first_child(properties, "w14:checkbox") is not None


def _has_deleted_end(properties: Element) -> bool:
    """Return whether the mark at the end of a paragraph was deleted, or moved away: ECMA-376-1 17.13.5.15."""
    run = first_child(properties, "w:rPr")
    return run is not None and any(name_of_element(each) in ("w:del", "w:moveFrom") for each in run)


def _texts_in(element: Element, name: str) -> str:
    child = first_child(element, name)
    return "".join(each.text or "" for each in child.iter("{*}t")) if child is not None else ""


def _bracket(element: Element, name: str, default: str) -> str:
    properties = first_child(element, "m:dPr")
    bracket = first_child(properties, name) if properties is not None else None
    return attribute(bracket, "val") if bracket is not None else default
