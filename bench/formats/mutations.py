"""``python -m bench.formats.mutations FOLDER...``: damage documents at random, and read each in a limited child.

Counts how readings ended, and reports the longest time and the largest child. A child that was killed is a fault of a
reader, and its document and mutation are named; the process that asks for it never ends.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Final

from cormorant.app.processes import fork_servers
from cormorant.extract.detect.sniff import sniff
from cormorant.extract.job import ConversionFault, decode_result, encode_task
from cormorant.extract.router import ReadMode, reading_of, task_of
from cormorant.sandbox import Finished
from cormorant.sandbox.client import ChildPool

DOCUMENTS: Final = 100
MUTATIONS: Final = 20
LARGEST: Final = 20_000_000
"""Bytes of a document that is taken at most."""
READ, REFUSED, UNKNOWN = "read", "refused", "of no known format"
FINE: Final = frozenset((READ, REFUSED, UNKNOWN))
_EDITS: Final = (1, 2, 8, 40)
"""Edits of one mutation; one of these numbers is chosen."""


def mutated(body: bytes, chance: random.Random) -> bytes:
    """Return a document with bytes changed, taken out, put in, or cut off at its end."""
    made = bytearray(body)
    for _ in range(chance.choice(_EDITS)):
        place = chance.randrange(len(made)) if made else 0
        match chance.randrange(4):
            case 0 if made:
                made[place] = chance.randrange(256)
            case 1:
                del made[place : place + chance.randrange(1, 200)]
            case 2:
                made[place:place] = chance.randbytes(chance.randrange(1, 40))
            case _ if chance.random() < 0.1:
                del made[max(1, place) :]
    return bytes(made) or b"x"


def chosen(folders: Sequence[Path], most: int, chance: random.Random) -> list[Path]:
    """Return documents of the folders, the same ones for the same chance."""
    found = [each for folder in folders for each in sorted(folder.rglob("*")) if each.is_file()]
    fit = [each for each in found if 0 < each.stat().st_size <= LARGEST]
    chance.shuffle(fit)
    return fit[:most]


async def read_all(paths: Sequence[Path], times: int, chance: random.Random) -> tuple[Counter[str], float]:
    """Read so many mutations of each document; return how they ended, and the seconds of the slowest."""
    ends, slowest = Counter[str](), 0.0
    with fork_servers.started() as servers:
        pool = ChildPool(servers.addresses)
        watch = asyncio.create_task(_look_after(servers))
        for path, number in product(paths, range(times)):
            changed = mutated(path.read_bytes(), chance)
            began = time.monotonic()
            end = await _read(pool, path.name, changed)
            slowest = max(slowest, time.monotonic() - began)
            ends[end] += 1
            if end not in FINE:
                print(f"{path}, mutation {number}: {end}", flush=True)
        watch.cancel()
    return ends, slowest


async def _read(pool: ChildPool, name: str, body: bytes) -> str:
    """Read one document in a limited child; return how that ended, the name of a type where the child did not."""
    mime = sniff("", body, name)
    if reading_of(mime, len(body)) is ReadMode.NONE:
        return UNKNOWN
    task = encode_task(mime, body, address=f"file:///{name}", file_name=name)
    answer = await pool.run(task_of(mime).name, *task)
    if not isinstance(answer, Finished):
        return type(answer).__name__
    return REFUSED if isinstance(decode_result(answer.value), ConversionFault) else READ


async def _look_after(servers: fork_servers.Converters) -> None:
    while True:
        servers.keep_alive()
        await asyncio.sleep(0.1)


def main(arguments: list[str]) -> int:
    """Print the figures; 1 when a child was killed or failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--mutations", type=int, default=MUTATIONS, help="of each document")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    paths = chosen(options.folders, options.documents, chance)
    ends, slowest = asyncio.run(read_all(paths, options.mutations, chance))
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    counts = ", ".join(f"{count:,} {end}" for end, count in sorted(ends.items()))
    print(
        f"{ends.total():,} mutations of {len(paths)} documents: {counts}; slowest {slowest:.2f} s; child {largest} MB"
    )
    return 0 if ends.keys() <= FINE else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
