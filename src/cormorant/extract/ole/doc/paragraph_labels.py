"""Numbers of the paragraphs of a Word document as they are displayed: [MS-DOC] 2.4.6.3.

A paragraph names a list and a level itself, or its style does. The formatting of a paragraph is that of its last
character, the mark that ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cormorant.extract.document.list_counter import LEVELS, ListCounter, ListLevel
from cormorant.extract.ole.doc.formatted_runs import formatted_runs, placed_runs
from cormorant.extract.ole.doc.formatting import DELETED
from cormorant.extract.ole.doc.information import Structure, WordFile
from cormorant.extract.ole.doc.list_tables import ListReference, ParagraphStyles, list_reference, read_lists
from cormorant.extract.ole.doc.pieces import PieceTable, PositionIndex

_UNSEEN: Final = DELETED + " \t\r\x07\x0c\x1d"


def paragraph_labels(file: WordFile, table: PieceTable, text: str) -> dict[int, str]:
    """Return the numbers of paragraphs by the position at which each begins; `text` is without deleted characters."""
    lists = read_lists(file)
    if not lists:
        return {}
    styles = ParagraphStyles(file)
    runs = placed_runs(formatted_runs(file, Structure.PARAGRAPHS), PositionIndex(table.pieces), len(text))
    ends = {run.last - 1: (run.style, list_reference(run.found)) for run in runs}
    counter, labels, begin = ListCounter(), dict[int, str](), 0
    for end in sorted(ends):
        if end >= len(text) or text[end] == DELETED:
            continue
        style, stated = ends[end]
        by_style = styles.list_of(style)
        number = by_style.number if stated.number is None else stated.number
        if number is not None and 0 < number <= len(lists):
            found = lists[number - 1]
            level = _level(stated, by_style, found.levels, str(style))
            label = counter.next_label(str(number), str(found.definition), found.levels, found.starts, level)
            if label and text[begin:end].strip(_UNSEEN):
                labels[begin] = label
        begin = end + 1
    return labels


def _level(stated: ListReference, by_style: ListReference, levels: Mapping[int, ListLevel], style: str) -> int:
    """Return the level of a paragraph: its own, that of the style whose list it has, or the one linked to its style."""
    level = stated.level
    if level is None and stated.number is None:
        level = by_style.level
    if level is None:
        level = next((place for place, each in levels.items() if each.style == style), 0)
    return min(level, LEVELS)
