"""The page of proofs names every proof that `make prove` runs, and every fault that is planted."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from docs import reliability
from docs.proof import FAILED, failed, kept, page
from tests.house.reading import ROOT
from tests.journeys import prove
from tests.journeys.faults import EVERY
from tests.journeys.proofs import PROOFS, Known
from tests.reliability.failures import FOUND
from tests.reliability.plants import PLANTS

WORD = FAILED.split(" ", maxsplit=1)[0]


def test_every_run_of_a_proof_is_in_one_shard() -> None:
    whole = prove.chosen([], "1/1")
    shards = [prove.chosen([], f"{number}/3") for number in (1, 2, 3)]
    assert {each.name for each, _ in whole} == {each.name for each in PROOFS}
    assert sorted(each for shard in shards for each in shard) == sorted(whole)
    assert {each.name for each, _ in prove.chosen(["kills"], "1/1")} == {"kills"}


@pytest.mark.parametrize(("ends", "told"), [([], 0), ([("rounds", 0)], 0), ([("rounds", 1), ("kills", 0)], 1)])
def test_the_page_tells_of_what_failed(ends: Sequence[tuple[str, int]], told: int) -> None:
    said: list[dict[str, Any]] = [{"proof": name, "given": "--x 1", "code": code} for name, code in ends]
    assert page([], said).count(WORD) == told


def test_a_kept_record_tells_that_its_proof_failed() -> None:
    record = {
        "proof": "rounds",
        "part": "x",
        "on": "2026-11-23",
        "figures": {"rounds": 1},
        "deviations": {},
        "with": "",
    }
    for code, told in ((0, 0), (1, 1)):
        assert page([record | {"code": code}], []).count(WORD) == told
        assert reliability.page([record | {"code": code}]).count("(**failed**)") == told


@pytest.mark.parametrize("code", [0, 3])
def test_what_a_proof_leaves_says_how_it_ended(tmp_path: Path, code: int) -> None:
    proof = Known("rounds", "tests.journeys.ending", "nothing")
    assert prove.run(proof, str(code), tmp_path) == code
    (left,) = tmp_path.glob("*.json")
    assert json.loads(left.read_text())["code"] == code


def test_the_page_names_every_proof_and_every_fault() -> None:
    said = (ROOT / "docs/reference/proof.md").read_text("utf-8")
    missing = [each.name for each in PROOFS if f"\n## {each.name.capitalize()}\n" not in said or each.shows not in said]
    missing += [plant.name for plant, _ in EVERY if f"| {plant.name} |" not in said]
    assert not missing, "not on docs/reference/proof.md; run: make prove, or python -m docs.proof build/proofs"


def test_the_page_of_reliability_tells_of_proofs_failures_and_faults() -> None:
    said = (ROOT / "RELIABILITY.md").read_text("utf-8")
    missing = [name for name in reliability.OF_RELIABILITY if f"\n## {name.capitalize()}\n" not in said]
    missing += [each.wrong for each in FOUND if each.wrong not in said]
    missing += [each.name for each in PLANTS if f"| {each.name} |" not in said]
    assert not missing, "not in RELIABILITY.md; run: make prove, or python -m docs.reliability build/proofs"


def test_what_went_wrong_is_told_on_the_page_of_reliability() -> None:
    figures = {"seeds": 1_000, "seeds that went wrong": 3}
    record = {
        "proof": "interleavings", "part": "0 to 999", "on": "2026-11-23", "figures": figures, "with": "Python 3.11.7",
    }  # fmt: skip
    assert "| 0 to 999 | 1,000 | 3 | Python 3.11.7 | 2026-11-23 |" in reliability.page([record])


def test_the_pages_are_made_of_what_is_kept() -> None:
    for made, at in ((page(kept(), []), "docs/reference/proof.md"), (reliability.page(kept()), "RELIABILITY.md")):
        assert made == (ROOT / at).read_text("utf-8"), f"run: python -m docs.proof; python -m docs.reliability ({at})"


def test_what_is_kept_is_of_proofs_that_there_are() -> None:
    assert {each["proof"] for each in kept()} <= {each.name for each in PROOFS}


def test_no_proof_on_the_page_failed() -> None:
    said = (ROOT / "docs/reference/proof.md").read_text("utf-8")
    assert WORD not in said
    assert [each["proof"] for each in kept() if failed(each)] == []
    wrong = r"\| (?:seeds that went wrong|differences|deleted wrongly|connections received|no_row|leaked) \|.*[1-9]"
    assert re.findall(wrong, said) == []
