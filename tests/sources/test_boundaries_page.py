"""The table of rules in the documentation is true: every row is tried, and every rule of its examples can be typed."""

from __future__ import annotations

import re

import pytest

from cormorant.model.url import canonical
from cormorant.sources.rules import DOCUMENT_TYPES, RULE_TYPES, IndexRules, compile_rules
from tests.house.reading import ROOT

PAGE = (ROOT / "docs/how-to/boundaries.md").read_text("utf-8")
PROSE = re.sub(r"```.*?```", "", PAGE, flags=re.DOTALL)
CODE = re.compile(r"`([^`]+)`")
ROWS = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| `") and line.count("|") == 4]


@pytest.mark.parametrize(("rule", "inside", "outside"), ROWS, ids=[CODE.findall(row[0])[0] for row in ROWS])
def test_a_row_is_true(rule: str, inside: str, outside: str) -> None:
    boundary = compile_rules([], CODE.findall(rule), None)
    assert CODE.findall(inside)
    assert not [each for each in CODE.findall(inside) if boundary.ruling(canonical(each)).admitted]
    assert not [each for each in CODE.findall(outside) if not boundary.ruling(canonical(each)).admitted]


def test_the_page_has_every_type() -> None:
    named = {rule.partition(":")[0] for rule in CODE.findall(PROSE)}
    assert named >= {*RULE_TYPES, *DOCUMENT_TYPES}
    assert {CODE.findall(row[0])[0].partition(":")[0] for row in ROWS} == set(RULE_TYPES)


def test_rules_of_its_examples_can_be_typed() -> None:
    given = re.findall(r"--set '?(index_)?(?:include|exclude)=([^\s']+)", PAGE)
    assert len(given) > 8
    for index, rule in given:
        if index:
            IndexRules([rule], [rule])
        else:
            compile_rules([rule], [rule], None)
