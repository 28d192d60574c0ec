"""How well is a collection with judgements ranked? Cranfield, crawled as a folder, beside plain BM25 of a library."""

from __future__ import annotations

import html
import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

MOST = 1_000
"""Hits of a question that are looked at."""

Ranking = Callable[[str], Sequence[int]]
"""How a question ranks documents, best first."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Mean average precision, normalised discounted gain of the first ten, and how many of these are right."""

    precision: float
    gain: float
    right: float


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents by number as title and text, questions by number, and which documents answer which question."""

    documents: dict[int, tuple[str, str]]
    questions: dict[int, str]
    answers: dict[int, set[int]]

    def cut(self, length: int) -> Collection:
        """The same without titles, of each document so many characters: too few to be sure of their language."""
        return replace(
            self,
            documents={number: ("", f"{title} . {text}"[:length]) for number, (title, text) in self.documents.items()},
        )

    def measured(self, ranked: Ranking) -> tuple[Measures, Measures, Measures]:
        """Rank the documents for every question, and judge: of all questions, of the odd ones, of the even ones."""
        found = {number: judged(ranked(text), self.answers[number]) for number, text in self.questions.items()}
        parts = ([each for number, each in found.items() if number % 2 in of] for of in ((0, 1), (1,), (0,)))
        every, odd, even = (
            Measures(*(sum(column) / len(some) for column in zip(*some, strict=True))) for some in parts
        )
        return every, odd, even


def judged(ranked: Sequence[int], relevant: set[int]) -> tuple[float, float, float]:
    """Return average precision, gain and precision of the first ten of one question."""
    ranks = [rank for rank, number in enumerate(ranked[:MOST], 1) if number in relevant]
    precision = sum(found / rank for found, rank in enumerate(ranks, 1)) / len(relevant)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(relevant)) + 1))
    first = [rank for rank in ranks if rank <= 10]
    return precision, sum(1 / math.log2(rank + 1) for rank in first) / best, len(first) / 10


def cranfield(folder: Path) -> Collection:
    """Read the collection: 1,400 abstracts, 225 questions."""
    documents = {}
    for number, record in enumerate(_records(folder / "cran.all.1400"), 1):
        title, text = re.search(r"(?s)\.T\n(.*?)\n?\.A", record), re.search(r"(?s)\n\.W\n(.*)", record)
        documents[number] = (" ".join(title[1].split()) if title else "", text[1] if text else "")
    answers: dict[int, set[int]] = defaultdict(set)
    for line in (folder / "QRelsCorrectedforTRECeval").read_text().splitlines():
        question, _, document, grade = line.split()
        if int(grade) > 0:
            answers[int(question)].add(int(document))
    questions = {
        number: re.sub(r"[()]", " ", record.replace(".W", ""))
        for number, record in enumerate(_records(folder / "cran.qry"), 1)
        if answers[number]
    }
    return Collection(documents, questions, answers)


def _records(path: Path) -> list[str]:
    """The records of a SMART file, without their number."""
    return re.split(r"(?m)^\.I .*$", path.read_text("latin-1"))[1:]


def write(collection: Collection, folder: Path, *, tag: str = "en") -> None:
    """Write the documents as pages of a folder, each named by its number, which say their language or none."""
    folder.mkdir(parents=True)
    for number, (title, text) in collection.documents.items():
        page = f'<html lang="{tag}"><title>{html.escape(title)}</title><p>{html.escape(text)}</p></html>'
        (folder / f"{number}.html").write_text(page, "utf-8")


def number_of(url: str) -> int:
    """The document that an address is of."""
    return int(url.rpartition("/")[2].removesuffix(".html"))
