"""The page of proofs names every proof that `make prove` runs, and every fault that is planted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from docs.proof import FAILED, page
from tests.house.reading import ROOT
from tests.journeys import prove
from tests.journeys.faults import EVERY
from tests.journeys.proofs import PROOFS

WORD = FAILED.split(" ", maxsplit=1)[0]


def test_every_run_of_a_proof_is_in_one_shard() -> None:
    whole = prove.chosen([], "1/1")
    shards = [prove.chosen([], f"{number}/3") for number in (1, 2, 3)]
    assert {each.name for each, _ in whole} == {each.name for each in PROOFS}
    assert sorted(each for shard in shards for each in shard) == sorted(whole)
    assert {each.name for each, _ in prove.chosen(["kills"], "1/1")} == {"kills"}


@pytest.mark.parametrize(("ends", "failed"), [([], 0), ([("rounds", 0)], 0), ([("rounds", 1), ("kills", 0)], 1)])
def test_the_page_tells_of_what_failed(ends: Sequence[tuple[str, int]], failed: int) -> None:
    said: list[dict[str, Any]] = [{"proof": name, "given": "--x 1", "code": code} for name, code in ends]
    assert page([], said).count(WORD) == failed


def test_the_page_names_every_proof_and_every_fault() -> None:
    said = (ROOT / "docs/reference/proof.md").read_text("utf-8")
    missing = [each.name for each in PROOFS if f"\n## {each.name.capitalize()}\n" not in said or each.shows not in said]
    missing += [plant.name for plant, _ in EVERY if f"| {plant.name} |" not in said]
    assert not missing, "not on docs/reference/proof.md; run: make prove, or python -m docs.proof build/proofs"


def test_no_proof_on_the_page_failed() -> None:
    said = (ROOT / "docs/reference/proof.md").read_text("utf-8")
    assert WORD not in said
    assert re.findall(r"\| (?:differences|deleted wrongly|connections received|no_row|leaked) \|.*[1-9]", said) == []
