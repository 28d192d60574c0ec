"""Seconds from a change of a place to a hit, while `cormorant serve` runs and the source notices changes itself."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any, Final
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from bench.kinds.forked import ForkedCommands
from bench.kinds.serve_process import ServeProcess
from cormorant.testing import CrawlPlace
from tests.places.pushes import PushPlace

DOCUMENTS: Final = 1_000
_POLL_S: Final = 0.05
_LIMIT_S: Final = 120.0
_REST_S: Final = 3.0
"""The most that is waited between a hit and the next change."""


def measure(place: CrawlPlace, folder: Path, changes: int, seed: int) -> dict[str, Any]:
    """Make changes one by one, each some seconds after the last was found. Raises TimeoutError for one not found."""
    commands, chance = ForkedCommands(folder / "data"), Random(seed)
    place.made()
    place.put_all({f"doc{number}": f"erstwort{number}" for number in range(DOCUMENTS)})
    place.prepare(commands)
    commands.add(place.kind, "place", {**place.settings(), "watch": "true"})
    place.deliver(commands)
    commands.crawl("place")
    waits = []
    with _served(folder) as address:
        for number in range(changes):
            time.sleep(chance.uniform(0, _REST_S))
            word = f"frischwort{number}"
            place.put(f"doc{chance.randrange(DOCUMENTS)}", word)
            began = time.monotonic()
            if isinstance(place, PushPlace):
                _push(address, place)
            _wait(address, word, began + _LIMIT_S)
            waits.append(time.monotonic() - began)
    return {
        "documents": DOCUMENTS, "changes": changes, "seed": seed, "median_s": round(median(waits), 2),
        "p95_s": round(quantiles(waits, n=20)[-1], 2),
    }  # fmt: skip


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    """Run `cormorant serve`; gives its address."""
    server = ServeProcess(folder / "data")
    server.start()
    try:
        yield server.address
    finally:
        server.stop()


def _push(address: str, place: PushPlace) -> None:
    """Send what waits over the interface for programs."""
    body = json.dumps({"items": place.waiting}).encode()
    place.waiting = []
    with urlopen(Request(f"{address}/api/v1/push/place", body, {"Content-Type": "application/json"})) as answer:
        assert answer.status == 202, answer.read()


def _wait(address: str, word: str, until: float) -> None:
    """Search for a word until it is found. Raises TimeoutError."""
    while time.monotonic() < until:
        with urlopen(f"{address}/api/v1/search?{urlencode({'q': word, 'as_typed': 'true'})}") as answer:
            if json.load(answer)["total"]:
                return
        time.sleep(_POLL_S)
    raise TimeoutError(f"{word} was not found in time")
