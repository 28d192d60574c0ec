"""``python -m bench.searching``: how fast is a million documents searched, by twenty who ask at once?

    stock (prose, stocking)      fill an installation, once; it is kept in the cache, and filling goes on where it ended
    serve -> askers.over_http    the served interface for programs: how long they wait, what it takes
    askers.within -> bare        the same questions to the product's library, and to the engine alone, in this process

Everything is asked once before it is measured, so that caches are alike. Writes bench/SEARCHING.md.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from bench import askers, measure, prose, results, searched
from bench.alone import alone
from bench.askers import Asked
from bench.bare import Bare
from bench.calibrate import calibrate
from bench.places import BENCH, CACHE
from bench.searched import Report
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings
from cormorant.model.acl import ANYONE
from cormorant.operate.search import search
from cormorant.search.index.protocol import Stats
from cormorant.search.reader import Question

DOCUMENTS = 1_000_000
_FILE = BENCH / "SEARCHING.md"
_QUESTIONS = 400
_ROUNDS = 2
_STOCK_S = 2_400.0
_STOP_S = 20.0


class Failed(Exception):
    """Something could not be measured; the message says what, and where to look."""


@dataclass(frozen=True, slots=True)
class Order:
    """The options of a measurement."""

    documents: int
    clients: int
    seconds: float
    questions: tuple[str, ...] = field(default_factory=lambda: tuple(prose.questions(_QUESTIONS)))

    @property
    def data(self) -> Path:
        """The installation."""
        return CACHE / f"stocked-{self.documents}"


def main(arguments: list[str]) -> int:
    """Measure, and write the report; 0 when all was measured."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    options = _options(arguments)
    order = Order(options.documents, options.clients, options.seconds)
    with alone() as free:
        if not free:
            return 1
        try:
            report = measured(order)
        except (Failed, askers.NoAnswer, OSError) as fault:
            print(f"Not measured: {fault}", file=sys.stderr)
            return 1
    file = options.out or (_FILE if order.documents >= DOCUMENTS else CACHE / "SEARCHING-small.md")
    text = searched.text(report)
    file.write_text(text, encoding="utf-8")
    print(f"\n{text}\nWritten to {file}")
    return 0


def measured(order: Order) -> Report:
    """Fill, ask over HTTP, ask within this process."""
    report = Report(results.now(), order.documents, order.clients, order.seconds, len(order.questions))
    report.filled = stocked(order)
    report.calibrations.append(calibrate())
    with served(order.data) as (address, server):
        askers.once_over_http(address, order.questions)
        for clients in (order.clients, 1):
            print(f"over HTTP, {clients} at once", flush=True)
            asked = askers.over_http(address, server, order.questions, clients, order.seconds)
            report.asked[searched.HTTP, clients] = _show(asked)
    report.calibrations.append(calibrate())
    report.index = _within(order, report)
    report.calibrations.append(calibrate())
    return report


def stocked(order: Order) -> searched.Filled | None:
    """Have the installation filled; what that took, as far as it was done in one go."""
    done = order.data / "stocked.json"
    if not done.is_file():
        print(f"filling {order.documents:,} documents into {order.data}", flush=True)
        new = not order.data.exists()
        order.data.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "bench.stocking", str(order.data), str(order.documents)]
        usage = measure.run(command, CACHE / "stocking.json", environment=dict(os.environ), timeout_s=_STOCK_S)
        if usage.exit_code != 0 or usage.timed_out:
            raise Failed(f"filling ended with {usage.exit_code}; see {CACHE}/stocking.err, then call again to go on")
        said = {"wall_s": usage.wall_s, "cpu_s": usage.cpu_s, "peak_mb": usage.peak_mb} if new else {}
        done.write_text(json.dumps(said), encoding="ascii")
    said = json.loads(done.read_text(encoding="ascii"))
    return searched.Filled(**said) if said else None


@contextmanager
def served(data: Path) -> Iterator[tuple[str, int]]:
    """`cormorant serve` for the length of a block: its address, and the process."""
    program = Path(sys.executable).parent / "cormorant"
    with (CACHE / "serve.err").open("wb") as errors:
        process = subprocess.Popen(
            [program, "--data", str(data), "serve", "--port", "0", "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise Failed(f"`cormorant serve` did not start; see {CACHE / 'serve.err'}")
        yield json.loads(line)["address"], process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _within(order: Order, report: Report) -> Stats:
    """Ask the library and the engine in turn; how big the index is."""
    house = open_house(BuildPlan(order.data, InstallationSettings()))
    try:
        library = search.library(house)
        bare = Bare(order.data / "index", ANYONE)
        ways: dict[str, Callable[[str], object]] = {
            searched.ALONE: bare.by_itself,
            searched.LIBRARY: lambda text: library.find(Question(text), ANYONE),
            searched.OURS: bare.on_our_query,
        }
        for question, ask in product(order.questions, ways.values()):
            ask(question)
        for clients, _, name in product((order.clients, 1), range(_ROUNDS), ways):
            print(f"{name}, {clients} at once", flush=True)
            asked = askers.within(ways[name], order.questions, clients, order.seconds / _ROUNDS)
            report.add(name, clients, _show(asked))
        return house.index_reader().stats()
    finally:
        house.store.close()


def _show(asked: Asked) -> Asked:
    """Print the main figures."""
    print(
        f"  {asked.per_cpu_s:.0f} questions/CPU-s, {asked.per_s:.0f} a second, p50 {asked.percentile(0.5):.1f} ms, "
        f"p95 {asked.percentile(0.95):.1f} ms",
        flush=True,
    )
    return asked


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.searching", description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="how many (default: a million)")
    parser.add_argument("--clients", type=int, default=20, help="how many ask at once (default 20)")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each is asked (default 20)")
    parser.add_argument("--out", type=Path, help="where to write the report")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
