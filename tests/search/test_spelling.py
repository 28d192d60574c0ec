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


def test_a_word_that_nobody_wrote_is_mended_though_the_others_find_enough(tmp_path: Path) -> None:
    index = MemoryIndex()
    writer = index.writer()
    many = [entry(number, f"The ferry number {number}.") for number in range(9)]
    writer.apply(map(Put, [*many, entry(9, "The observatory.")]))
    writer.commit(1)
    library = Library(index.reader(), SystemClock())
    found = library.find(Question("ferry obsrvatory"), ANYONE)
    assert (found.total, found.suggestion) == (9, "ferry observatory")
    assert library.find(Question("ferry observatory"), ANYONE).suggestion is None
    assert library.find(Question("ferry zeppelin"), ANYONE).suggestion is None
