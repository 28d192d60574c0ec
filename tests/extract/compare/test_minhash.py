"""What documents are compared by: what counts as said, and what changes nothing of it."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, strategies as st

from bench.alike import pairs
from bench.likeness import measured, minhash
from cormorant.extract.compare.minhash import MOST, SHORTEST, sketch
from cormorant.model.text.near_duplicates import (
    ALIKE,
    BANDS,
    FIGURES,
    PLACES,
    bands,
    called_alike,
    likeness,
    named_alike,
)

NUMBERS = ("one", "two", "three", "four", "five", "six")
THINGS = (
    "pumps",
    "valves",
    "winches",
    "boilers",
    "gauges",
    "filters",
    "belts",
    "sumps",
    "cranks",
    "booms",
    "gates",
    "keys",
)
SENTENCES = [
    f"Sentence number {NUMBERS[n % 6]} is about {word}, and says so at some length." for n, word in enumerate(THINGS)
]
TEXT = "\n".join(SENTENCES)


def test_the_digest_of_a_text_is_as_it_was() -> None:
    """Sketches are kept: one that changes can no longer be compared with those of before."""
    made = sketch("The Manual, 2nd edition", TEXT)
    assert hashlib.sha256(made).hexdigest()[:16] == "9f435082a9ad58bc"
    assert len(made) == PLACES + FIGURES + 2 * 4


def test_case_figures_order_and_what_frames_it_do_not_count() -> None:
    said = sketch("Manual", TEXT)
    assert sketch("manual", TEXT.upper().lower().replace("number", "number12")) == said
    menu = "Home\nNews\nContact\n"
    assert sketch("Manual", f"{menu}{TEXT}\nImprint") == said
    assert likeness(said, sketch("Manual", "\n".join(reversed(SENTENCES)))) >= ALIKE


def test_what_says_too_little_is_not_compared() -> None:
    assert sketch("Manual", "x" * (SHORTEST - 1)) == b""
    assert sketch("Manual", "") == b""
    assert sketch("Manual", "short line\n" * 100) != b"", "a list has nothing but short lines"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Winch", "Winch | Harbour works", True), ("Winch 2.0", "Winch 2.0 (draft)", True), ("", "Winch", True),
        ("Winch 2.0", "Winch 2.1", False), ("Winch", "Winch 2.1", False), ("Winch X100", "Winch X200", False),
        ("Part 1 of 2", "Part 2 of 2", False), ("Part 1 of 2", "Part 2 of 1", False),
        ("Anna Berger - Staff", "Tom Iversen - Staff", False), ("Winch", "Pump", False),
    ],
)  # fmt: skip
def test_titles_tell_pages_apart(one: str, other: str, *, same: bool) -> None:
    made, too = sketch(one, TEXT), sketch(other, TEXT)
    assert called_alike(made, too) is same is (likeness(made, too) == 1.0)


def test_who_has_other_figures_in_the_title_is_not_even_compared() -> None:
    made = [set(bands(sketch(title, TEXT), 0)) for title in ("Winch", "Winch 1", "Winch 2")]
    assert not made[0] & made[1] | made[1] & made[2] | made[0] & made[2]
    assert made[1] == set(bands(sketch("The winch (1)", TEXT), 0))


@given(st.text(max_size=2_000), st.text(max_size=50))
def test_any_text_has_a_sketch_of_its_own_or_none(text: str, title: str) -> None:
    made = sketch(title, text * 3)
    assert made == sketch(title, text * 3)
    if made:
        assert PLACES + FIGURES <= len(made) <= PLACES + FIGURES + 48
        assert likeness(made, made) == 1.0
        assert len(bands(made, 3)) == BANDS
        assert not set(bands(made, 3)) & set(bands(made, 4))


@pytest.mark.parametrize("text", ["\ud800" * 5_000, "\0" * 5_000, "\u6771\u4eac" * 5_000, "a" * (2 * MOST), "k" * MOST])
def test_hostile_texts(text: str) -> None:
    assert len(sketch(text[:3_000], text)) >= PLACES + FIGURES


def test_pairs_of_which_it_is_known_are_told() -> None:
    """What `docs/reference/near-duplicates.md` says, with room for what is written in the manual they are made from."""
    some = list(pairs())
    found = measured(some, minhash(ALIKE))
    assert len(some) >= 400
    assert found.precision == 1.0
    assert found.recall > 0.8
    versions = [pair for pair in some if pair.kind.startswith("another version")]
    assert not any(map(minhash(ALIKE), versions)), "a number in the title tells it apart, be it of a version"
    words = minhash(ALIKE, named_alike)
    assert sum(map(words, versions)) > 0.9 * len(versions)
    assert measured(some, words).precision < 0.9, "without figures, reports of other years are near copies"
