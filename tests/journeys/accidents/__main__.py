"""It never wipes an index by mistake (promise 6 of the fault table): accidents, and deletions that are meant.

    python -m tests.journeys.accidents [--store sqlite|postgresql] [--documents N] [--runs N] [NAME ...]

Each accident happens to a source that was crawled, for some runs, while a document of another is really deleted in each
of them; then it is over, and one document of the first is really deleted. Ends 1 when a document left that should not
have, or one stayed that should have left.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator

from tests.journeys.accidents.cases import ACCIDENTS, LATER, Accident
from tests.journeys.accidents.proof import REST_S, Proof, happen, prove_meant, staged, why_not
from tests.journeys.accidents.restored import prove_restored
from tests.journeys.accidents.stage import Stage
from tests.journeys.crawling import Crawler, crawler
from tests.journeys.kills import place
from tests.journeys.proofs import record


def proofs(store: str, crawls: Crawler, documents: int, runs: int, names: list[str]) -> Iterator[Proof]:
    """Have everything happen, each in an installation of its own."""
    for accident in ACCIDENTS:
        if accident.name in names and not why_not(accident):
            with place(store) as (home, _):
                yield happen(home, crawls, accident, documents, max(runs, accident.lasts))
    others: dict[str, Callable[[Stage], Proof]] = {
        "restored backup": lambda stage: prove_restored(stage, runs), "a deletion of most that is meant": prove_meant
    }  # fmt: skip
    calm: Accident = ACCIDENTS[0]
    for name, prove in others.items():
        if name in names or len(names) == len(ACCIDENTS):
            with place(store) as (home, folder), staged(home, crawls, folder, calm, documents) as stage:
                yield prove(stage)


def main() -> int:
    """Prove it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.accidents")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    names = given.names or [each.name for each in ACCIDENTS]
    done = []
    with crawler(rest_s=REST_S) as crawls:
        for proof in proofs(given.store, crawls, given.documents, given.runs, names):
            done.append(proof)
            sys.stdout.write(json.dumps(proof.figures()) + "\n")
            sys.stdout.flush()
    left_out = LATER | {each.name: reason for each in ACCIDENTS if each.name in names and (reason := why_not(each))}
    faults = [fault for proof in done for fault in proof.faults]
    figures = {
        "accidents": len(done), "runs": sum(each.runs for each in done),
        "documents at stake": sum(each.documents for each in done),
        "deleted wrongly": sum(len(each.wrongly) for each in done),
        "rightful deletions not done": sum(len(each.late) for each in done),
    }  # fmt: skip
    sys.stdout.write(json.dumps(figures) + "\n" + "".join(f"- {each}\n" for each in faults))
    record("accidents", figures, left_out, part=given.store)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
