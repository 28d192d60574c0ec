"""Whichever call on a file fails, a command goes on or reports the error, and the next crawl is complete.

    python -m tests.reliability.disk.calls [--faults 1-100] [--show]

Each fault is drawn from its number: a command, a part of the installation, and the kind of calls that fail there, with
EIO, ENOSPC or EROFS: the n-th call alone, some more after it, or all from then on. Then the source is crawled without a
fault, and everything is compared. The command must end with a documented code and a message with advice. After the
crawl documents, copies, index and the events of a receiver must be the same as without any fault.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from cormorant.base.clock import SystemClock
from cormorant.operate.storage import check
from tests.journeys.ledger import audit
from tests.journeys.proofs import record
from tests.reliability.disk.gate import Call, Watched, why_not
from tests.reliability.disk.ground import World, world
from tests.reliability.disk.numbers import Kind

DOCUMENTS = 40
LANES = 3
"""Most of a small crawl is waiting."""
ERRORS = (errno.EIO, errno.ENOSPC, errno.EROFS)
KINDS = (Kind.OPEN, Kind.WRITE, Kind.SYNC, Kind.CUT, Kind.NAME)
ENDS = (0, 1, 3, 5)
"""Codes that a command may end with when a disk fails (docs/reference/errors.md); 3 is of a crawl alone."""
NOT_SAID = (
    "Traceback",
    "An internal error occurred in",
    "ended by a fault of this program",
    "panicked at ",
    "ended unexpectedly",
)


class Story(NamedTuple):
    """A task: a command in a world, on an installation that is new or has crawled."""

    world: str
    crawled: bool
    words: tuple[str, ...]


STORIES = (
    Story("site", crawled=False, words=("crawl", "site")),
    Story("shelf", crawled=False, words=("crawl", "shelf")),
    Story("site", crawled=True, words=("crawl", "site", "--force")),
    Story("shelf", crawled=True, words=("crawl", "shelf", "--force")),
    Story("shelf", crawled=True, words=("index", "rebuild")),
    Story("shelf", crawled=True, words=("index", "optimize")),
    Story("shelf", crawled=True, words=("store", "check", "--repair")),
    Story("shelf", crawled=True, words=("store", "compact")),
    Story("shelf", crawled=True, words=("store", "backup", "BACKUP")),
)
OFTEN = (6, 6, 3, 3, 2, 1, 1, 2, 1)
"""How often each is drawn."""
LASTING = (65, 32, 3)
"""How often one call fails, some in a row, all from then on: with the last a crawl takes a minute to give up."""


Sort = tuple[str, Kind]
"""A part of an installation, and what calls do to files of it."""


def part_of(path: str) -> str:
    """The part that a file belongs to: it is drawn first, or nearly all faults were the database's."""
    _, _, name = path.partition("/here/data/")
    first = name.partition("/")[0]
    if first in ("cache", "index", "logs"):
        return first
    return "database" if first.startswith("cormorant.db") else "rest"


class Fault(NamedTuple):
    """Which calls fail: of a kind, on a part, with an error, from the n-th on so many, 0 for all."""

    story: Story
    part: str
    kind: Kind
    error: int
    at: int
    lasts: int

    def __str__(self) -> str:
        """For a person who plays it again."""
        calls = f"{self.part} {self.kind} {self.at}" + (
            "" if self.lasts == 1 else f" and on, {self.lasts or 'all'} of them,"
        )
        return f"{' '.join(self.story.words)}: {calls} fails with {errno.errorcode[self.error]}"


@dataclass
class Failing:
    """Fails the calls of a fault; `struck` are those that it has."""

    fault: Fault | None
    seen: Counter[Sort] = field(default_factory=Counter)
    struck: list[str] = field(default_factory=list)

    def __call__(self, call: Call) -> int:
        """The error that the call fails with."""
        sort = part_of(call.path), call.kind
        self.seen[sort] += 1
        fault, number = self.fault, self.seen[sort]
        if fault is None or sort != (fault.part, fault.kind):
            return 0
        if number < fault.at or (fault.lasts and number >= fault.at + fault.lasts):
            return 0
        self.struck.append(f"{call.who} {call.name} {os.path.relpath(call.path, call.path.partition('/here/')[0])}")
        return fault.error


