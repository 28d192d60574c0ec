"""The page of proofs names every proof that `make prove` runs, and every fault that is planted."""

from __future__ import annotations

import re

from tests.house.reading import ROOT
from tests.journeys.faults import EVERY
from tests.journeys.proofs import PROOFS

RUN = re.compile(r"python -m (?:pytest )?(tests[\w./]+)|\$\(PYTEST\) (.*)")


def proved(makefile: str) -> set[str]:
    """The modules and files that `make prove` runs."""
    recipe = makefile.partition("\nprove:")[2].partition("\n\n")[0].replace("\\\n", " ")
    found = [one or another for one, another in RUN.findall(recipe)]
    return {word for each in found for word in each.split() if word.startswith("tests")}


def test_the_list_is_what_make_prove_runs() -> None:
    assert proved((ROOT / "Makefile").read_text("utf-8")) == {each.run for each in PROOFS}


def test_a_proof_that_is_not_in_the_list_is_seen() -> None:
    recipe = "\nprove: x ## Run\n\t@$(BIN)/python -m tests.a.b --n 5\n\t@$(PYTEST) tests/c.py \\\n\ttests/d.py\n\nnext:"
    assert proved(recipe) == {"tests.a.b", "tests/c.py", "tests/d.py"}


def test_the_page_names_every_proof_and_every_fault() -> None:
    said = (ROOT / "docs/reference/proof.md").read_text("utf-8")
    missing = [each.name for each in PROOFS if f"\n## {each.name.capitalize()}\n" not in said or each.shows not in said]
    missing += [plant.name for plant, _ in EVERY if f"| {plant.name} |" not in said]
    assert not missing, "not on docs/reference/proof.md; run: make prove, or python -m docs.proof build/proofs"
