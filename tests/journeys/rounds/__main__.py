"""After each round of random edits the index is the truth, and what did not change cost one conditional request.

    python -m tests.journeys.rounds [--store sqlite|postgresql] [--rounds N] [--seed N] [--seeds N]

A site and a folder are edited at random and crawled, again and again, with nothing edited in the last two rounds. Every
seed is a course of its own in a new installation; a seed that failed is played again by naming it.
"""

from __future__ import annotations

import argparse
import json
import sys

from tests.journeys.crawling import crawler
from tests.journeys.kills import place
from tests.journeys.proofs import record
from tests.journeys.rounds.proof import Course, Rounds


def played(store: str, seed: int, rounds: int) -> Course:
    """One seed from its beginning."""
    with place(store) as (home, folder), crawler() as crawls:
        return Rounds(home, crawls, folder, seed).go(rounds)


def main() -> int:
    """Prove it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.rounds")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    courses = []
    for seed in range(given.seed, given.seed + given.seeds):
        course = played(given.store, seed, given.rounds)
        courses.append(course)
        sys.stdout.write(f"seed {seed}: {course.rounds} rounds, {course.compared} documents compared\n")
        for done in course.done[-2:] if course.faults else ():
            sys.stdout.write("".join(f"    {each}\n" for each in done))
        sys.stdout.write("".join(f"- {each}\n" for each in course.faults))
        sys.stdout.flush()
    figures = {
        "seeds": len(courses), "rounds": sum(each.rounds for each in courses),
        "documents compared": sum(each.compared for each in courses),
        "unchanged pages, each for one conditional request": sum(each.calm for each in courses),
        "differences": sum(len(each.faults) for each in courses),
    }  # fmt: skip
    sys.stdout.write(json.dumps(figures) + "\n")
    record("rounds", figures, part=given.store)
    return int(any(each.faults for each in courses))


if __name__ == "__main__":
    sys.exit(main())
