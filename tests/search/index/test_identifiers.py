"""Identifiers are told from prose, and from each other."""

from __future__ import annotations

import pytest

from cormorant.search.index.identifiers import core, identifiers, names, variants
from cormorant.search.index.tokenizer import prepare


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Programming in C++.", ["c++"]),
        ("(C++), “C#” and 'F#'!", ["c++", "c#", "f#"]), ("C/C++ and C++/CLI", ["c++"]),
        ("C#-Entwickler gesucht", ["c#"]), ("The .NET runtime", [".net"]), ("“.NET”", [".net"]), (".NET", [".net"]),
        ("a\n.NET", [".net"]),
        ("issue #42 for @anna costs $5", ["#42", "$5", "@anna"]), ("使用C++编程", ["c++"]),
        ("C++를 배우다", ["c++"]),
        ("anna@example.org", []), ("page#top", []), ("... and so on. Then", []), ("C++11", []),
        ("well, e.g. this", []), ("+ # $ @ .", []), ("wait...what", []), ("", []), ("Ünï# ok", ["uni#"]),
    ],
)  # fmt: skip
def test_names_with_marks_at_an_end_are_kept(text: str, found: list[str]) -> None:
    assert sorted(names(prepare(text))) == sorted(found)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("AB-123/4", ["ab-123/4"]), ("AB\u2011123/4,", ["ab-123/4"]), ("part (AB-123/4)", ["ab-123/4"]),
        ("v6.2.8", ["v6.2.8", "6.2.8"]), ("1,234,567", ["1,234,567"]), ("1234567", ["1,234,567", "1.234.567"]),
        ("2016", []), ("anna.berg@example.org.", ["anna.berg@example.org"]), ("/etc/fstab", ["etc/fstab"]),
        ("C++ or C", ["c++"]), ("harbour ferry", []), ("$page->modified", ["$page->modified"]), ("++", []),
    ],
)  # fmt: skip
def test_identifiers_of_a_question(typed: str, found: list[str]) -> None:
    assert [each.text for each in identifiers(typed)] == found


@pytest.mark.parametrize(
    ("typed", "text", "stands"),
    [
        ("AB-123/4", "Part ab-123/4.", True), ("AB-123/4", "AB-123/45", False), ("AB-123/4", "XAB-123/4", False),
        ("AB-123/4", "AB-123/4-5", False), ("AB-123/4", "AB 123 4", False), ("AB-123/4", "AB\u2011123/4", True),
        ("10.11.12.13", "10.11.12.130", False), ("6.2.8", "16.2.8", False), ("example.org", "a@example.org", False),
        ("AB-123/4", "AB-123/45, then AB-123/4", True),
    ],
)  # fmt: skip
def test_an_identifier_is_no_part_of_a_longer_one(typed: str, text: str, *, stands: bool) -> None:
    (identifier, *_) = identifiers(typed)
    assert identifier.stands_in(["", text]) is stands


def test_compounds_of_plain_words_are_told_apart() -> None:
    assert [each.is_compound for each in identifiers("zero-copy i.e. U.S. AB-12 node.js")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("run", "bare"),
    [
        ("C++,", "C++"), (".NET", ".NET"), ("C#?", "C#"), ("end.", "end"), ("C/C++", "C/C++"), ("@anna:", "@anna"),
        ("...and", "and"), ("--verbose", "verbose"), ("AB-123/4.", "AB-123/4"), ("++", ""), ("", ""),
    ],
)  # fmt: skip
def test_marks_of_the_sentence_go_and_those_of_a_name_stay(run: str, bare: str) -> None:
    assert core(run) == bare


def test_numbers_and_versions_have_other_usual_spellings() -> None:
    assert variants("1234567") == [["1", "234", "567"]]
    assert variants("123456") == [["123", "456"]]
    assert variants("1,234,567") == [["1234567"]]
    assert variants("6.2.8") == [["v6", "2", "8"]]
    assert variants("V6.2.8") == [["6", "2", "8"]]
    assert variants("2016") == variants("harbour") == []
