"""The words that show why a document was found, in one line."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from cormorant.base.clock import cpu_ns
from cormorant.search.index.query import leaves
from cormorant.search.index.tokenizer import clean, words
from cormorant.search.query.parser import parse
from cormorant.search.results import match_positions
from cormorant.search.results.match_positions import MatchPosition, Needles
from cormorant.search.results.snippet import LENGTH, SCANNED, Snippet, message_snippet, snippet


def show(text: str, query: str) -> Snippet:
    """Return the snippet of a text for what a person typed."""
    return snippet(clean(text), Needles(leaves(parse(query).query)))


def marked(text: str, query: str) -> list[str]:
    """Return what is highlighted."""
    shown = show(text, query)
    return [shown.text[start:end] for start, end in shown.highlights]


@pytest.mark.parametrize(
    ("text", "query", "highlights"),
    [
        ("One hotel, two Hotels, a HOTEL.", "hotel", ["hotel", "HOTEL"]),
        (
            "Die Stra\u00dfe nach Z\u00fcrich ist CAF\u00c9.",
            "strasse zurich cafe",
            ["Stra\u00dfe", "Z\u00fcrich", "CAF\u00c9"],
        ),
        (
            "resume\u0301 na\u00efve \ufb01ne \u0153uvre",
            "r\u00e9sum\u00e9 naive FINE oeuvre",
            ["resum\u00e9", "na\u00efve", "\ufb01ne", "\u0153uvre"],
        ),
        ("the head of  the\ndepartment head", '"head of the" department', ["head of the", "department"]),
        ("head of a department", '"head of department"', []),
        ("foo_bar foo-bar foo bar foobar", "foo-bar", ["foo_bar", "foo-bar", "foo bar"]),
        ("install installer Installation reinstall", "inst*", ["install", "installer", "Installation"]),
        ("foo-barbara foo-x", "foo-ba*", ["foo-barbara"]),
        (
            "\u6771\u4eac\u5927\u5b66\u306e\u7814\u7a76\u8005",
            "\u7814\u7a76 \u5927\u5b66",
            ["\u5927\u5b66", "\u7814\u7a76"],
        ),
        (
            "\u0939\u093f\u0928\u094d\u0926\u0940 \u092e\u0947\u0902",
            "\u0939\u093f\u0928\u094d\u0926\u0940",
            ["\u0939\u093f\u0928\u094d\u0926\u0940"],
        ),
        ("\U0001f426\U0001f426 bird \U0001f426 bird", "bird", ["bird", "bird"]),
        ("\u0130stanbul", "istanbul", ["\u0130stanbul"]),
        ("hotel draft", "hotel -draft", ["hotel"]),
        ("policy", "title:policy", []),
        ("policy", "text:policy type:pdf", ["policy"]),
        ("", "hotel", []),
        ("hotel", "", []),
    ],
)
def test_what_is_highlighted(text: str, query: str, highlights: list[str]) -> None:
    assert marked(text, query) == highlights


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("From: Ada\nTo: Harbour list\nSubject: Dues\n\nThe harbour is closed.", "harbour", "The harbour is closed."),
        ("From: Ada\nTo: Harbour list\n\nThe dues are paid.", "ada", "From: Ada To: Harbour list The dues are paid."),
        ("From: Ada\nTo: Harbour list\n\nThe dues are paid.", "zeppelin", "The dues are paid."),
        ("Subject: Dues", "dues", "Subject: Dues"),
        ("Dear all,\n\nthe harbour is closed.", "dear", "Dear all, the harbour is closed."),
    ],
)
def test_a_message_is_quoted_from_its_body_unless_only_its_header_matches(text: str, query: str, shown: str) -> None:
    found = message_snippet(text, Needles(leaves(parse(query).query)))
    assert found.text.removeprefix("… ") == shown
    assert [found.text[start:end].lower() for start, end in found.highlights] == [query] * shown.lower().count(query)


def test_the_window_with_the_most_different_words() -> None:
    text = "pump " * 100 + "filler " * 200 + "Here the pump meets a valve. " + "filler " * 200 + "valve " * 100
    shown = show(text, "pump valve")
    assert "pump meets a valve" in shown.text
    assert shown.text.startswith("\u2026 ")
    assert shown.text.endswith(" \u2026")


def test_nothing_seen_shows_the_beginning() -> None:
    assert show("The beginning.\n\n  And more. ", "zebra") == Snippet("The beginning. And more.")
    assert show("No sentence, v. 5.1\n file.txt", "zebra") == Snippet("No sentence, v. 5.1 file.txt")


MENU = "Home\nPumps\nValves and pumps\n5.1. Pumps\n5.2. About file.txt\n"
PROSE = "Whoever has pumps needs a valve that closes by itself, so it is said."
FOOT = "\nPumps since 1934. Keep dry.\nContact"


def test_prose_comes_before_a_table_of_contents() -> None:
    filler = "filler " * 60
    text = f"{PROSE.replace('pumps', 'a boat')}\n{MENU}{filler}\n{PROSE}\n{filler}\n{MENU}{PROSE[:7]}{PROSE[17:]}{FOOT}"
    assert show(text, "pumps").text.startswith(f"\u2026 {PROSE} filler")
    assert "Valves and pumps" in show(text, '"valves and" pumps').text, "more of the words come before prose"
    assert "About file.txt" in show(text, "about").text, "what stands in no prose is shown where it stands"


def test_what_every_page_of_a_site_says_is_not_shown() -> None:
    text = MENU + PROSE + FOOT
    assert show(text, "home").text == f"\u2026 {PROSE} Pumps since 1934. Keep dry. Contact"
    assert show(text, "pumps").text.startswith(f"\u2026 {PROSE}")
    assert show(text, "contact").text.startswith(f"\u2026 {PROSE}")
    assert "5.1. Pumps" in show(MENU + "filler " * 60, "pumps").text, "a menu is better than nothing"


def test_nothing_seen_shows_the_first_prose() -> None:
    assert show(MENU + PROSE, "zebra").text == f"\u2026 {PROSE}"
    assert show("\u76ee\u5f55\n" + "\u6771\u4eac" * 9 + "\u6e2f\u3002", "zebra").text[2:4] == "\u6771\u4eac"


@given(st.lists(st.sampled_from(["Menu", PROSE, "", "A pump.", "x" * 30_000, "\u6771\u3002" * 40]), max_size=9))
def test_it_shows_some_of_the_text_whatever_the_lines(lines: list[str]) -> None:
    for query in ("pump", "menu", "zebra"):
        shown = show("\n".join(lines), query)
        assert shown.text or not "".join(lines)
        assert all(0 <= first < last <= len(shown.text) for first, last in shown.highlights)


def test_one_line_without_marks_that_change_the_page() -> None:
    assert show("a\r\n\tb\x00\u202ec\u200b\u2028d\xa0e\ufefff", "zebra").text == "a b c d e f"


def test_far_inside_a_long_text() -> None:
    assert marked("filler " * SCANNED + " pump " + "filler " * 100, "Pump") == ["pump"]
    assert marked("f\u00efller " * SCANNED + " pump " + "filler " * 100, "Pump") == ["pump"]
    assert marked("\u0130" * SCANNED + " pump", "pump") == ["pump"]


@pytest.mark.parametrize("piece", ["x", "x ", "pump ", "\u6771", "e\u0301", "pump-", "\u0939\u093f", " "])
def test_time_is_bounded(piece: str) -> None:
    text = (piece * 20_000_000)[:20_000_000]
    made = Needles(leaves(parse(" ".join(f'pump{n} "pump pump pump{n}"' for n in range(16)) + " pump*").query))
    started = cpu_ns()
    shown = snippet(text, made)
    assert len(shown.text) <= LENGTH
    assert cpu_ns() - started < 5e9


WORDS = st.sampled_from(
    ("pump", "Pumpe", "b\u00e9ton", "foo-bar", "\u6771\u4eac", "e\u0301", "\u0939\u093f", "x" * 300, ". ", "\n")
)


@given(st.lists(WORDS | st.text(max_size=5), max_size=120), st.lists(WORDS, min_size=1, max_size=4))
def test_whatever_the_text(pieces: list[str], asked: list[str]) -> None:
    shown = show(" ".join(pieces), " ".join(asked))
    assert len(shown.text) <= LENGTH
    last = 0
    for start, end in shown.highlights:
        assert last <= start < end <= len(shown.text)
        assert words(shown.text[start:end])
        last = end
    assert not any(unicodedata.category(each) in ("Cc", "Zl", "Zp") for each in shown.text)


@pytest.mark.parametrize(
    ("text", "query", "highlights"),
    [
        ("a pump, Pumps and apumps 1pump", "pump", ["pump"]),
        ("hotel motel Zotel", "?otel", ["hotel", "motel", "Zotel"]),
        ("hotel motel Zotel", "*tel", ["hotel", "motel", "Zotel"]),
        ("Etage etape", "\u00e9ta*", ["Etage", "etape"]),
        ("strassen gasse", "\u00dftr?? stra?sen", ["strassen"]),
        ("notel hotel", "hotel~", ["notel", "hotel"]),
        ("one two, two One two", '"one two"', ["one two", "One two"]),
        ("plain text only", "\u6771\u4eac", []),
    ],
)
def test_words_are_found_by_the_letters_they_may_begin_with(text: str, query: str, highlights: list[str]) -> None:
    assert marked(text, query) == highlights


@pytest.mark.parametrize(
    ("typed", "tag", "text", "marked"),
    [
        ("city", "en", "A pity: the Cities of the CITY, citizens and _city", ["Cities", "CITY", "city"]),
        ("running", "en", "runner RUNS rum runts 4run run", ["RUNS", "run"]),
        ("go", "en", "He goes on, go. Gone", ["go"]),
        ("haus", "de", "Haus und Hause, Hausboot; Rathaus, Hausse", ["Haus", "Hause", "Hausboot"]),
        ("caf\u00e9 city", "en", "cafe cities", ["cafe", "cities"]),
        ('"city hall" citi*', "en", "city hall, citizen cities", ["city hall", "citizen", "cities"]),
    ],
)
def test_other_forms_are_marked_in_plain_text(typed: str, tag: str, text: str, marked: list[str]) -> None:
    shown = snippet(text, Needles(leaves(parse(typed).query)).spoken(tag))
    assert [shown.text[start:end] for start, end in shown.highlights] == marked


LETTERS = st.text("abAB1 -.", max_size=60)


@given(LETTERS, st.lists(st.text("ab1", min_size=1, max_size=3), min_size=1, max_size=4), st.integers(0, 9))
def test_words_that_begin_otherwise_are_passed_over_and_no_others(text: str, asked: list[str], start: int) -> None:
    def places(openings: tuple[str, ...] | None = None) -> list[MatchPosition]:
        made = Needles(leaves(parse(" ".join([*asked, f"{asked[0]}*"])).query), "en")
        made._openings = made._openings if openings is None else openings
        return made.places(text, start, len(text))

    found = places()
    if not (start and text[start - 1 : start].isalnum()):
        assert found == places(("",))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(match_positions, "_MOST_FOUND", 1)
        assert places() == found, "where letters stand too often, every word is looked at"
