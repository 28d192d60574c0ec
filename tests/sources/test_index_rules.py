"""Rules about documents: their type, size and age."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.base.errors import BadRule
from cormorant.model.ruling import Gate, Ruling
from cormorant.sources.rules import DOCUMENT_TYPES, INDEX_TYPES, Facts, IndexRules, examples_of

NOW, DAY = 1_800_000_000.0, 86_400.0
A = "https://a.org/x/Page.html?y"


def left_out(rule: str, facts: Facts) -> bool:
    return not IndexRules([], [rule]).ruling(A, facts, NOW).admitted


def of_size(size: int) -> Facts:
    return Facts("text/html", size)


def of_age(days: float) -> Facts:
    return Facts("text/html", 1, NOW - days * DAY)


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("mime:text/html", ["text/html"], ["text/htmlx", "text/plain", ""]),
        ("mime:Image/*", ["image/png", "image/svg+xml"], ["ximage/png", "image"]),
        ("mime:*/*+xml", ["image/svg+xml"], ["text/xml"]),
        ("mime:application/vnd.*", ["application/vnd.ms-excel"], ["application/pdf"]),
    ],
)
def test_mime(rule: str, inside: list[str], outside: list[str]) -> None:
    assert all(left_out(rule, Facts(each, 1)) for each in inside)
    assert not any(left_out(rule, Facts(each, 1)) for each in outside)


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("size:>10MB", [10_000_001], [10_000_000, 0]),
        ("size: > 1 KiB", [1025], [1024]),
        ("size:<1kB", [0, 999], [1000]),
        ("size:1kB-2kB", [1000, 2000], [999, 2001]),
        ("size:0-0", [0], [1]),
    ],
)
def test_size(rule: str, inside: list[int], outside: list[int]) -> None:
    assert all(left_out(rule, of_size(each)) for each in inside)
    assert not any(left_out(rule, of_size(each)) for each in outside)


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("age:>365", [365.01, 9_999], [365, 0, -3]),
        ("age:<30 days", [29.9, 0, -3], [30, 31]),
        ("age:30d-60d", [30, 60], [29.9, 60.1]),
    ],
)
def test_age(rule: str, inside: list[float], outside: list[float]) -> None:
    assert all(left_out(rule, of_age(each)) for each in inside)
    assert not any(left_out(rule, of_age(each)) for each in outside)


def test_a_document_that_nobody_dated_has_no_age() -> None:
    undated = Facts("text/html", 1)
    for rule in ("age:>0", "age:<99999"):
        assert not left_out(rule, undated)
        assert not IndexRules([rule], []).ruling(A, undated, NOW).admitted


def test_exclusion_wins_and_each_type_narrows() -> None:
    rules = IndexRules(["mime:text/*", "mime:application/pdf", "size:<1MB", "path:/x"], ["age:>365", "name:Page*"])
    young = Facts("text/plain", 10, NOW - DAY)
    assert rules.ruling("https://a.org/x/y", young, NOW).admitted
    assert rules.ruling(A, young, NOW) == Ruling(False, Gate.INDEX, "index_exclude name:Page*", 973, by_exclusion=True)
    other = "https://a.org/x/y"
    for facts, rule in (
        (young._replace(mime="image/png"), "index_include mime:text/*, mime:application/pdf"),
        (young._replace(size_bytes=2_000_000), "index_include size:<1MB"),
        (young._replace(modified_at=NOW - 400 * DAY), "index_exclude age:>365"),
    ):
        by_exclusion = rule.startswith("index_exclude")
        assert rules.ruling(other, facts, NOW) == Ruling(False, Gate.INDEX, rule, 973, by_exclusion=by_exclusion)
    assert rules.ruling("https://a.org/z", young, NOW).rule == "index_include path:/x"
    assert rules.asks_facts
    assert rules.asks_age
    assert not IndexRules(["path:/x"], ["size:>1"]).asks_age


def test_age_alone() -> None:
    rules = IndexRules(["mime:text/plain"], ["age:>365", "size:>0"])
    assert rules.of_age(NOW - DAY, NOW) is None
    assert rules.of_age(None, NOW) is None
    old = rules.of_age(NOW - 400 * DAY, NOW)
    assert old is not None
    assert old.rule == "index_exclude age:>365"
    fresh = IndexRules(["age:<7"], []).of_age(NOW - 8 * DAY, NOW)
    assert fresh is not None
    assert fresh.rule == "index_include age:<7"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("mime:pdf", "cannot be read at 'pdf' (character 6): it should look like mime:application/pdf or mime:image/*"),
        ("size:10MB", "it should look like size:>10MB or size:<1kB or size:1kB-10MB"),
        ("size:>ten", "cannot be read at 'ten' (character 7)"),
        ("size:>-1", "cannot be read at '-1'"),
        ("size:2kB-1kB", "cannot be read at '2kB-1kB'"),
        ("size:>nan", "cannot be read at 'nan'"),
        ("size:>inf", "cannot be read at 'inf'"),
        ("age:", "'age' needs a value, like age:>365"),
        ("age:>1y", "cannot be read at '1y' (character 6)"),
        ("agee:>1", "Did you mean 'age:>1'?"),
        ("type:text/html", "Did you mean 'mime:text/html'?"),
    ],
)
def test_a_bad_rule_is_shown_with_its_place(rule: str, said: str) -> None:
    for include, exclude in (([rule], []), ([], [rule])):
        with pytest.raises(BadRule) as raised:
            IndexRules(include, exclude)
        assert said in raised.value.sentence


def test_every_example_can_be_typed() -> None:
    for meaning in INDEX_TYPES.values():
        IndexRules(examples_of(meaning), examples_of(meaning))


@given(st.sampled_from(sorted(DOCUMENT_TYPES)), st.text(max_size=20))
def test_any_text_is_a_rule_or_a_sentence(name: str, text: str) -> None:
    said = "."
    try:
        IndexRules([], [f"{name}:{text}"]).ruling(A, Facts("text/html", 5, NOW), NOW)
    except BadRule as error:
        said = error.sentence
    assert said.endswith((".", "?"))
