from __future__ import annotations

import pytest

from cormorant.base.errors import BadSetting
from cormorant.model.settings.priority import Level, PriorityRuling
from cormorant.model.settings.source import parse_settings
from cormorant.sources.web.settings.web import WebSettings

HOME = "https://a.example"


def settings(*lines: str, **others: object) -> WebSettings:
    return parse_settings(WebSettings, {"start": [f"{HOME}/"], "priority": list(lines), **others})


def test_the_first_level_that_speaks_of_an_address_holds() -> None:
    ours = settings("low ext:pdf", "highest path:/news/*", " HIGH  contains:/news/ ", "lowest regex:/archive/\\d+")
    assert ours.wanted(f"{HOME}/news/today.pdf") == PriorityRuling(Level.HIGHEST, "path:/news/*")
    assert ours.wanted(f"{HOME}/old/news/x") == PriorityRuling(Level.HIGH, "contains:/news/")
    assert ours.wanted(f"{HOME}/a.pdf") == PriorityRuling(Level.LOW, "ext:pdf")
    assert ours.wanted(f"{HOME}/archive/7") == PriorityRuling(Level.LOWEST, "regex:/archive/\\d+")
    assert ours.wanted(f"{HOME}/else") == PriorityRuling(Level.NORMAL)


def test_without_rules_there_are_no_turns() -> None:
    assert settings().shares is None
    assert settings("high path:/news/*").shares == (16, 8, 4, 2, 1)
    assert settings("high path:/news/*", levels=" 9 : 1:1:1:1 ").shares == (9, 1, 1, 1, 1)
    assert settings("high path:/news/*", levels="Strict").shares is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("urgent path:/news/*", "Write a level (highest, high, low, lowest) and a rule"),
        ("normal path:/news/*", "Write a level (highest, high, low, lowest) and a rule"),
        ("high", "'high path:/news/*'"),
        ("", "Write a level"),
        ("high paht:/news/*", "Did you mean 'path:/news/*'?"),
        ("low regex:(", "cannot be read"),
    ],
)
def test_a_line_that_is_none_is_named(line: str, said: str) -> None:
    with pytest.raises(BadSetting) as caught:
        settings("high path:/ok/*", line)
    assert said in caught.value.sentence


@pytest.mark.parametrize("levels", ["", "1:2:3", "0:1:1:1:1", "16:8:4:2:1001", "a:b:c:d:e", "weighted"])
def test_shares_that_are_none_are_refused(levels: str) -> None:
    with pytest.raises(BadSetting, match="write strict, or five numbers from 1 to 1,000"):
        settings(levels=levels)
