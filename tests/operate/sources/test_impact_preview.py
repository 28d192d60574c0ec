"""Which of many addresses are named when an edit is shown."""

from __future__ import annotations

import pytest

from cormorant.operate.sources.impact_preview import _is_of_range, _Tally


def test_examples_are_of_every_rule() -> None:
    tally = _Tally(5)
    for number in range(40):
        tally.add(f"a{number}", "often")
    for url, rule in (("b0", "twice"), ("c0", "once"), ("b1", "twice")):
        tally.add(url, rule)
    assert [each["url"] for each in tally.examples] == ["a0", "b0", "c0", "a1", "b1"]
    assert tally.by_rule()[0] == {"rule": "often", "addresses": 40}
    assert _Tally(5).examples == []


@pytest.mark.parametrize(("rule", "of_range"), [
    ("ip:10.0.0.0/8", True), ("ext:zip", False), ("host:ship:8080", False), ("path:/zip:*", False),
    ("drafts/**", False),
])  # fmt: skip
def test_which_rules_are_of_addresses_that_names_lead_to(rule: str, *, of_range: bool) -> None:
    assert _is_of_range(rule) is of_range
