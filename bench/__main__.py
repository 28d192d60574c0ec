"""``python -m bench``: measure Cormorant beside a peer and write bench/RESULTS.md."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
import time
from pathlib import Path

from bench import results, server
from bench.alone import alone
from bench.corpus import build
from bench.million import KNOWN
from bench.phases import PHASES, Bench
from bench.places import CACHE, RESULTS
from bench.results import Run

_SMALL = CACHE / "RESULTS-small.md"


def main(arguments: list[str]) -> int:
    """Run the benchmark; 0 when every chosen phase was measured."""
    if sys.platform != "linux":
        print("The benchmark reads /proc and needs Linux.", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    options = _options(arguments)
    with alone() as free:
        return _measure(options, arguments) if free else 1


def _measure(options: argparse.Namespace, arguments: list[str]) -> int:
    """Run what the options say and write the results."""
    began, clock = results.now(), time.monotonic()
    print("corpus", flush=True)
    corpus = build(options.port or server.free_port(), options.pages, options.hosts, invented=options.generated)
    print(f"  {corpus.pages:,} pages of {corpus.page_bytes / 1_000:.1f} kB over {len(corpus.hosts)} hosts", flush=True)
    chosen = tuple(name for name in PHASES if name in options.phases and name not in options.skip)
    outcome = Bench(corpus, options.cormorant, chosen, options.query, options.known, options.postgresql).run(
        options.rounds
    )
    file = options.out or (
        RESULTS if corpus.full and chosen == PHASES and options.known == KNOWN and not options.postgresql else _SMALL
    )
    command = shlex.join(["python", "-m", "bench", *arguments])
    text = results.write(file, Run(command, began, time.monotonic() - clock), corpus, outcome)
    print(f"\n{text}\nWritten to {file}")
    return 1 if outcome.failures else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--pages", type=int, help="a small run over about as many pages")
    parser.add_argument("--hosts", type=int, help="a small run over at most as many hosts")
    parser.add_argument("--rounds", type=int, default=1, help="repeat the crawls; medians count (default 1)")
    parser.add_argument("--phases", type=_names, default=PHASES, help=f"only these, of {','.join(PHASES)}")
    parser.add_argument("--skip", type=_names, default=(), help="all but these")
    parser.add_argument("--generated", action="store_true", help="generated pages even where packages can be had")
    parser.add_argument("--port", type=int, help="the port of all hosts (default: a free one)")
    parser.add_argument("--query", default="search", help="what to search for in the bundled sample")
    parser.add_argument(
        "--known", type=int, default=KNOWN, help=f"addresses in the phase `million` (default {KNOWN:,})"
    )
    parser.add_argument("--postgresql", action="store_true", help="the phase `million` on PostgreSQL")
    parser.add_argument("--out", type=Path, help="where to write the results")
    parser.add_argument(
        "--cormorant",
        type=Path,
        default=Path(sys.executable).parent / "cormorant",
        help="the program to measure (default: the one beside this Python)",
    )
    return parser.parse_args(arguments)


def _names(text: str) -> tuple[str, ...]:
    """Phase names with commas between."""
    names = tuple(text.split(","))
    unknown = [name for name in names if name not in PHASES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no such phase: {', '.join(unknown)}; there are {', '.join(PHASES)}")
    return names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
