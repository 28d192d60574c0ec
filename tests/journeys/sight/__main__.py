"""No answer tells of a document that its reader may not read, nor that there is one.

    python -m tests.journeys.sight --checks 20000

Random rights (grants, denies, groups within groups), random readers, documents and questions; every face is asked in an
installation with everything and in one that never had what the reader may not see. A check is one answer compared.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from cormorant.model.acl import ANYONE
from cormorant.search.reader import Question
from tests.journeys.crawling import Crawler, crawler
from tests.journeys.proofs import record
from tests.journeys.sight.faces import FACES, STRANGERS, Asked
from tests.journeys.sight.same import differences
from tests.journeys.sight.world import DOCUMENTS, FORMS, KNOWN, SOURCES, Pair, World, rare

READERS = 8
QUESTIONS = 19
MOST_SHOWN = 10


@dataclass(slots=True)
class Tally:
    """Counts of comparisons, and leaks."""

    checks: Counter[str] = field(default_factory=Counter)
    worlds: int = 0
    readers: int = 0
    hits: int = 0
    hidden: int = 0
    suggestions: int = 0
    leaks: list[str] = field(default_factory=list)

    @property
    def figures(self) -> dict[str, object]:
        """For the page of proofs."""
        return {
            "checks, at least": self.checks.total() // 1_000 * 1_000, "faces": len(self.checks),
            "leaks": len(self.leaks),
        }  # fmt: skip


def prove(checks: int, seed: int, readers: int = READERS) -> Tally:
    """Compare so many answers at least, or find a leak."""
    tally = Tally()
    with crawler() as process:
        while tally.checks.total() < checks and not tally.leaks:
            _world(process, seed + tally.worlds, readers, checks, tally)
            tally.worlds += 1
    return tally


def _world(process: Crawler, seed: int, readers: int, checks: int, tally: Tally) -> None:
    """One crawled folder, and twice other rights."""
    with tempfile.TemporaryDirectory(prefix="sight-") as folder:
        world = World(Path(folder), seed)
        world.crawl(process)
        for _ in range(2):
            _round(world, readers, checks, tally)


def _round(world: World, readers: int, checks: int, tally: Tally) -> None:
    """One lot of rights, and all readers that there is time for."""
    with world.round(readers) as pairs:
        for pair in pairs:
            tally.readers += 1
            tally.hidden += sum(not pair.reader.may_read(acl) for acl in world.rights.values())
            _compare(world, pair, tally)
            if tally.checks.total() >= checks or len(tally.leaks) >= MOST_SHOWN:
                return


def _compare(world: World, pair: Pair, tally: Tally) -> None:
    """Ask all faces everything, on both sides."""
    faces = (*FACES, *(STRANGERS if pair.reader == ANYONE else ()))
    for asked in questions(world, Random(world.chance.random())):
        probe = pair.allowed.library.find(Question(asked.text), pair.reader)
        tally.hits += probe.total
        tally.suggestions += probe.suggestion is not None
        for face in faces:
            whole, allowed = face(pair.whole, pair.reader, asked), face(pair.allowed, pair.reader, asked)
            tally.checks[face.__name__] += 1
            tally.leaks += [
                f"{face.__name__} tells {sorted(pair.reader.principals)} of {asked}: {each}"
                for each in differences(whole, allowed, pair.slack)
            ]


def questions(world: World, chance: Random) -> Iterator[Asked]:
    """Questions of every form, of words that some document has, or one that is written much like it."""
    numbers = [entry.id for entry in world.held]
    for turn in range(QUESTIONS):
        yield Asked(
            _SHAPES[turn % len(_SHAPES)](chance),
            tuple(chance.sample(SOURCES, chance.choice((0, 0, 0, 1, 2)))),
            chance.choice((*numbers, max(numbers) + 1, 0)),
            chance.choice(world.held).url,
        )


def _word(chance: Random) -> str:
    return chance.choice(KNOWN)


def _own(chance: Random) -> str:
    return rare(chance.randrange(DOCUMENTS))


def _wrong(chance: Random) -> str:
    """A word with a letter left out or changed with its neighbour."""
    word = chance.choice((_own, _word))(chance)
    at = chance.randrange(1, len(word) - 1)
    return chance.choice((word[:at] + word[at + 1 :], word[:at] + word[at + 1] + word[at] + word[at + 2 :]))


_SHAPES = (
    _word,
    _own,
    _wrong,
    lambda chance: chance.choice(FORMS),
    lambda chance: f"{chance.choice(FORMS)} {_word(chance)}",
    lambda chance: f"+{chance.choice(FORMS)}",
    lambda chance: f"{_word(chance)} {_word(chance)} {_own(chance)}",
    lambda chance: f"{_wrong(chance)} {_word(chance)}",
    lambda chance: f'"{_word(chance)} {_word(chance)}"',
    lambda chance: f"+{_word(chance)} {_word(chance)} -{_word(chance)}",
    lambda chance: " ".join(_word(chance) for _ in range(8)),
    lambda chance: f"{_word(chance)[:3]}*",
    lambda chance: f"{_own(chance)}~",
    lambda chance: f'"{_word(chance)} {_word(chance)}"~3',
    lambda chance: f"title:{_word(chance)} OR {_own(chance)}",
    lambda chance: f"lang:{chance.choice(('en', 'de', 'und'))} {_word(chance)}",
    lambda chance: f"(NOT {_word(chance)}) AND size:<{chance.randrange(200, 900)}",
    lambda chance: f"url:sheet heading:{_word(chance)} {_wrong(chance)}",
    lambda chance: "*",
)


def main() -> int:
    """Prove it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.sight")
    parser.add_argument("--checks", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tally = prove(given.checks, given.seed)
    said = {"worlds": tally.worlds, "readers": tally.readers, "hits": tally.hits, "suggestions": tally.suggestions}
    sys.stdout.write(json.dumps(tally.figures | said | {"checks": dict(tally.checks)}) + "\n")
    sys.stdout.writelines(f"- {each}\n" for each in tally.leaks)
    record("sight", tally.figures)
    return 1 if tally.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
