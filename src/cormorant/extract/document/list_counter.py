"""Counter of the lists of a text document as Word displays them: ECMA-376-1 17.9, [MS-DOC] 2.4.6.3.

Lists with the same definition share its levels and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from cormorant.extract.document.list_numbers import format_number

LEVELS: Final = 9
MAX_LABEL: Final = 100
"""The longest number with its punctuation, in characters."""
MAX_START: Final = 10**8
"""The largest number at which a list may begin."""

_PLACE: Final = re.compile("[\0-\x08]")


class ListLevel(NamedTuple):
    """A level of a list. In its `text` each character from U+0000 to U+0008 represents the number of a level.

    `number_format` is one of ECMA-376-1 17.18.59. The level begins again after each paragraph of a level above
    `restarts_below`: 0 for never, LEVELS for any higher level. `is_legal`: all numbers in its text are shown in digits.
    `style` is the style that is linked to it, "" for none.
    """

    start: int
    number_format: str
    text: str
    restarts_below: int = LEVELS
    is_legal: bool = False
    style: str = ""


class ListCounter:
    """Counts the paragraphs of lists, in their order."""

    def __init__(self) -> None:
        """Start without numbers."""
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()

    def next_label(
        self, list_id: str, definition: str, levels: Mapping[int, ListLevel], starts: Mapping[int, int], number: int
    ) -> str:
        """Count a paragraph on the level `number` of a list, and return its label, "" for a bullet or none.

        `definition` identifies the shared numbers of the list; `starts` overrides the first numbers of some of its
        levels.
        """
        level = levels.get(number)
        if level is None:
            return ""
        counts = self._counts.setdefault(definition, {})
        if list_id not in self._begun:
            self._begun.add(list_id)
            for place, start in starts.items():
                counts.pop(place, None)
                levels = {**levels, place: levels[place]._replace(start=start)} if place in levels else levels
        counts[number] = counts[number] + 1 if number in counts else levels[number].start
        for place in range(number):
            counts.setdefault(place, levels[place].start if place in levels else 1)
        for place in [known for known in counts if known > number and _restarts(levels.get(known), number)]:
            del counts[place]
        return _displayed(level, levels, counts)


def _restarts(level: ListLevel | None, number: int) -> bool:
    return level is None or number < level.restarts_below


def _displayed(level: ListLevel, levels: Mapping[int, ListLevel], counts: Mapping[int, int]) -> str:
    if level.number_format == "bullet":
        return ""

    def number(match: re.Match[str]) -> str:
        place = ord(match[0])
        shown = levels.get(place)
        number_format = shown.number_format if shown and not level.is_legal else "decimal"
        return format_number(counts.get(place, 1), number_format)

    return _PLACE.sub(number, level.text).strip()[:MAX_LABEL]
