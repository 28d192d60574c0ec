"""The stores that journeys run on. Most have a form for each; a run of all tests takes one of them, in turns.

It leaves out journeys that a proof runs in a longer form.

python -m tests.journeys.stories --store sqlite|postgresql    runs all journeys for both stores, on this one

Journeys on SQLite alone are left to `make test`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.stores import KINDS

STORIES = "JOURNEY_STORES"
"""The selection: journeys of one store, each on one store in `turns`, or `all`."""
BOTH = "both_stores"
"""The mark of journeys that run on both stores nevertheless."""
PROVEN = "proven"
"""The mark of journeys that `turns` leaves out, because a proof runs a longer form."""
PARALLEL = 4


def left_out(stories: Sequence[Any], asked: str) -> list[Any]:
    """The journeys that are left out."""
    if asked in KINDS:
        return [each for each in stories if _store(each) != asked]
    if asked in ("", "all"):
        return []
    if asked != "turns":
        raise pytest.UsageError(f"{STORIES} is turns, all, {' or '.join(KINDS)}, not {asked!r}.")
    pairs: dict[str, list[Any]] = {}
    for each in stories:
        if (store := _store(each)) and each.get_closest_marker(BOTH) is None:
            pairs.setdefault(each.nodeid.replace(store, "", 1), []).append(each)
    in_turns = {name: pair for name, pair in pairs.items() if len(pair) == len(KINDS)}
    proven = [each for each in stories if each.get_closest_marker(PROVEN) is not None]
    return [*proven, *(pair[_turn(name)] for name, pair in in_turns.items())]


def _turn(name: str) -> int:
    """Whose turn it is not, by the story's name: one that is added leaves all others where they are."""
    return crc32(name.encode()) % len(KINDS)


def _store(story: Any) -> str:
    """The store that a journey runs on, "" for one that names none."""
    return str((getattr(story, "callspec", None) and story.callspec.params.get("kind")) or "")


def main() -> int:
    """Tell the stories of a store; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.stories")
    parser.add_argument("--store", choices=KINDS, required=True)
    asked = parser.parse_args()
    command = [
        *(sys.executable, "-m", "pytest", "--quiet", "-m", "not server and not browser"),
        *("-n", str(PARALLEL), "--dist", "loadfile", str(Path(__file__).parent)),
    ]
    return subprocess.run(command, env=os.environ | {STORIES: asked.store}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
