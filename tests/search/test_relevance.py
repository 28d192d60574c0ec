"""Ranking is no worse than it was, on a public collection with judgements."""

from __future__ import annotations

import math
import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

from cormorant.model.acl import ANYONE
from cormorant.search.index.document import Upsert
from cormorant.search.index.query import Search
from cormorant.search.index.tantivy.folder import open_reader, open_writer
from cormorant.search.query.parser import parse
from cormorant.search.weights import DEFAULT
from tests.search.index.shelves import entry

SUITE = Path(os.environ.get("CORMORANT_SUITES", "/nowhere")) / "cranfield"
# What the weights reach, less .005.
PRECISION, GAIN = 0.414, 0.513


def records(name: str) -> list[str]:
    """Return the records of a SMART file, without their number."""
    return re.split(r"(?m)^\.I .*$", (SUITE / name).read_text("latin-1"))[1:]


def judgements() -> dict[int, set[int]]:
    """Return which documents answer which question, questions counted from 1."""
    found: dict[int, set[int]] = defaultdict(set)
    for line in (SUITE / "QRelsCorrectedforTRECeval").read_text().splitlines():
        question, _, document, grade = line.split()
        if int(grade) > 0:
            found[int(question)].add(int(document))
    return found


def fill(folder: Path) -> None:
    """Put the collection into an index."""
    writer = open_writer(folder)
    for number, record in enumerate(records("cran.all.1400"), 1):
        title, text = re.search(r"(?s)\.T\n(.*?)\n?\.A", record), re.search(r"(?s)\n\.W\n(.*)", record)
        assert title
        assert text
        writer.apply([Upsert(entry(number, text[1], title=" ".join(title[1].split()), language="en"))])
    writer.commit(1)
    writer.close()


def measures(ranked: list[int], relevant: set[int]) -> tuple[float, float]:
    """Return average precision and the normalised discounted gain of the first ten."""
    ranks = [rank for rank, number in enumerate(ranked, 1) if number in relevant]
    precision = sum(found / rank for found, rank in enumerate(ranks, 1)) / len(relevant)
    gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= 10)
    return precision, gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(relevant)) + 1))


@pytest.mark.slow
@pytest.mark.skipif(not SUITE.is_dir(), reason="CORMORANT_SUITES does not name a folder with cranfield")
def test_cranfield(tmp_path: Path) -> None:
    fill(tmp_path)
    reader, judged = open_reader(tmp_path), judgements()
    found = []
    for number, record in enumerate(records("cran.qry"), 1):
        text = record.replace(".W", "").replace("(", " ").replace(")", " ")
        hits = reader.search(Search(parse(text).query, ANYONE, limit=1_000, weights=DEFAULT)).hits
        if judged[number]:
            found.append(measures([hit.id for hit in hits], judged[number]))
    assert sum(precision for precision, _ in found) / len(found) >= PRECISION
    assert sum(gain for _, gain in found) / len(found) >= GAIN
