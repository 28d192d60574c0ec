"""Text of a sheet: rows of cells as lines, and the headers and footers that are printed around them."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final

from cormorant.extract.document.text_builder import CELL, TextBuilder

MAX_CELL: Final = 32_767
"""Characters of a cell that are kept, which is Excel's limit."""

_MAX_ROW: Final = 1_000_000
_CODE: Final = re.compile(
    r'&(?:(?P<part>[LCR])|(?P<ampersand>&)|"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|[PN](?:[+-]\d{1,9}(?!\d))?|\d{1,3}|.)',
    re.DOTALL,
)
# The address in the notice, and the English wording.
_NOTICES: Final = ("go.microsoft.com/fwlink", "threaded comment")
_MAX_NOTICE: Final = 80


class RowText:
    """The cells of a row, which become one line of a text.

    Raw forms of numbers and dates follow the cells, so that neighbours are neighbours in the text as well.
    """

    def __init__(self, text: TextBuilder) -> None:
        """Write rows into `text`."""
        self._text = text
        self._shown: list[str] = []
        self._raw: list[str] = []
        self._size = 0

    def add(self, shown: str, raw: str = "") -> None:
        """Add a cell as displayed, and its raw form if it differs."""
        if "\n" in shown or "\t" in shown or "\r" in shown:
            shown = " ".join(shown.split())
        if shown and self._size <= _MAX_ROW:
            self._shown.append(shown)
            self._size += len(shown)
            if self._size > _MAX_ROW:
                self._wrap()
        if raw and self._size <= _MAX_ROW:
            self._raw.append(raw)

    def _wrap(self) -> None:
        """Continue in another line, unless the text has reached its limit."""
        self.end()
        if self._text.full:
            self._size = _MAX_ROW + 1

    def end(self) -> None:
        """End the row; one without cells is no line."""
        if self._shown or self._raw:
            if self._raw:
                known = set(self._shown)
                self._shown += [raw for raw in dict.fromkeys(self._raw) if raw not in known]
                self._raw.clear()
            self._text.line(CELL.join(self._shown))
            self._shown.clear()
            self._size = 0


def comment_text(text: str) -> str:
    """Return the text of a comment; of one that Excel made from a thread, the texts of people.

    Such a comment is for versions without threads, and begins with a notice in the language of the user.
    """
    title, _, rest = text.partition("\n")
    notice, _, said = rest.lstrip().partition("\n")
    if len(title) > _MAX_NOTICE or not title.startswith("[") or not any(each in notice.lower() for each in _NOTICES):
        return text
    lines = [line for line in said.splitlines() if line.strip()]
    return "\n".join(line.strip() for line, after in zip_longest(lines, lines[1:]) if not _is_label(line, after or ""))


def _is_label(line: str, after: str) -> bool:
    """Return whether a line is only a label like `Comment:` or `Reply:`."""
    return line.endswith(":") and not line.startswith(" ") and after.startswith("  ")


def header_text(code: str) -> str:
    """Return the words of a printed header or footer without its codes, its left, middle and right part as lines.

    ECMA-376-1 18.3.1.46, [MS-XLS] 2.4.136.
    """
    lines = (" ".join(line.split()) for line in _CODE.sub(_replacement, code).splitlines())
    return "\n".join(line for line in lines if line)


def _replacement(match: re.Match[str]) -> str:
    if match["ampersand"]:
        return "&"
    return "\n" if match["part"] else ""
