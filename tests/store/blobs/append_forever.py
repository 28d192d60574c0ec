"""Keeps batches for ever and says on standard output what was acknowledged; started and killed by `test_writer`."""

from __future__ import annotations

import sys
from pathlib import Path

from cormorant.base.clock import SystemClock
from cormorant.store.blobs.record import encode
from cormorant.store.blobs.writer import PackWriter
from tests.store.blobs.pages import page

if __name__ == "__main__":
    folder, first = sys.argv[1:]
    writer = PackWriter(Path(folder), SystemClock(), rotate_bytes=3_000_000)
    number = int(first)
    while True:
        batch = [(n, encode(page(n, size=8000))) for n in range(number, number + 25)]
        number += 25
        places = writer.append(batch)
        lines = (
            f"{item[0]} {place.pack} {place.offset} {place.length}\n" for item, place in zip(batch, places, strict=True)
        )
        sys.stdout.write("".join(lines))
        sys.stdout.flush()
