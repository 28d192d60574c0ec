"""The gate of an exclusion is found again in the reason that is kept of it, and in no other sentence."""

from __future__ import annotations

import pytest

from cormorant.model.ruling import Gate, exclusion_reason, gate_and_rule


@pytest.mark.parametrize("gate", list(Gate))
@pytest.mark.parametrize("rule", ["exclude path:/old/*", "X-Robots-Tag: noindex", "size: 3"])
def test_what_is_kept_is_found_again(gate: Gate, rule: str) -> None:
    assert gate_and_rule(exclusion_reason(gate, rule)) == (gate, rule)


@pytest.mark.parametrize(
    "reason", ["", "index", "index: ", "indexed: 3", "The server said index: 3", "to https://a.x/"]
)
def test_other_sentences_name_no_gate(reason: str) -> None:
    assert gate_and_rule(reason) == (None, reason)
