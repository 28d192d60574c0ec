"""Numbers of list items and headings as they are displayed (ODF 1.3-3 5.3 and 16.29 to 16.34), without bullets."""

from __future__ import annotations

from typing import Final, NamedTuple

from cormorant.extract.document.xml_tree import Element
from cormorant.extract.ooxml.list_numbers import format_number
from cormorant.extract.opendocument.names import clark, value_of

MAX_LEVEL: Final = 20
MAX_NUMBER: Final = 1_000_000

_FORMATS: Final = {
    "1": "decimal", "01": "decimalZero", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
    "一, 二, 三, ...": "chineseCounting",
}  # fmt: skip


class _Level(NamedTuple):
    number_format: str
    prefix: str
    suffix: str
    display: int
    start: int


class _OpenList(NamedTuple):
    style: str
    counts: dict[int, int]
    level: int


_NO_LEVEL: Final = _Level("", "", "", 1, 1)


class ListLabels:
    """The numbers of lists while a document is read from its beginning to its end."""

    def __init__(self) -> None:
        """Start without styles and without lists."""
        self.last = ""
        """The label of the paragraph that was begun last."""
        self._styles: dict[str, dict[int, _Level]] = {}
        self._outline: dict[int, _Level] = {}
        self._headings: dict[int, int] = {}
        self._open: list[_OpenList] = []
        self._by_id: dict[str, dict[int, int]] = {}
        self._by_style: dict[str, dict[int, int]] = {}
        self._awaited: int | None = None  # the number that the next item has to have, 0 for the next one

    def load(self, root: Element) -> None:
        """Read the styles of lists and of the outline in a part."""
        for style in root.iter(clark("text:list-style")):
            self._styles.setdefault(value_of(style, "style:name"), _levels(style))
        for style in root.iter(clark("text:outline-style")):
            self._outline = self._outline or _levels(style)

    def enter(self, element: Element) -> None:
        """Begin a list, which may continue an earlier one."""
        style = value_of(element, "text:style-name")
        if self._open:
            around = self._open[-1]
            opened = _OpenList(style or around.style, around.counts, around.level + 1)
        else:
            opened = _OpenList(style, self._counts(element, style), 1)
        self._open.append(opened)
        self._by_id[value_of(element, "xml:id")] = self._by_style[opened.style] = opened.counts
        self._awaited = None

    def leave(self) -> None:
        """End the list that was begun last."""
        self._open.pop()
        self._awaited = None

    def begin_item(self, element: Element) -> None:
        """Begin an item, whose first paragraph has its number."""
        self._awaited = _integer(value_of(element, "text:start-value"), 0)

    def label(self) -> str:
        """Return the number of the item that begins with the next paragraph, "" when none does."""
        self.last = ""
        if self._awaited is not None and self._open:
            listed = self._open[-1]
            self.last = _label(self._styles.get(listed.style, {}), listed.counts, listed.level, self._awaited)
        self._awaited = None
        return self.last

    def heading_label(self, heading: Element) -> str:
        """Return the number of a heading, "" when headings have none."""
        if self._open or value_of(heading, "text:is-list-header") == "true":
            return self.label()
        level = _integer(value_of(heading, "text:outline-level"), 1)
        start = _integer(value_of(heading, "text:start-value"), 0)
        self.last = _label(self._outline, self._headings, level, start)
        return self.last

    def _counts(self, element: Element, style: str) -> dict[int, int]:
        continued = value_of(element, "text:continue-list")
        if continued and continued in self._by_id:
            return self._by_id[continued]
        return self._by_style.get(style, {}) if value_of(element, "text:continue-numbering") == "true" else {}


def _levels(style: Element) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for each in style:
        level = _integer(value_of(each, "text:level"), 0)
        if 0 < level <= MAX_LEVEL:
            found[level] = _Level(
                value_of(each, "style:num-format"),
                value_of(each, "style:num-prefix"),
                value_of(each, "style:num-suffix"),
                _integer(value_of(each, "text:display-levels"), 1),
                _integer(value_of(each, "text:start-value"), 1),
            )
    return found


def _label(levels: dict[int, _Level], counts: dict[int, int], level: int, start: int) -> str:
    """Count one item further, and return its label."""
    shown = levels.get(level, _NO_LEVEL)
    counts[level] = start or counts.get(level, shown.start - 1) + 1
    for deeper in [each for each in counts if each > level]:
        del counts[deeper]
    if not shown.number_format:
        return ""
    numbers = []
    for each in range(max(1, level - shown.display + 1), level + 1):
        made = levels.get(each, _NO_LEVEL)
        if made.number_format:
            numbers.append(
                format_number(counts.get(each, made.start), _FORMATS.get(made.number_format, made.number_format))
            )
    return f"{shown.prefix}{'.'.join(numbers)}{shown.suffix} "


def _integer(text: str, default: int) -> int:
    return min(int(text), MAX_NUMBER) if text.isascii() and text.isdigit() and len(text) < 10 else default
