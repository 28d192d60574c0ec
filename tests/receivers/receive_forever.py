"""Receives batches for ever and says on standard output what was confirmed; started and killed by `test_jsonlines`."""

from __future__ import annotations

import sys
from pathlib import Path

from cormorant.receivers.jsonlines import JsonLinesReceiver, JsonLinesSettings
from tests.receivers.events import deliveries

if __name__ == "__main__":
    receiver = JsonLinesReceiver(JsonLinesSettings(path=Path(sys.argv[1]), rotate_bytes=int(sys.argv[2])))
    receiver.open()
    place = int(sys.argv[3])
    while True:
        batch = deliveries(place + 1, place + 40, size=40_000)
        receiver.receive(batch)
        place += 40
        sys.stdout.write(f"{place}\n")
        sys.stdout.flush()
