"""Frontier, leases, runs and schedules under interleavings that are drawn from seeds (`simulation`).

    python -m tests.reliability.simulate --seeds 0-19
    python -m tests.reliability.simulate --seeds 4711 --until-wrong

A seed that fails is printed with the fault, its time, and the command that repeats it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields

from pysqlite3 import dbapi2 as sqlite

from cormorant.base.clock import SystemClock, cpu_ns
from tests.journeys.proofs import record
from tests.reliability.ground import History
from tests.reliability.simulation import simulate

DAY_S = 86_400.0
_COUNTED = ("runs", "launches", "requests", "events", "edits", "kills", "stops", "commits", "turns")
_SHOWN = {
    "without_lease": "requests behind a lost lease",
    "too_soon": "requests hurried by an unseen step",
}


def seeds_of(said: str) -> range:
    """The seeds of `7` or `0-19`. Raises ValueError for what is neither."""
    first, _, last = said.partition("-")
    return range(int(first), int(last or first) + 1)


def lived(seeds: Sequence[int], *, until_wrong: bool = False) -> list[History]:
    """Live through seeds, and say of each that goes wrong how to see it again."""
    found = []
    for seed in seeds:
        history = simulate(seed)
        found.append(history)
        for sentence in history.wrong[:5]:
            sys.stdout.write(f"seed {seed}: {sentence}\n")
        if history.wrong:
            sys.stdout.write(f"  again: python -m tests.reliability.simulate --seeds {seed}\n")
            sys.stdout.flush()
            if until_wrong:
                break
    return found


def figures(found: Sequence[History], cpu_s: float) -> tuple[dict[str, int], dict[str, float]]:
    """Counts of events, and the cost of the simulation."""
    total = Counter[str]()
    for each in found:
        total.update(
            {one.name: getattr(each, one.name) for one in fields(each) if one.name in (*_COUNTED, *_SHOWN, "world_s")}
        )
    days = total.pop("world_s", 0) / DAY_S
    done = {"seeds": len(found), "seeds that went wrong": sum(bool(each.wrong) for each in found)}
    done |= {_SHOWN.get(name, name): int(total[name]) for name in (*_COUNTED, *_SHOWN)}
    cost = {
        "simulated days": round(days, 2),
        "seconds of one core a simulated day": round(cpu_s / days) if days else 0,
        "seconds of one core a seed": round(cpu_s / max(len(found), 1), 2),
    }
    return done, cost


def main() -> int:
    """Live through seeds and print the figures; 1 when one went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=seeds_of, default=range(20), metavar="N or N-M")
    parser.add_argument("--until-wrong", action="store_true")
    parser.add_argument("--digests", action="store_true", help="print what tells one history of a seed from another")
    given = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets of words is a part of a history
        os.execve(
            sys.executable,
            [sys.executable, "-m", "tests.reliability.simulate", *sys.argv[1:]],
            os.environ | {"PYTHONHASHSEED": "0"},
        )
    began, cpu = SystemClock().monotonic(), cpu_ns()
    found = lived(given.seeds, until_wrong=given.until_wrong)
    done, cost = figures(found, (cpu_ns() - cpu) / 1e9)
    cost["seconds"] = round(SystemClock().monotonic() - began)
    for name, value in (done | cost).items():
        sys.stdout.write(f"{name:>36} {value}\n")
    if given.digests:
        sys.stdout.write("".join(f"{each.seed} {each.digest}\n" for each in found))
    part = f"{found[0].seed} to {found[-1].seed}"
    record("interleavings", done | {"SQLite": sqlite.sqlite_version}, part=part, measured=cost)
    return int(any(each.wrong for each in found))


if __name__ == "__main__":
    sys.exit(main())
