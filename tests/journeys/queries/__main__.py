"""Every query is answered: thousands of queries to the search page and the API of a real server.

    python -m tests.journeys.queries --queries 10000

There are queries of every form, queries with mistakes, and strings that programs stumble over (if CORMORANT_SUITES
names the folder of suites). No answer is 500 or above, none is missing, the log has no error. The slowest query is
printed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.parse import quote_from_bytes, urlsplit

from cormorant.base.clock import SystemClock
from tests.cli.world import InstalledCli, ended
from tests.journeys.proofs import record
from tests.journeys.queries.grammar import Speaker

SLOW_S = 10.0
"""No query on a small installation may take as long as this."""
_ASKERS = 3
_FAULTS = ('"error"', '"critical"', "Traceback")
_LIMIT_S = 60
_FINE = frozenset((200, 303, 400, 404, 414, 422))
"""Statuses of results, of a blank query, and of a query that has to be corrected."""


@dataclass(slots=True)
class Tally:
    """Counts of answers."""

    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    slowest: str = ""
    slow: int = 0
    logged: list[str] = field(default_factory=list)
    found: int = 0
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        """How many there were."""
        return self.statuses.total()

    @property
    def faults(self) -> list[str]:
        """The deviations, a sentence each."""
        slow = [f"{self.slowest!r} took {self.slowest_s:.1f} s"] if self.slow else []
        none = [] if self.found else ["no query found anything"]
        return [*self.wrong, *self.logged, *slow, *none]


@contextmanager
def served(folder: Path) -> Iterator[tuple[InstalledCli, str]]:
    """The bundled sample, crawled and served for the length of a block; where."""
    home = InstalledCli(folder / "data")
    home.fine("quickstart", "--no-serve")
    process = home.start("serve", "--port", "0", "--json", stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        yield home, json.loads(process.stdout.readline())["address"]
    finally:
        process.send_signal(signal.SIGTERM)
        ended(process)


class Asker:
    """Asks one server, a connection a thread; writes down what came."""

    def __init__(self, address: str, tally: Tally) -> None:
        self._place = urlsplit(address).netloc
        self._tally, self._lock = tally, threading.Lock()
        self._own = threading.local()
        self._opened: list[http.client.HTTPConnection] = []
        self._clock = SystemClock()

    def ask(self, query: str) -> None:
        """Ask the page and the interface the same."""
        written = quote_from_bytes(query.encode("utf-8", "surrogatepass"), safe="")
        for face, path in (("page", f"/search?q={written}"), ("api", f"/api/v1/search?q={written}&limit=3")):
            began = self._clock.monotonic()
            status, body = self._get(path)
            self._write_down(query, face, status, body, self._clock.monotonic() - began)

    def _get(self, path: str) -> tuple[int, bytes]:
        """Status and body; 0 and the reason when nothing comes, which is tried once more on a new connection."""
        for last in (False, True):
            connection = self._connection()
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                self._own.connection = None
                if last:
                    return 0, repr(error).encode()
        raise AssertionError("unreachable")

    def _connection(self) -> http.client.HTTPConnection:
        """The connection of this thread."""
        known: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if known is None:
            known = self._own.connection = http.client.HTTPConnection(self._place, timeout=_LIMIT_S)
            self._opened.append(known)
        return known

    def close(self) -> None:
        """Close every connection."""
        for each in self._opened:
            each.close()

    def _write_down(self, query: str, face: str, status: int, body: bytes, took_s: float) -> None:
        fine = status in _FINE and (face == "page" or _is_json(body))
        with self._lock:
            tally = self._tally
            tally.statuses[f"{face} {status}"] += 1
            tally.slow += took_s > SLOW_S
            tally.found += face == "api" and status == 200 and json.loads(body)["total"] > 0
            if took_s > tally.slowest_s:
                tally.slowest_s, tally.slowest = took_s, query
            if not fine:
                tally.wrong.append(f"{face} answered {query!r} with {status} {body[:200]!r}")


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def queries(count: int, seed: int, tally: Tally) -> list[str]:
    """So many queries in all: naughty ones first, the others half as they should be and half with slips."""
    speaker = Speaker(Random(seed))
    naughty = _naughty(tally)[:count]
    others = [speaker.slip() if number % 2 else speaker.query() for number in range(count - len(naughty))]
    return [*naughty, *others]


def _naughty(tally: Tally) -> list[str]:
    file = Path(os.environ.get("CORMORANT_SUITES", "/nowhere")) / "naughty-strings" / "blns.json"
    if not file.is_file():
        tally.left_out["naughty strings"] = "CORMORANT_SUITES does not name a folder with that suite"
        return []
    found: list[str] = json.loads(file.read_text("utf-8"))
    return found


def logged(folder: Path) -> list[str]:
    """The errors in the logs of an installation."""
    lines = [line for path in (folder / "logs").glob("*.log*") for line in path.read_text("utf-8").splitlines()]
    return [line[:500] for line in lines if any(each in line for each in _FAULTS)]


def prove(folder: Path, count: int, seed: int) -> Tally:
    """Ask so many queries."""
    tally = Tally()
    asked = queries(count, seed, tally)
    with served(folder) as (home, address):
        with closing(Asker(address, tally)) as asker, ThreadPoolExecutor(_ASKERS) as threads:
            list(threads.map(asker.ask, asked))
        tally.logged = logged(home.folder)
    return tally


def main() -> int:
    """Prove it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.queries")
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="queries-") as folder:
        tally = prove(Path(folder), given.queries, given.seed)
    said = {"slowest_s": round(tally.slowest_s, 3), "slowest": tally.slowest, "found": tally.found}
    sys.stdout.write(json.dumps({"statuses": dict(sorted(tally.statuses.items()))} | said) + "\n")
    sys.stdout.writelines(f"- {each}\n" for each in tally.faults[:20])
    figures = {
        "queries": given.queries, "requests": tally.requests, "answered 500 or above, or not": len(tally.wrong),
        "faults in the log": len(tally.logged), f"slower than {SLOW_S:.0f} s": tally.slow,
    }  # fmt: skip
    record("queries", figures, tally.left_out)
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
