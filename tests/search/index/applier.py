"""A provider in a process of its own, to be killed: applies numbered changes to an index, forever.

Change n puts document n % 40 with the text `change<n> all`, or, every seventh, drops it. Says each committed place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from cormorant.search.index.document import Change, Delete, Upsert
from cormorant.search.index.protocol import IndexWriter
from cormorant.search.index.tantivy.folder import open_writer
from tests.search.index.shelves import entry

DOCUMENTS = 40
BATCH = 15


def change(number: int) -> Change:
    """Return change `number`, which is always the same."""
    if number % 7 == 0:
        return Delete(number % DOCUMENTS)
    return Upsert(entry(number % DOCUMENTS, f"change{number} all " + "word " * (number % 50)))


def expected(place: int) -> dict[int, int]:
    """Return which document was put last by which change, after the change `place`."""
    held: dict[int, int] = {}
    for number in range(1, place + 1):
        held.pop(number % DOCUMENTS, None)
        if number % 7:
            held[number % DOCUMENTS] = number
    return held


def advance(writer: IndexWriter, size: int = BATCH) -> None:
    """Apply the changes after the writer's place, and commit."""
    first = writer.place + 1
    writer.apply(change(number) for number in range(first, first + size))
    writer.commit(first + size - 1)


def rounds(folder: Path) -> Iterator[int]:
    """Advance for ever."""
    writer = open_writer(folder)
    while True:
        advance(writer)
        yield writer.place


if __name__ == "__main__":
    for place in rounds(Path(sys.argv[1])):
        sys.stdout.write(f"{place}\n")
        sys.stdout.flush()
