from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from cormorant.frontier.links.anchor_text import LONGEST, MOST_TEXTS, OF_NAVIGATION, AnchorLink, folded, score, texts

HERE, THERE = 1, 2
SIZES = {HERE: 100, THERE: 100}


def links(*counted: tuple[str, int], site: int = HERE) -> Counter[AnchorLink]:
    heap: Counter[AnchorLink] = Counter()
    for text, count in counted:
        heap[AnchorLink(text, site)] += count
    return heap


def test_texts_are_told_once_and_those_of_most_pages_first() -> None:
    some = links(("Ferry times", 2), ("timetable", 5), ("FERRY  times.", 4), ("Boats", 1))
    assert texts(some, SIZES, "Departures") == ("FERRY times.", "timetable", "Boats")
    assert texts({}, SIZES, "") == ()


@pytest.mark.parametrize(
    "text",
    ["", "here", "Click here!", "more…", "Read more", "»", "12", "[3]", "2. ", "https://a.example/x", "www.a.example",
     "a.example/x", "Weiterlesen", "lire la suite", "続きを読む", "далее", "¶",
     "Section 19.3", "chapter 4", "Abschnitt 2.1.1", "(Figure 3)"],
)  # fmt: skip
def test_texts_that_say_nothing_are_left_out(text: str) -> None:
    assert texts(links((text, 9), ("Tide tables", 1)), SIZES, "") == ("Tide tables",)


@pytest.mark.parametrize(
    "text",
    [
        "Here be dragons",
        "apt.conf",
        "os.path",
        "TCP/IP",
        "2026 report",
        "Figures of 2026",
        "Table",
        "東京",
        "More music",
    ],
)
def test_texts_that_say_something_stay(text: str) -> None:
    assert texts(links((text, 1)), SIZES, "") == (text,)


def test_what_the_title_or_the_address_says_already_is_left_out() -> None:
    some = links(("Tide tables", 9), ("high water", 1), ("tables", 4))
    assert texts(some, SIZES, "TIDE TABLES (2026)") == ("high water",)
    assert texts(some, SIZES, "https://a.example/tide_tables.html") == ("high water",)
    assert texts(some, SIZES, "Tide table") == ("Tide tables", "tables", "high water"), "another form is another word"


def test_navigation_does_not_drown_what_somebody_meant() -> None:
    around = links(("Island news", 80))
    meant = links(("ferry timetable", 3))
    assert texts(around + meant, SIZES, "") == ("ferry timetable", "Island news")
    assert texts(links(("Island news", 20)) + meant, SIZES, "") == ("Island news", "ferry timetable")
    assert texts(links(("Island news", 8)) + meant, {HERE: 9}, "") == ("Island news", "ferry timetable"), "a small site"


def test_only_some_links_are_known_of_many() -> None:
    known = links(("Island news", 10)) + links(("ferry timetable", 3))
    assert texts(known, SIZES, "", more=1.0)[0] == "Island news"
    assert texts(known, SIZES, "", more=8.0) == ("ferry timetable", "Island news")


def test_texts_are_few_and_short() -> None:
    many = links(*((f"text number {chr(97 + n)}", n + 1) for n in range(26)))
    assert len(texts(many, SIZES, "")) == MOST_TEXTS
    assert [len(each) for each in texts(links(("word " * 100_000, 1)), SIZES, "")] == [LONGEST - 1]


def test_a_score_grows_with_the_logarithm_of_the_pages() -> None:
    found = [score(links(("x", count)), {HERE: 10**9}, HERE) for count in (0, 1, 14, 15, 31, 63, 8191, 10**5)]
    assert found == [0.0, 0.0, 0.0, 0.1, 0.2, 0.3, 1.0, 1.0]
    assert score(links(("x", 5)), SIZES, HERE) == 0.0
    assert score(links(("x", 5), site=THERE), SIZES, HERE) == 0.1, "another site counts more"
    assert score(links(("x", 10)), {HERE: 10**9}, HERE, more=100.0) == 0.6


def test_navigation_counts_as_few_pages() -> None:
    assert score(links(("x", 90)), SIZES, HERE) == score(links(("x", OF_NAVIGATION)), SIZES, HERE) == 0.0
    assert score(links(("x", 49)), SIZES, HERE) == 0.2


@given(st.lists(st.builds(AnchorLink, st.text(max_size=300), st.sampled_from((HERE, THERE)))), st.text(max_size=50))
def test_anything_may_be_a_text(some: list[AnchorLink], title: str) -> None:
    found = texts(Counter(some), SIZES, title)
    assert len({folded(each) for each in found}) == len(found) <= MOST_TEXTS
    assert all(0 < len(each) <= LONGEST for each in found)
    assert found == texts(Counter(some[::-1]), SIZES, title), "their order tells nothing"
    assert 0.0 <= score(Counter(some), SIZES, HERE) <= 1.0
