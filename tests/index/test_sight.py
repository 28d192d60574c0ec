from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.index.compile import WORDS_FIRST, words_first
from cormorant.index.leaves import TIE
from cormorant.index.query import Weights
from cormorant.index.sight import RAREST
from cormorant.model.acl import Reader
from cormorant.search.weights import DEFAULT, FACTORS, tuned
from tests.index.shelves import Shelf, entry, shelf

# The mean length of all documents still counts a little in the length of each; words of others do not.
NEARLY = 0.01
STAFF = Reader("ada", frozenset(("everyone", "group:staff")))


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Shelf]:
    with shelf("embedded", tmp_path / "index") as index:
        yield index


def _scores(index: Shelf, query: str) -> list[float]:
    return [match.score for match in index.ask(query).hits]


def test_rarity_does_not_tell_of_forbidden_documents(made: Shelf) -> None:
    made.put(*(entry(n, f"pump {'valve' if n % 4 else 'pipe'} and more") for n in range(40)))
    before = _scores(made, "pump pipe valve"), _scores(made, '"pump pipe"'), _scores(made, "a b c d e f pipe")
    made.put(*(entry(n, "pump pipe and more", grants=("group:staff",)) for n in range(100, 200)))
    after = _scores(made, "pump pipe valve"), _scores(made, '"pump pipe"'), _scores(made, "a b c d e f pipe")
    for old, new in zip(before, after, strict=True):
        assert new == pytest.approx(old, rel=NEARLY)
    assert len(made.ask("pump pipe", reader=STAFF, fold=False).hits) == 140


def test_rarity_does_not_depend_on_what_was_deleted(made: Shelf) -> None:
    made.put(*(entry(n, "pump pipe" if n < 5 else "pump valve") for n in range(40)), entry(99, "x", grants=("user:x",)))
    before = _scores(made, "pipe valve")
    made.put(*(entry(n, "pump pipe" if n < 5 else "pump valve") for n in range(40)))
    assert _scores(made, "pipe valve") == pytest.approx(before, rel=NEARLY)


GREATEST = tuned({name: factor.most for name, factor in FACTORS.items()})


@pytest.mark.parametrize("weights", [DEFAULT, GREATEST, replace(DEFAULT, links=50.0, title=9.0)])
def test_no_figure_outweighs_one_more_word(weights: Weights) -> None:
    fields = weights.title + weights.headings + weights.text + weights.anchors + weights.address
    word = 2.2 * RAREST * fields * (1 + TIE * weights.form)
    pair = 2.2 * RAREST * weights.pair
    priors = weights.links + weights.depth + weights.recency + weights.language
    fewer = weights.strict_words - 1
    assert fewer * word + (fewer - 1) * pair + priors < words_first(weights)
    assert words_first(DEFAULT) == WORDS_FIRST
