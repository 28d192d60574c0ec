"""A story of a Word document (the main text, a note, a header) as a person sees it: [MS-DOC] 2.8.25, 2.4.3 and 2.4.5.

A field has an instruction, which is hidden, and a result, each with a mark before it and one at the end. They nest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from cormorant.extract.document.equation_field import equation_terms, phonetic_guide
from cormorant.extract.ole.code_pages import joined_units
from cormorant.extract.ole.doc.formatting import ROW_END

MAX_DEPTH: Final = 100
"""Fields within fields; deeper ones are read as if they were not there."""
_MAX_INSTRUCTION: Final = 8_192
_NAME_WITHIN: Final = 40
_MAX_LABEL: Final = 1_000
_MAX_LABEL_PIECES: Final = 50

_MARK: Final = re.compile("\0+|[\x01-\x08\x0b-\x1f]")
_BEGIN, _SEPARATOR, _END = "\x13", "\x14", "\x15"
_PICTURE, _DRAWING, _CELL = "\x01", "\x08", "\x07"
_ENDS_PARAGRAPH: Final = frozenset(("\r", "\x0c", _CELL, ROW_END))
_SEEN_AS: Final = {
    _CELL: "\t", "\x0b": "\n", "\x0c": "\n", "\r": "\n", "\x0e": "\n", ROW_END: "\n", "\x1e": "-",
}  # fmt: skip
_ARGUMENT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_SWITCHES_WITH_ARGUMENT: Final = ("\\o", "\\t")
_PLACE: Final = "\\l"
_BUTTON: Final = re.compile(r"\s*(?:MACROBUTTON|GOTOBUTTON)\s+\S+\s+(.*)", re.IGNORECASE | re.DOTALL)
_CHOICE: Final = "FORMDROPDOWN"


@dataclass
class _Field:
    begin: int
    """Where its result begins among the pieces of the text."""
    pieces: list[str] = field(default_factory=list)
    in_result: bool = False
    choice: str = ""

    def is_choice(self) -> bool:
        """Return whether it is a drop-down form field."""
        return bool(self.pieces) and self.pieces[0][:_NAME_WITHIN].strip().upper().startswith(_CHOICE)

    @property
    def instruction(self) -> str:
        """The beginning of its instruction."""
        return "".join(self.pieces[:_MAX_INSTRUCTION])[:_MAX_INSTRUCTION]


@dataclass
class Story:
    """The text of a story, and its hyperlinks as pairs of target and text.

    `anchored` are texts that stand beside the paragraph of a position, `labels` numbers of lists by the position at
    which a paragraph begins. `choice_at` returns the choice of a form field whose picture is at a position, "" when it
    has none.
    """

    anchored: Mapping[int, str] = field(default_factory=dict)
    choice_at: Callable[[int], str] = field(default=lambda _: "")
    links: list[tuple[str, str]] = field(default_factory=list)
    labels: Mapping[int, str] = field(default_factory=dict)
    _pieces: list[str] = field(default_factory=list)
    _fields: list[_Field] = field(default_factory=list)
    _beside: list[str] = field(default_factory=list)
    _depth: int = 0
    _hiding: int = 0

    def read(self, text: str, first: int, last: int) -> str:
        """Return the visible text of the positions `first` to `last` (exclusive) of a document."""
        place = first
        self._add_label(first)
        for mark in _MARK.finditer(text, first, last):
            self._add(text[place : mark.start()])
            place = mark.end()
            self._read_mark(mark[0], mark.start())
            self._add_label(place)
        self._add(text[place:last])
        while self._fields:  # the end is missing: what was taken for an instruction may be text
            left = self._fields.pop()
            self._pieces += () if left.in_result else left.pieces
        self._pieces += self._beside
        return joined_units("".join(self._pieces))

    def _add_label(self, position: int) -> None:
        if label := self.labels.get(position):
            self._add(label + " ")

    def _add(self, text: str) -> None:
        if not text:
            return
        if self._hiding:
            next(each for each in reversed(self._fields) if not each.in_result).pieces.append(text)
        else:
            self._pieces.append(text)

    def _read_mark(self, mark: str, position: int) -> None:
        if mark == _BEGIN:
            self._begin_field()
        elif mark == _SEPARATOR:
            self._begin_result()
        elif mark == _END:
            self._end_field()
        elif mark == _DRAWING and position in self.anchored:
            self._beside.append(self.anchored[position] + "\n")
        elif mark == _PICTURE and self._fields and self._fields[-1].is_choice():
            self._fields[-1].choice = self.choice_at(position)
        elif mark in _SEEN_AS:
            self._end_line(mark)

    def _end_line(self, mark: str) -> None:
        if mark in _ENDS_PARAGRAPH and self._beside and not self._fields:
            self._add("\n")
            beside, self._beside = self._beside, []
            self._pieces += beside
        while mark == ROW_END and self._pieces and self._pieces[-1] == _SEEN_AS[_CELL]:
            self._pieces.pop()
        self._add(_SEEN_AS[mark])

    def _begin_field(self) -> None:
        if len(self._fields) >= MAX_DEPTH:
            self._depth += 1
        else:
            self._fields.append(_Field(len(self._pieces)))
            self._hiding += 1

    def _begin_result(self) -> None:
        if self._fields and not self._depth:
            self._hiding -= not self._fields[-1].in_result
            self._fields[-1].in_result = True
            self._fields[-1].begin = len(self._pieces)

    def _end_field(self) -> None:
        if self._depth:
            self._depth -= 1
        elif self._fields:
            ended = self._fields.pop()
            self._hiding -= not ended.in_result
            if not ended.in_result:
                self._show_instruction(ended.instruction)
            self._add(ended.choice)
            target = _target(ended.instruction)
            if target and len(self._pieces) >= ended.begin:
                words = "".join(self._pieces[ended.begin : ended.begin + _MAX_LABEL_PIECES])
                self.links.append((target, joined_units(words[:_MAX_LABEL])))

    def _show_instruction(self, instruction: str) -> None:
        """Add the text of fields without a result: a button, an equation, a word with its reading above."""
        button = _BUTTON.match(instruction)
        base, reading = phonetic_guide(instruction)
        if button is not None:
            self._add(button[1].strip())
        elif base or reading:
            self._beside.append(reading + "\n")
            self._add(base)
        else:
            self._add(equation_terms(instruction))


def _target(instruction: str) -> str:
    """Return the address that a HYPERLINK field leads to, "" for other fields and for places in the document itself."""
    found = [quoted or bare for quoted, bare in _ARGUMENT.findall(instruction)]
    if not found or found[0].upper() != "HYPERLINK":
        return ""
    target = fragment = ""
    arguments = iter(found[1:])
    for each in arguments:
        if each.lower() == _PLACE:
            fragment = next(arguments, "")
        elif each.lower() in _SWITCHES_WITH_ARGUMENT:
            next(arguments, "")
        elif not each.startswith("\\"):
            target = target or each
    target = target.replace("\\\\", "\\")
    return f"{target}#{fragment}" if target and fragment else target
