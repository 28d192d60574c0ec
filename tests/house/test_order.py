"""Files of tests that take long are begun first, and the list of them is of files that exist."""

from __future__ import annotations

from tests.house.reading import ROOT, text_of
from tests.order import SECONDS, ordered

LONG, SHORTER = sorted(SECONDS, key=lambda each: -SECONDS[each])[:2]
FILES = ["base/test_few.py", "base/test_many.py", "base/test_many.py", SHORTER, LONG, LONG]


def test_what_takes_long_is_begun_first() -> None:
    assert ordered(FILES) == [4, 5, 3, 1, 2, 0]


def test_every_test_keeps_its_place_in_its_file() -> None:
    places = ordered(FILES)
    assert sorted(places) == list(range(len(FILES)))
    assert [place for place in places if FILES[place] == LONG] == [4, 5]


def test_files_that_take_long_exist() -> None:
    assert not [each for each in SECONDS if not (ROOT / "tests" / each).is_file()]


def test_make_takes_files_in_this_order() -> None:
    makefile = text_of("Makefile")
    assert "$(SPREAD)" in makefile.partition("\ntest: ")[2].partition("\n.PHONY")[0]
    assert "--dist loadfile --no-loadscope-reorder" in makefile.partition("\nSPREAD = ")[2].partition("\n")[0]
