"""Rounds of random edits: is the index what the place is, and is only read what has changed?"""

from __future__ import annotations

from pathlib import Path
from random import Random
from statistics import median
from typing import Any, Final

from bench.kinds.forked import ForkedCommands
from bench.kinds.truth import Truth, compare
from cormorant.testing import CrawlPlace

FIRST: Final = 40
"""Documents of the first round."""
MOST: Final = 9
"""Edits of a round; fewer deletions than the deletion guard holds."""


def measure(place: CrawlPlace, folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    """Edit, crawl and compare, round after round. Returns figures and the first faults."""
    commands = ForkedCommands(folder / "data")
    place.made()
    place.prepare(commands)
    commands.add(place.kind, "place", place.settings())
    chance, truth = Random(seed), Truth(place)
    truth.fill(FIRST)
    faults, read_again, sizes, times = list[str](), 0, list[int](), dict[str, str]()
    for turn in range(rounds + 1):
        if turn:
            truth.edit(chance, MOST)
        place.deliver(commands)
        report = commands.crawl("place", fine=(0, 3))
        found = compare(commands, truth)
        faults += [f"round {turn}: {each}" for each in found.faults]
        if report["state"] != "finished":
            faults.append(f"round {turn}: the run is {report['state']}: {report['reason']}")
        untouched = [known.word for name, known in truth.documents.items() if name not in truth.touched]
        again = [each for each in untouched if times.get(each) != found.fetched_at.get(each)]
        read_again += len(again)
        if turn:
            sizes.append(report["bytes"])
        times = found.fetched_at
        if again or found.faults:
            print(f"  round {turn}: read again {again[:5]}; {found.faults[:5]}", flush=True)
    return {
        "rounds": rounds, "seed": seed, "edits": truth.edits, "documents": len(truth.documents),
        "wrong": len(faults), "faults": faults[:20], "read_again": read_again, "bytes": median(sizes) if sizes else 0,
    }  # fmt: skip
