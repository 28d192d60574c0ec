"""A better query is told where one finds little, and only of what its reader may know."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.index.entry import Put
from cormorant.index.memory import MemoryIndex
from cormorant.model.acl import ANYONE
from cormorant.search.reader import Library, Question
from tests.index.shelves import entry

LIBRARY = (
    entry(1, "The timetable of the ferry to the observatory."),
    entry(2, "Accommodation near the observatory.", title="Where to stay"),
    entry(3, "The conspiracy", grants=("user:ada",)),
)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    index = MemoryIndex()
    writer = index.writer()
    writer.apply(map(Put, LIBRARY))
    writer.commit(1)
    return Library(index.reader(), SystemClock())


@pytest.mark.parametrize(
    ("typed", "better"),
    [
        ("accomodation", "accommodation"),
        ("+accomodation -Obsrvatory", "+accommodation -Obsrvatory"),
        ("fery timetable", "ferry timetable"),
        ('"ferry to teh"', '"ferry to the"'),
        ('"timetabel of the ferry"', '"timetable of the ferry"'),
        ("ferry", None),
        ("conspirasy", None),
        ("zebra", None),
        ("(accomodation OR fery) AND near", "(accommodation OR ferry) AND near"),
    ],
)
def test_a_better_query(library: Library, typed: str, better: str | None) -> None:
    assert library.find(Question(typed), ANYONE).suggestion == better