class Proof:
    """Worlds, what each story does in them, and what came out."""

    def __init__(self, worlds: dict[str, World]) -> None:
        self._worlds = worlds
        self._calls: dict[Story, Counter[Sort]] = {}
        for each in worlds.values():
            each.install()
            each.keep("new")
            done = self._run(each, ("crawl", each.name), None)
            assert done.code == 0, done.err
            each.keep("crawled")

    def drawn(self, number: int) -> Fault:
        """The fault of a number."""
        chance = Random(number)
        story = chance.choices(STORIES, OFTEN)[0]
        calls = self._count(story)
        part, kind = chance.choice(sorted(each for each in calls if each[1] in KINDS))
        lasts = chance.choices((1, chance.randint(2, 12), 0), LASTING)[0]
        return Fault(story, part, kind, chance.choice(ERRORS), chance.randint(1, calls[part, kind]), lasts)

    def play(self, fault: Fault) -> tuple[list[str], Failing, Watched]:
        """The deviations after a fault, the calls that failed, and the exit code of the command."""
        here = self._put_back(fault.story)
        failing = Failing(fault)
        done = self._run(here, fault.story.words, failing)
        wrong = self._ill(fault, here, done)
        again = self._run(here, ("crawl", here.name), None)
        if again.code != 0 or again.hung:
            wrong.append(f"the next crawl ended with {again.code}: {again.err.strip()[-300:]}")
        wrong += self._looked_over(here)
        return wrong, failing, done

    def _count(self, story: Story) -> Counter[Sort]:
        """How many calls of each kind a story makes; a little beside that from one time to the next."""
        if story not in self._calls:
            here, counting = self._put_back(story), Failing(None)
            done = self._run(here, story.words, counting)
            assert done.code == 0, done.err
            self._calls[story] = counting.seen
        return self._calls[story]

    def _put_back(self, story: Story) -> World:
        here = self._worlds[story.world]
        here.put_back("crawled" if story.crawled else "new")
        return here

    @staticmethod
    def _run(here: World, words: tuple[str, ...], failing: Failing | None) -> Watched:
        given = [str(here.here / "backup.tar") if each == "BACKUP" else each for each in words]
        return here.gate.run(here.words(*given), failing, here.beside)

    @staticmethod
    def _ill(fault: Fault, here: World, done: Watched) -> list[str]:
        """Faults in the way a command ended."""
        wrong = []
        if done.hung:
            wrong.append("it did not end")
        elif done.code not in ENDS:
            wrong.append(f"it ended with {done.code}")
        elif done.code == 1 and not done.err.strip() and fault.story.words[:2] != ("store", "check"):
            wrong.append("it ended with 1 without a word")
        said = done.err + done.out
        wrong += [f"it said {each!r}: {done.err.strip()[-400:]}" for each in NOT_SAID if each in said]
        for each in sorted((here.here / "data" / "logs").glob("*.log")):
            for line in each.read_text(errors="replace").splitlines():
                if '"ended by a fault"' in line or '"event": "fault"' in line:
                    wrong.append(f"a fault in {each.name}: {json.loads(line).get('exception', line)[-700:]}")
        return wrong

    @staticmethod
    def _looked_over(here: World) -> list[str]:
        """Deviations after the crawl without a fault."""
        wrong = [f"audit: {here_is}" for here_is in audit(here.home, here.truth, here.lines).faults().items()]
        with here.home.house() as house:
            findings = check.store(house)
        return wrong + [f"check: {each.check}: {each.said}" for each in findings if each.ok is False]


@dataclass
class Tally:
    """The results of all lanes."""

    show: bool
    until_wrong: bool
    ends: Counter[int] = field(default_factory=Counter)
    bad: int = 0
    unmet: int = 0

    def note(self, number: int, fault: Fault, wrong: list[str], failing: Failing, done: Watched) -> None:
        """Take in one fault, and tell of it where it is worth that."""
        self.ends[done.code] += 1
        self.unmet += not failing.struck
        self.bad += bool(wrong)
        if wrong or self.show:
            met = f"{len(failing.struck)} failed, first {failing.struck[0]}" if failing.struck else "none came"
            said = f"{number}: {fault} ({met}); ended {done.code} {done.err.strip()[-300:]!r}\n"
            sys.stdout.write(said + "".join(f"  - {each}\n" for each in wrong))
            sys.stdout.flush()


def _lane(numbers: Sequence[int], tally: Tally) -> None:
    """Play some faults, one after the other, in worlds of their own."""
    with ExitStack() as stack:
        proof = Proof({each: stack.enter_context(world(each, DOCUMENTS)) for each in ("site", "shelf")})
        for number in numbers:
            if tally.bad and tally.until_wrong:
                break
            fault = proof.drawn(number)
            tally.note(number, fault, *proof.play(fault))


def main() -> int:
    """Make calls fail; 1 when an outcome was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability.disk.calls")
    parser.add_argument("--faults", default="1-100", metavar="FIRST-LAST")
    parser.add_argument("--lanes", type=int, default=LANES, help="faults that are played beside each other")
    parser.add_argument("--show", action="store_true", help="say how each ended")
    parser.add_argument("--until-wrong", action="store_true", help="end with the first wrong outcome")
    given = parser.parse_args()
    first, _, last = given.faults.partition("-")
    numbers = range(int(first), int(last or first) + 1)
    part = f"{numbers[0]} to {numbers[-1]}"
    if reason := why_not():
        record("failing calls", {}, {"failing system calls": reason}, part=part)
        sys.stdout.write(f"left out: {reason}\n")
        return 0
    clock, tally = SystemClock(), Tally(given.show, given.until_wrong)
    began = clock.monotonic()
    with ThreadPoolExecutor(given.lanes) as lanes:
        for lane in [lanes.submit(_lane, numbers[each :: given.lanes], tally) for each in range(given.lanes)]:
            lane.result()
    figures = {"faults": len(numbers), "wrong outcomes": tally.bad}
    seconds = round(clock.monotonic() - began)
    measured = {"faults that never came": tally.unmet, "ended well all the same": tally.ends[0], "seconds": seconds}
    sys.stdout.write(json.dumps(figures | measured) + "\n")
    record("failing calls", figures, part=part, measured=measured)
    return int(tally.bad > 0)


if __name__ == "__main__":
    sys.exit(main())
