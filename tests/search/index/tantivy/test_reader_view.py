from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.search.index.query import Weights
from cormorant.search.index.tantivy import dictionary
from cormorant.search.index.tantivy.query_compiler import WORDS_FIRST, words_first
from cormorant.search.index.tantivy.reader_view import RAREST
from cormorant.search.index.tantivy.term_queries import TIE
from cormorant.search.weights import DEFAULT, FACTORS, tuned
from tests.search.index.shelves import Shelf, entry, shelf

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


@pytest.mark.parametrize("word", ["pump", "pipe"])
def test_how_often_words_are_near_does_not_depend_on_forbidden_documents(made: Shelf, word: str) -> None:
    said = [entry(n, "rope haus pump z pump pump pipe pipe z z z z pump") for n in range(10)]
    made.put(*said, *(entry(n, f"{word} x x x x x", grants=("group:staff",)) for n in range(100, 120)))
    among = _scores(made, '"pump pipe"~3')
    made.put(*said, *(entry(n, "y y x x x x", grants=("group:staff",)) for n in range(100, 120)))
    assert _scores(made, '"pump pipe"~3') == pytest.approx(among, rel=NEARLY)


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


ENGLISH = "en"
OTHERS = tuple(f"connect{ending}" for ending in ("ed", "ing", "s", "ion", "ions", "ive", "ively", "ivity"))


def test_forms_in_forbidden_documents_take_the_place_of_no_other(made: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    own = entry(1, "they connectives", language=ENGLISH)
    monkeypatch.setattr(dictionary, "MOST_FORMS", 3)
    made.put(own, *(entry(n, " ".join(OTHERS), language=ENGLISH, grants=("group:staff",)) for n in range(2, 9)))
    assert made.ids("connect") == [1]
    assert made.ids("connect", reader=STAFF) != [1]


@pytest.mark.parametrize("bound", ["MOST_LOOKED_AT", "MOST_COMPARED"])
def test_words_of_forbidden_documents_are_not_counted_against_what_is_looked_at(
    made: Shelf, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    own = entry(1, "they connective", language=ENGLISH)
    monkeypatch.setattr(dictionary, bound, 3)
    made.put(own, *(entry(n, " ".join(OTHERS[:5]), language=ENGLISH, grants=("group:staff",)) for n in range(2, 9)))
    assert made.reader.alike("conective", ANYONE) == ("connective",)
    assert made.ids("connect") == [1]


def test_what_is_a_form_is_looked_up_once_for_all_readers(made: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    made.put(*(entry(n, " ".join(OTHERS), language=ENGLISH, grants=("everyone",)) for n in range(1, 5)))
    asked: list[str] = []
    related = dictionary._related

    def counted(words: Iterable[str], word: str, language: str) -> tuple[str, ...]:
        asked.append(word)
        return related(words, word, language)

    monkeypatch.setattr(dictionary, "_related", counted)
    for reader in (ANYONE, STAFF, ANYONE):
        made.ids("connecting", reader=reader)
    assert asked == ["connecting"]
