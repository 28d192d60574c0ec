"""A program that pushes while `cormorant serve` is killed and restarted: is anything lost or doubled?"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from http.client import HTTPException
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from bench.kinds.forked import ForkedCommands
from bench.kinds.serve_process import ServeProcess
from bench.kinds.truth import Comparison, Truth, compare
from tests.places.pushes import PushPlace

BATCH: Final = 10
"""Items of a batch."""
_PAUSE_S: Final = 0.3
"""Seconds between two batches, so that runs take in some of them while others come."""
_AWAY_S: Final = 3.0
_END_S: Final = 600.0


class Sender(threading.Thread):
    """Pushes batches, each until it was answered, under the same key; `sent` counts those that were."""

    def __init__(self, server: ServeProcess, batches: Sequence[dict[str, Any]]) -> None:
        super().__init__(daemon=True)
        self._server, self._batches = server, batches
        self.sent, self.repeats = 0, 0

    def run(self) -> None:
        """Push all of them, in their order."""
        for number, batch in enumerate(self._batches):
            body = json.dumps(batch).encode()
            while not self._answered(body, f"batch-{number}"):
                self.repeats += 1
                time.sleep(_PAUSE_S)
            self.sent += 1
            time.sleep(_PAUSE_S)

    def _answered(self, body: bytes, key: str) -> bool:
        """Push a batch once; False without an answer. Raises HTTPError for a refusal that no repeat mends."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        address = self._server.address
        if not address:
            return False
        try:
            with urlopen(Request(f"{address}/api/v1/push/place", body, headers), timeout=60) as answer:
                return bool(answer.status == 202)
        except HTTPError as error:
            if error.code < 500:
                raise
        except (HTTPException, OSError):
            pass
        return False


def broken_off(
    place: PushPlace, truth: Truth, folder: Path, chance: Random, *, restarts: bool
) -> tuple[bool, Comparison]:
    """Push everything while the server is killed or restarted; returns whether batches were left, and a comparison."""
    commands = ForkedCommands(folder)
    place.prepare(commands)
    commands.add(place.kind, "place", place.settings())
    server = ServeProcess(folder, CORMORANT_RETRIEVERS="1")
    server.start()
    try:
        sender = Sender(server, place.batches(BATCH))
        sender.start()
        time.sleep(chance.uniform(0.1, 0.9) * 2 * _PAUSE_S * len(truth.documents) / BATCH)
        was_sending = sender.is_alive()
        if restarts:
            server.stop()
            time.sleep(_AWAY_S)
        else:
            server.kill()
        server.start()
        sender.join(_END_S)
        assert not sender.is_alive(), f"{sender.sent} batches were answered in time"
    finally:
        server.stop()
    for _ in ("the run that was left", "items that came since"):
        commands.crawl("place", fine=(0, 3))
    return was_sending, compare(commands, truth)
