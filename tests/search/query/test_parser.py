"""Whatever a person types is a query, and what it was understood as can be read and typed again."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from cormorant.search.index.query import (
    And,
    Clauses,
    Everything,
    Exact,
    Field,
    Key,
    Like,
    Near,
    Not,
    Nothing,
    Number,
    Or,
    Pattern,
    Phrase,
    Prefix,
    Query,
    QueryWord,
    Range,
)
from cormorant.search.query.lexer import DEEPEST, LONGEST, MOST_PREFIXES, MOST_TERMS
from cormorant.search.query.parser import Parsed, parse
from tests.suites.record import record

SUITE = Path(os.environ.get("CORMORANT_SUITES", "/nowhere")) / "naughty-strings" / "blns.json"

A, B, C = QueryWord("a"), QueryWord("b"), QueryWord("c")
DAY = 86_400.0
WILD = "A wildcard stands in one word, with two letters or digits at least."
LARGE = "A word takes 5 wildcards and 50 letters at most."
A_DAY = "a day, month or year, like 2026-03-14 or 2026, or two with .. between them."
A_DEPTH = "a number like 2 or <3, or two with .. between them."
A_SIZE = "a size like 500kB or >2MB, or two with .. between them."
PDF = Exact(Key.MIME, ("application/pdf",))


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("a", A),
        ("a b", Clauses((), (A, B), (), 1)),
        ("a b a A", Clauses((), (A, B), (), 1)),
        ('"a  b\nc"', Phrase("a b c")),
        ("\u201ca b\u201d", Phrase("a b")),
        ("+a b", Clauses((A,), (B,))),
        ("+a +b", Clauses((A, B))),
        ("a -b", Clauses((), (A,), (B,), 1)),
        ("a NOT b", Clauses((), (A,), (B,), 1)),
        ("a - b", Clauses((), (A, B), (), 1)),
        ("--a", A),
        ("-a", Clauses((Everything(),), (), (A,))),
        ("-(a b)", Clauses((Everything(),), (), (Clauses((), (A, B), (), 1),))),
        ("a AND b", And((A, B))),
        ("a AND b AND c", And((A, B, C))),
        ("a AND b c", Clauses((And((A, B)),), (C,))),
        ("a OR b", Or((A, B))),
        ("a OR b c", Clauses((), (Or((A, B)), C), (), 1)),
        ("a AND b OR c", Or((And((A, B)), C))),
        ("a AND (b OR c)", And((A, Or((B, C))))),
        ("a AND NOT b", And((A, Not(B)))),
        ("a AND -b", And((A, Not(B)))),
        ("a OR NOT b", Or((A, Not(B)))),
        ("-a OR b", Or((Not(A), B))),
        ("a OR -b OR -c", Or((A, Not(B), Not(C)))),
        ("NOT NOT a", A),
        ("NOT -a", A),
        ("a and b", Clauses((), (A, QueryWord("and"), B), (), 1)),
        ("ab*", Prefix("ab")),
        ("ab**", Prefix("ab")),
        ("*ab", Pattern("*ab")),
        ("a*b", Pattern("a*b")),
        ("a?b**c?", Pattern("a?b*c?")),
        ("is it? ok?", Clauses((), (QueryWord("is"), QueryWord("it"), QueryWord("ok")), (), 1)),
        ("url:te?t", Pattern("te?t", Field.ADDRESS)),
        ("hotle~", Like("hotle", 1)),
        ("accomodation~", Like("accomodation", 2)),
        ("hotle~2 a~b", Clauses((), (Like("hotle", 2), QueryWord("a~b")), (), 1)),
        ("~/etc", QueryWord("etc")),
        ('"a b"~3', Near("a b", 3)),
        ('title:"a b"~2', Near("a b", 2, Field.TITLE)),
        ('"a"~3', Phrase("a")),
        ('"a b"~0', Phrase("a b")),
        ("heading:a", QueryWord("a", Field.HEADINGS)),
        ("inurl:a link:b", Clauses((), (QueryWord("a", Field.ADDRESS), QueryWord("b", Field.ANCHORS)), (), 1)),
        ("filetype:pdf", PDF),
        ("date:1970", Range(Number.MODIFIED, 0.0, 365 * DAY - 0.001)),
        ("date:1970-01-02", Range(Number.MODIFIED, DAY, 2 * DAY - 0.001)),
        ("date:1970-01-02..1970-02", Range(Number.MODIFIED, DAY, 59 * DAY - 0.001)),
        ("date:1970-02..1970-01", Range(Number.MODIFIED, 0.0, 59 * DAY - 0.001)),
        ("date:>1970-01-01", Range(Number.MODIFIED, DAY, None)),
        ("date:<=1970-01-01", Range(Number.MODIFIED, None, DAY - 0.001)),
        ("date:..1970-01-01", Range(Number.MODIFIED, None, DAY - 0.001)),
        (
            "after:1970-01-02 before:1970-01-03",
            Clauses((Range(Number.MODIFIED, DAY, None), Range(Number.MODIFIED, None, 2 * DAY - 0.001))),
        ),
        ("size:>1kB", Range(Number.SIZE, 1_001, None)),
        ("size:1.5MB..2m", Range(Number.SIZE, 1_500_000, 2_000_000)),
        ("depth:<3 a", Clauses((Range(Number.DEPTH, None, 2),), (A,), (), 1)),
        ("-size:0", Clauses((Everything(),), (), (Range(Number.SIZE, 0, 0),))),
        ("*", Everything()),
        ("title:a", QueryWord("a", Field.TITLE)),
        ("TITLE:a", QueryWord("a", Field.TITLE)),
        ('title:"a b"', Phrase("a b", Field.TITLE)),
        ("title:ab*", Prefix("ab", Field.TITLE)),
        ("title:(a text:b)", Clauses((), (QueryWord("a", Field.TITLE), QueryWord("b", Field.TEXT)), (), 1)),
        (
            "title:(a (b OR c))",
            Clauses(
                (), (QueryWord("a", Field.TITLE), Or((QueryWord("b", Field.TITLE), QueryWord("c", Field.TITLE)))), (), 1
            ),
        ),
        ("site:Example.org", Exact(Key.SITE, ("example.org",))),
        ('source:"My docs"', Exact(Key.SOURCE, ("My docs",))),
        ("lang:DE", Exact(Key.LANGUAGE, ("de",))),
        ("type:pdf", PDF),
        ("type:application/pdf", PDF),
        ("type:pdf a", Clauses((PDF,), (A,), (), 1)),
        ("type:pdf +a", Clauses((PDF, A))),
        ("-type:pdf", Clauses((Everything(),), (), (PDF,))),
        ("site:a site:b", Exact(Key.SITE, ("a", "b"))),
        ("site:b OR site:a", Exact(Key.SITE, ("a", "b"))),
        ("foo-bar", QueryWord("foo-bar")),
        ("http://h/x?a=1#b", QueryWord("http://h/x?a=1#b")),
        (
            "12:30 std::vector C:\\x",
            Clauses((), (QueryWord("12:30"), QueryWord("std::vector"), QueryWord("C:\\x")), (), 1),
        ),
        ("(a), b! c...", Clauses((), (A, B, C), (), 1)),
        ("don't", QueryWord("don't")),
        ("title:", QueryWord("title")),
        (">title:a:b", QueryWord("a:b", Field.TITLE)),
    ],
)
def test_meaning(text: str, query: Query) -> None:
    parsed = parse(text)
    assert parsed.query == query
    assert parsed.understood.notes == ()


@pytest.mark.parametrize(
    ("text", "understood", "note"),
    [
        ('"a b', "a b", "A quote without its partner was ignored."),
        ("(a OR b", "a OR b", "A bracket without its partner was ignored."),
        ("a) b", "a b", "A bracket without its partner was ignored."),
        ("a AND", "a", "AND was ignored, because nothing follows it."),
        ("OR a", "a", "OR was ignored, because nothing stands before it."),
        ("a OR OR b", "a OR b", "OR was ignored, because nothing follows it."),
        ("a NOT", "a", "NOT was ignored, because nothing follows it."),
        ("speed:fast", "speed fast", "There is no field speed; it was read as a word."),
        ("-speed:fast a", "a -speed -fast", "There is no field speed; it was read as a word."),
        ("type:foo a", '"foo" a', "There is no type foo; it was read as words."),
        ("a* b", "a b", WILD),
        ("? *a", "a", WILD),
        ("a?b?c?d?e?f?g h", '"a b c d e f g" h', LARGE),
        ("a*" + "b" * 50, f'"a {"b" * 50}"', LARGE),
        ("foo-b*r", '"foo-b r"', WILD),
        ("site:ab* c", "site:ab c", "site: takes no wildcard."),
        ("date:soon a", '"soon" a', f"soon was read as words: date: takes {A_DAY}"),
        ("date:2026-13 a", '"2026-13" a', f"2026-13 was read as words: date: takes {A_DAY}"),
        ("after:.. a", "a", f".. was ignored: after: takes {A_DAY}"),
        ("size:big", '"big"', f"big was read as words: size: takes {A_SIZE}"),
        ("lang:german a", "lang:german a", "lang: takes a tag like en, de or pt-BR."),
        ("depth:-1 a", '"-1" a', f"-1 was read as words: depth: takes {A_DEPTH}"),
        ("\U0001f426 a", "\U0001f426 holds no letter or digit and was ignored.", "a"),
    ],
)
def test_what_cannot_be_used_is_said(text: str, understood: str, note: str) -> None:
    parsed = parse(text)
    assert {parsed.understood.text, *parsed.understood.notes} == {understood, note}


@pytest.mark.parametrize(
    "typed", ["site:https://docs.example.org/a/b", "site:Docs.example.org/", "site:http://me@docs.example.org"]
)
def test_a_site_may_be_given_by_an_address(typed: str) -> None:
    assert parse(typed).understood.text == "site:docs.example.org"


@pytest.mark.parametrize("text", ["", " ", '"', "()", '""', ")(", "!?", "((((", "\U0001f426", "+", "-", "\x00"])
def test_nothing_to_look_for(text: str) -> None:
    parsed = parse(text)
    assert (parsed.query, parsed.understood.text) == (Nothing(), "")


@pytest.mark.parametrize(
    ("text", "understood"), [("AND", "and"), ("NOT", "not"), ("AND OR", "and or"), ("(NOT)", "not")]
)
def test_operators_alone_are_words(text: str, understood: str) -> None:
    assert parse(text).understood.text == understood


@pytest.mark.parametrize(
    ("text", "is_sentence"),
    [
        ("DESIGN AND USE OF RADIO OR RADAR NOT SEEN", True),
        ("HTTP AND TLS", False),
        ("NATO OR EU OR UN OR EFTA OR OECD", False),
        ('DESIGN AND USE OF "RADIO WAVES" OR RADAR FOR THEM', False),
        ("DESIGN AND use OF RADIO AND RADAR BY ALL", False),
        ("DESIGN AND USE OF RADIO AND RADAR site:x.org", False),
    ],
)
def test_operators_in_a_sentence_in_capitals_are_words(text: str, is_sentence: bool) -> None:
    query = parse(text).query
    assert (
        parse(text).understood.text == re.sub(r"\b(AND|OR|NOT)\b", lambda found: found[0].lower(), text)
    ) is is_sentence
    assert parse(parse(text).understood.text).query == query


class TestLimits:
    def test_terms(self) -> None:
        parsed = parse(" ".join(f"w{number}" for number in range(MOST_TERMS + 10)))
        assert isinstance(parsed.query, Clauses)
        assert len(parsed.query.should) == MOST_TERMS
        assert parsed.understood.notes == ("Only the first 64 words were read.",)

    def test_characters(self) -> None:
        parsed = parse("a" + " " * (LONGEST - 2) + "bcd")
        assert parsed.query == Clauses((), (A, B), (), 1)
        assert parsed.understood.notes == ("Only the first 1,000 characters were read.",)

    def test_a_long_word(self) -> None:
        parsed = parse("a " + "b" * 256)
        assert parsed.query == A
        assert parsed.understood.notes == (f"{'b' * 20} is too long and was ignored.",)

    def test_depth(self) -> None:
        assert parse("(" * DEEPEST + "a OR b" + ")" * DEEPEST) == _without_notes("a OR b")
        parsed = parse("(c OR " * (DEEPEST + 5) + "a" + ")" * (DEEPEST + 5))
        assert parsed.understood.notes == ("Brackets more than 20 deep were ignored.",)

    def test_prefixes(self) -> None:
        parsed = parse(" ".join(f"w{number}*" for number in range(MOST_PREFIXES + 1)))
        assert isinstance(parsed.query, Clauses)
        assert parsed.query.should[-1] == QueryWord("w8")
        assert parsed.understood.notes == ("Only the first 8 words with a *, ? or ~ were read so.",)


def _without_notes(text: str) -> Parsed:
    parsed = parse(text)
    assert parsed.understood.notes == ()
    return parsed


PIECES = st.sampled_from(
    (
        *(
            "a",
            "b",
            "AND",
            "OR",
            "NOT",
            "(",
            ")",
            '"',
            "+",
            "-",
            " ",
            " ",
            "*",
            "ab*",
            "title:",
            "text:",
            "site:",
            "type:",
        ),
        *(
            "pdf",
            "page",
            "lang:",
            "source:",
            "x:",
            "foo-bar",
            '"c d"',
            '"c d"~4',
            "ab?c",
            "*abc",
            "hotel~",
            "date:2026-02..",
            "size:>3kB",
            "depth:2",
            "after:",
            "heading:",
            "\u6771\u4eac",
            "!",
            "\u00e9",
            ":",
            "/",
            "TITLE:",
        ),
    )
)


@given(st.text() | st.lists(PIECES, max_size=40).map("".join) | st.lists(PIECES, max_size=30).map(" ".join))
@example('title:"-a"')
@example("lang:* type:( )")
def test_what_was_understood_is_understood_the_same(text: str) -> None:
    parsed = parse(text)
    again = parse(parsed.understood.text)
    if len(parsed.understood.text) <= LONGEST:
        assert again.query == parsed.query
        assert again.understood.text == parsed.understood.text


@pytest.mark.skipif(not SUITE.exists(), reason="CORMORANT_SUITES does not name a folder with naughty-strings")
def test_naughty_strings() -> None:
    found = json.loads(SUITE.read_text("utf-8"))
    for text in found:
        parsed = parse(text)
        assert parse(parsed.understood.text).query == parsed.query
    record("naughty-strings-search", len(found), len(found), {})
