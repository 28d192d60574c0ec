"""The measures of bench.kinds: a fault of an index is seen, and the tables say what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.kinds import page
from bench.kinds.registry import PLACES, chosen
from bench.kinds.scale import MemoryCourse
from bench.kinds.truth import Known, Truth, compare
from cormorant.search.reader import Hit
from cormorant.testing import Commands, CrawlPlace


class _Shelf(CrawlPlace):
    """A place in memory."""

    kind = "files"
    renames = restricts = True

    def __init__(self) -> None:
        self.words: dict[str, str] = {}
        self.allowed: dict[str, Sequence[str]] = {}

    def put(self, name: str, word: str) -> None:
        self.words[name] = word

    def remove(self, name: str) -> None:
        del self.words[name]

    def rename(self, name: str, other: str) -> None:
        self.words[other] = self.words.pop(name)
        self.allowed[other] = self.allowed.pop(name, ("everyone",))

    def allow(self, name: str, readers: Sequence[str]) -> None:
        self.allowed[name] = readers

    def url(self, name: str) -> str:
        return f"https://shelf.example/{name}"

    def attributes(self, name: str, word: str) -> Mapping[str, str]:  # noqa: ARG002 - all have one alike
        return {"Author": word}


class _Index(Commands):
    """An index that holds what it is given: a word, an address and readers for each document."""

    def __init__(self, documents: Iterable[tuple[str, str, str]]) -> None:
        self.held = list(documents)

    def run(self, *words: str, fine: Sequence[int] = (0,), given: str = "") -> list[dict[str, Any]]:  # noqa: ARG002
        return [{"url": url, "indexed": True, "fetched_at": "then"} for _, url, _ in self.held]

    def found(self, texts: Iterable[str], readers: Iterable[str] = ("everyone",)) -> dict[str, list[Hit]]:
        may = set(readers)
        return {
            text: [_hit(word, url) for word, url, reader in self.held if word == text and reader in may]
            for text in texts
        }

    def readers(self, addresses: Iterable[str]) -> dict[str, frozenset[str]]:
        known = {url: frozenset([reader]) for _, url, reader in self.held}
        return {each: known[each] for each in addresses}


def _hit(word: str, url: str) -> Hit:
    return Hit(1, url, "", "", (), 1.0, "place", "text/plain", "", 1, None, False, 0, {"Author": word})


@pytest.fixture
def truth() -> Truth:
    made = Truth(_Shelf(), {"a": Known("aaa"), "b": Known("bbb", 2)})
    made.gone = {"old"}
    return made


A, B = ("aaa", "https://shelf.example/a", "everyone"), ("bbb", "https://shelf.example/b", "group:team2")


def test_an_index_that_is_the_place_has_no_fault(truth: Truth) -> None:
    found = compare(_Index([A, B]), truth)
    assert (found.faults, found.fetched_at) == ((), {"aaa": "then", "bbb": "then"})


@pytest.mark.parametrize(
    ("index", "fault"),
    [
        ([A], "b is found 0 times"),
        ([A, B, ("bbb", "https://shelf.example/c", "everyone")], "b is found 2 times"),
        ([("aaa", "https://shelf.example/x", "everyone"), B], "a is at https://shelf.example/x"),
        ([A, B, ("old", "https://shelf.example/o", "everyone")], "old is gone and still found"),
        ([A, ("bbb", "https://shelf.example/b", "everyone")], "bbb is found by anybody"),
        ([("aaa", "https://shelf.example/a", "group:team2"), B], "a is for group:team2, not everyone"),
    ],
)
def test_each_fault_of_an_index_is_seen(truth: Truth, index: list[tuple[str, str, str]], fault: str) -> None:
    assert any(fault in each for each in compare(_Index(index), truth).faults)


def test_edits_keep_the_truth_and_the_place_alike() -> None:
    place, chance = _Shelf(), Random(7)
    truth = Truth(place)
    truth.fill(20)
    for _ in range(30):
        truth.edit(chance, 9)
        assert place.words == {name: known.word for name, known in truth.documents.items()}
        assert not truth.gone & set(place.words.values())
    assert set(truth.edits) == {"insert", "edit", "delete", "rename", "readers"}


def test_memory_is_kept_for_each_share(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    course = MemoryCourse(notes, 1_000)
    for fetched, kb in ((100, 50_000), (300, 70_000), (800, 60_000)):
        notes.write_text(f'{{"note": "place: fetching, {fetched:,} documents fetched, 0 to go"}}\n')
        course.note(kb)
    assert course.end() == [72, 72, 72, 72]
    assert MemoryCourse(notes, 1_000).end() == [None, None, None, 0]


def test_a_kind_is_all_its_places_and_a_place_itself() -> None:
    assert chosen(["mail"]) == ["mail, Maildir", "mail, mbox", "mail, IMAP"]
    assert chosen(["mail, IMAP", "warc"]) == ["mail, IMAP", "warc"]
    with pytest.raises(ValueError, match="'mial'"):
        chosen(["mial"])


def test_the_page_has_a_row_for_each_place_that_was_measured() -> None:
    fresh = {"place": "files", "counterpart": "Linux 6", "day": "2026-11-28", "documents": 1_000, "changes": 50,
             "median_s": 2.5, "p95_s": 3.75}  # fmt: skip
    text = page.written({"fresh": {"files": fresh}}, list(PLACES))
    assert "| files | Linux 6 | 1,000 | 50 | 2.5 | 3.75 | 2026-11-28 |" in text
    assert "## Rounds" not in text
