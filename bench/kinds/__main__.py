"""``python -m bench.kinds COMMAND``: measure crawls of places of each kind of source, and write the tables."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.kinds import figures, fresh, killed, page, rounds, scale
from bench.kinds.registry import PLACES, chosen
from bench.places import ROOT
from cormorant.testing import CrawlPlace

PAGE = ROOT / "docs" / "reference" / "kinds-measured.md"

Measure = Callable[[CrawlPlace, Path, argparse.Namespace], dict[str, Any]]

COMMANDS: dict[str, Measure] = {
    "rounds": lambda place, folder, options: rounds.measure(place, folder, options.rounds, options.seed),
    "fresh": lambda place, folder, options: fresh.measure(place, folder, options.changes, options.seed),
    "killed": lambda place, folder, options: killed.measure(place, folder, options.seed),
    "scale": lambda place, folder, options: scale.measure(place, folder, options.items),
}


def main(arguments: list[str]) -> int:
    """Do what the command says; 1 where something could not be measured."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    options = _options(arguments)
    if options.command == "page":
        measured = {command: figures.kept(command) for command in COMMANDS}
        PAGE.write_text(page.written(measured, list(PLACES)), encoding="utf-8")
        return 0
    try:
        places = chosen(options.kinds)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return max([_measured(options, name) for name in places], default=0)


def _measured(options: argparse.Namespace, name: str) -> int:
    """Measure one place, and keep its figures; one that is not installed is left out."""
    print(f"{options.command} {name}, seed {options.seed}", flush=True)
    place = PLACES[name]()
    try:
        if options.command == "scale":
            scale.widen(place)
        with tempfile.TemporaryDirectory(prefix="kinds-") as folder, place.opened(Path(folder)):
            counterpart = place.counterpart()
            result = COMMANDS[options.command](place, Path(folder), options)
    except pytest.skip.Exception as error:
        print(f"  not measured: {error}", flush=True)
        return 0
    except Exception:  # noqa: BLE001 - the other places are measured all the same
        traceback.print_exc()
        return 1
    figures.keep(options.command, name, counterpart, result)
    print("  " + ", ".join(f"{key} {value}" for key, value in result.items()), flush=True)
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.kinds", description=__doc__)
    parser.add_argument("command", choices=(*COMMANDS, "page"))
    parser.add_argument("kinds", nargs="*", metavar="KIND", help="a kind like table, or a place like 'mail, IMAP'")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of edits after the first crawl")
    parser.add_argument("--changes", type=int, default=50, help="changes that are waited for")
    parser.add_argument("--items", type=int, default=200_000, help="documents of a place whose cost is measured")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="what chance begins with")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
