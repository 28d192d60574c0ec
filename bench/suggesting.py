"""How long does a suggestion take, among how many documents?

    python -m bench.suggesting [DOCUMENTS]      fills an index in a folder of its own, asks, prints one line of JSON

Documents are generated: 250 words of a vocabulary in which few words are frequent and most are rare (Zipf), a title of
four; half are for everyone, the others for one of three groups. Queries are typed as people type: the first letters of
words as often as they occur in texts, alone or behind another word, by readers of whom some are in groups. The timed
function is `Library.suggest`, which a request calls; the index has just been opened. The output has the elapsed time
and the processor time: on a machine with other work only the second counts.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cormorant.base.clock import SystemClock, cpu_ns
from cormorant.model.acl import EVERYONE, Reader
from cormorant.search.index.document import IndexedDocument, Upsert
from cormorant.search.index.tantivy.folder import open_reader, open_writer
from cormorant.search.reader import Library

DOCUMENTS = 100_000
QUESTIONS = 400
WARM = 10
"""Questions before the clock counts: a server is asked more than once."""
_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "qui",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
    "xo",
    "zu",
    "stra",
    "ment",
    "ing",
    "ter",
    "con",
    "pro",
    "al",
    "er",
]
_VOCABULARY = 100_000
_LENGTH, _TITLE = 250, 4
_CHUNK = 2_000
_READERS = (
    Reader("anybody", frozenset((EVERYONE,))),
    Reader("ada", frozenset((EVERYONE, "group:a"))),
    Reader("bob", frozenset((EVERYONE, "group:a", "group:b", "user:bob"))),
)


class Words:
    """Words as frequent as those of a language."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        made = ("".join(chance.choices(_SYLLABLES, k=chance.randint(1, 5))) for _ in itertools.count())
        self._words = list(itertools.islice(dict.fromkeys(itertools.islice(made, 3 * _VOCABULARY)), _VOCABULARY))
        self._sums = list(itertools.accumulate(1 / rank for rank in range(1, len(self._words) + 1)))

    def some(self, count: int) -> list[str]:
        """So many of them."""
        return self._chance.choices(self._words, cum_weights=self._sums, k=count)


def entries(count: int, words: Words, chance: random.Random) -> Iterator[IndexedDocument]:
    """Generated documents."""
    for number in range(count):
        grants = (EVERYONE,) if number % 2 else (f"group:{chance.choice('abc')}",)
        yield IndexedDocument(
            id=number, source=f"source{number % 7}", url=f"https://docs.example.org/{number}",
            title=" ".join(words.some(_TITLE)), text=" ".join(words.some(_LENGTH)), language="en", mime="text/html",
            grants=grants,
        )  # fmt: skip


def questions(words: Words, chance: random.Random) -> Iterator[tuple[str, Reader]]:
    """The typed texts and their readers: two to six letters of the last word, behind one other word in half of them."""
    while True:
        first, last = words.some(2)
        letters = last[: chance.randint(2, 6)]
        yield (f"{first} {letters}" if chance.random() < 0.5 else letters), chance.choice(_READERS)


def measure(count: int, folder: Path) -> dict[str, object]:
    """Fill an index and ask it; milliseconds."""
    chance, clock = random.Random(20_261_122), SystemClock()
    words = Words(chance)
    writer = open_writer(folder)
    made = entries(count, words, chance)
    while some := list(itertools.islice(made, _CHUNK)):
        writer.apply(map(Upsert, some))
        writer.commit(writer.place + 1)
    writer.close()
    reader = open_reader(folder)
    library = Library(reader, clock)
    took: list[float] = []
    spent: list[float] = []
    empty = 0
    for typed, asking in itertools.islice(questions(words, chance), WARM + QUESTIONS):
        started, began = clock.monotonic(), cpu_ns()
        found = library.suggest(typed, asking)
        took.append((clock.monotonic() - started) * 1000)
        spent.append((cpu_ns() - began) / 1e6)
        empty += not (found.wordings or found.hits)
    figures: dict[str, object] = {
        "documents": reader.count(), "segments": reader.stats().segments, "questions": QUESTIONS, "empty": empty,
    }  # fmt: skip
    for name, each in (("ms", took), ("cpu_ms", spent)):
        ranked = sorted(each[WARM:])
        figures[f"p50_{name}"] = round(statistics.median(ranked), 1)
        figures[f"p95_{name}"] = round(ranked[int(len(ranked) * 0.95)], 1)
    return figures


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        asked_for = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
        sys.stdout.write(json.dumps(measure(asked_for, Path(place))) + "\n")
