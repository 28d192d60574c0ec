"""Keeps batches until there is no space, makes space, and goes on; started by `test_writer` on a small disk.

With the word `limit` the disk is as it is, and a limit on the size of files stands in for its end.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from cormorant.base.clock import SystemClock
from cormorant.base.errors import DataFolderError
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.blobs.reader import PackReader
from cormorant.store.blobs.record import encode
from cormorant.store.blobs.writer import PackWriter
from tests.store.blobs.pages import page

LIMIT = 200_000


def main(folder: Path, limited: bool) -> None:
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(50_000))
    if limited:
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, resource.RLIM_INFINITY))
    writer = PackWriter(folder, SystemClock())
    kept: dict[int, BlobPlace] = {}
    number = refused = 0
    while refused < 3:
        batch = [(n, encode(page(n))) for n in range(number, number + 10)]
        number += 10
        try:
            kept.update(zip((n for n, _ in batch), writer.append(batch), strict=True))
        except DataFolderError as error:
            refused += "free some space" in str(error)
    assert writer.broken is None
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    ballast.unlink()
    kept[number] = writer.append([(number, encode(page(number)))])[0]
    reader = PackReader(folder)
    for each, place in kept.items():
        assert reader.read(place) == page(each)
    reader.close()
    packs = {place.pack for place in kept.values()}
    sys.stdout.write(f"{len(kept)} kept, {refused} refused, {len(packs)} packs\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), limited="limit" in sys.argv[2:])
