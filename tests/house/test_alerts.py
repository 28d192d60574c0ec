"""The alert rules that come along: Prometheus reads them, and every figure that they go by is one that there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import promql_parser as promql
import pytest
import yaml

from cormorant.base.metrics import EVERY
from cormorant.model.run import RunState
from cormorant.model.schedule.schedule import ScheduleState
from cormorant.operate.system.metrics import OUTCOMES
from tests.house.reading import text_of

RULES = "deploy/prometheus-rules.yml"
PAGE = "docs/how-to/monitoring.md"
KNOWN = {each.name: set(each.labels) for each in EVERY} | {"up": {"job"}}
WORDS = {
    "state": {*RunState, *ScheduleState}, "outcome": set(OUTCOMES), "role": {"conductor", "provider", "retriever"},
    "disk": {"data", "copies"}, "job": {"cormorant"},
}  # fmt: skip
BETWEEN_SCRAPES = ("increase", "rate", "predict_linear")


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(text_of(RULES))["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def selectors(expression: str) -> Iterator[Any]:
    """Every figure that an expression goes by."""
    found: list[Any] = []

    def note(each: Any) -> bool:
        if isinstance(each, promql.MatrixSelector):
            found.append(each.vector_selector)
        elif isinstance(each, promql.VectorSelector):
            found.append(each)
        return True

    promql.walk(promql.parse(expression), note)
    yield from {id(each): each for each in found}.values()


def wrong(expression: str) -> list[str]:
    """What an expression goes by that is not there."""
    said = []
    for each in selectors(expression):
        labels = KNOWN.get(each.name)
        if labels is None:
            said.append(f"there is no {each.name}")
            continue
        for matcher in each.matchers.matchers:
            unknown = set(matcher.value.split("|")) - WORDS.get(matcher.name, set())
            if matcher.name not in labels:
                said.append(f"{each.name} has no label {matcher.name}")
            elif unknown:
                said.append(f"{matcher.name} is never {unknown}")
    return said


@pytest.mark.parametrize("rule", rules(), ids=lambda each: each["alert"])
def test_a_rule_goes_by_what_there_is(rule: dict[str, Any]) -> None:
    assert not wrong(rule["expr"])
    assert list(selectors(rule["expr"]))
    assert rule["labels"]["severity"] in ("critical", "warning")
    named = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
    assert named <= set().union(*(KNOWN[each.name] for each in selectors(rule["expr"])))


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("cormorant_no_such > 1", "there is no cormorant_no_such"),
        ('time() - cormorant_run_state{sorce="a"} > 1', "no label sorce"),
        ('cormorant_run_state{state=~"held|hled"} == 1', "never {'hled'}"),
        ("sum(rate(cormorant_run_fetched[1h]))", "there is no cormorant_run_fetched"),
    ],
)
def test_a_rule_that_goes_by_something_else_is_found(expression: str, said: str) -> None:
    assert any(said in each for each in wrong(expression))


@pytest.mark.parametrize("rule", rules(), ids=lambda each: each["alert"])
def test_the_page_tells_of_every_rule(rule: dict[str, Any]) -> None:
    assert f"`{rule['alert']}`" in text_of(PAGE)
