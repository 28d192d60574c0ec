"""The documents that a place holds, as its editor knows them, and the comparison of the index with them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

from cormorant.model.acl import EVERYONE
from cormorant.search.reader import Hit
from cormorant.testing import Commands, CrawlPlace

_LOWEST: Final = 12
"""Documents below which none is taken away."""


class Known(NamedTuple):
    """A document: the word of its text, and the number of its readers as the place counts them."""

    word: str
    readers: int = 0


@dataclass
class Truth:
    """Documents by name, the words that are gone, and the names of those that the last edits touched."""

    place: CrawlPlace
    documents: dict[str, Known] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    edits: dict[str, int] = field(default_factory=dict)
    count: int = 0

    def fill(self, number: int, prefix: str = "doc") -> None:
        """Put documents into an empty place."""
        names = [f"{prefix}{each}" for each in range(number)]
        self.documents = {name: Known(self._word(name)) for name in names}
        self.place.put_all({name: known.word for name, known in self.documents.items()})
        self.touched = set(names)

    def edit(self, chance: Random, most: int) -> None:
        """Make up to that many changes of random sorts, each of another document, and note them."""
        self.touched = set()
        for _ in range(chance.randint(most // 2, most)):
            sorts = ["insert", "edit", "edit"]
            if len(self.documents) > _LOWEST:
                sorts.append("delete")
            sorts += ["rename"] if self.place.renames else []
            sorts += ["readers"] if self.place.restricts else []
            sort = chance.choice(sorts)
            untouched = sorted(set(self.documents) - self.touched)
            name = f"new{self.count}x" if sort == "insert" else chance.choice(untouched)
            self._apply(sort, name)
            self.edits[sort] = self.edits.get(sort, 0) + 1

    def everybody(self) -> set[str]:
        """Return the names of readers of whom each document has one."""
        return {each for known in self.documents.values() for each in self.place.readers(known.readers)} | {EVERYONE}

    def _apply(self, sort: str, name: str) -> None:
        before = self.documents.get(name)
        if sort in ("insert", "edit"):
            word = self._word(name)
            self.place.put(name, word)
            self.documents[name] = Known(word)
            if before and before.readers:
                self._allow(name, before.readers)
        elif sort == "delete":
            self.place.remove(name)
            del self.documents[name]
        elif sort == "rename":
            self.count += 1
            other = f"moved{self.count}x"
            self.place.rename(name, other)
            self.documents[other] = self.documents.pop(name)
            self.touched.add(other)
        else:
            self.count += 1
            self._allow(name, self.count)
        self.touched.add(name)
        if before and (name not in self.documents or self.documents[name].word != before.word) and sort != "rename":
            self.gone.add(before.word)

    def _allow(self, name: str, readers: int) -> None:
        self.place.allow(name, self.place.readers(readers))
        self.documents[name] = self.documents[name]._replace(readers=readers)

    def _word(self, name: str) -> str:
        self.count += 1
        return f"wort{name}v{self.count}"


@dataclass(frozen=True)
class Comparison:
    """Faults as sentences, and when each document was fetched, by its word."""

    faults: tuple[str, ...] = ()
    fetched_at: dict[str, str] = field(default_factory=dict)
    lost: int = 0
    doubled: int = 0


def compare(commands: Commands, truth: Truth, source: str = "place") -> Comparison:
    """Compare the index with the truth: documents, texts, addresses, attributes, readers."""
    rows = {each["url"]: each for each in commands.run("document", "list", "--source", source) if each["indexed"]}
    words = [known.word for known in truth.documents.values()]
    found = commands.found([*words, *sorted(truth.gone)], truth.everybody())
    hits = {name: found[known.word] for name, known in truth.documents.items()}
    faults = [f"{len(rows)} documents, not {len(truth.documents)}"] if len(rows) != len(truth.documents) else []
    for name, there in hits.items():
        faults += _faults(truth, name, there)
    faults += [f"{word} is gone and still found" for word in sorted(truth.gone) if found[word]]
    if truth.place.restricts:
        faults += _wrong_readers(commands, truth, hits)
        hidden = [
            known.word for known in truth.documents.values() if EVERYONE not in truth.place.readers(known.readers)
        ]
        faults += [f"{word} is found by anybody" for word, there in commands.found(hidden).items() if there]
    times = {
        truth.documents[name].word: rows[hit.url]["fetched_at"] for name, (hit, *_) in _found(hits) if hit.url in rows
    }
    return Comparison(
        tuple(faults), times,
        lost=sum(not there for there in hits.values()), doubled=sum(len(there) > 1 for there in hits.values()),
    )  # fmt: skip


def _found(hits: dict[str, list[Hit]]) -> Iterator[tuple[str, list[Hit]]]:
    return ((name, there) for name, there in hits.items() if there)


def _faults(truth: Truth, name: str, hits: list[Hit]) -> Iterator[str]:
    known = truth.documents[name]
    if len(hits) != 1:
        yield f"{name} is found {len(hits)} times"
        return
    address = truth.place.url(name)
    if address and hits[0].url != address:
        yield f"{name} is at {hits[0].url}, not {address}"
    for attribute, value in truth.place.attributes(name, known.word).items():
        given = hits[0].attributes.get(attribute)
        if given not in (value, [value], (value,)):
            yield f"{name} has {attribute}={given!r}, not {value!r}"


def _wrong_readers(commands: Commands, truth: Truth, hits: dict[str, list[Hit]]) -> Iterator[str]:
    addresses = {name: there[0].url for name, there in _found(hits)}
    granted = commands.readers(addresses.values())
    for name, address in addresses.items():
        wanted = frozenset(truth.place.readers(truth.documents[name].readers))
        if granted[address] != wanted and not (EVERYONE in granted[address] and EVERYONE in wanted):
            yield f"{name} is for {', '.join(sorted(granted[address]))}, not {', '.join(sorted(wanted))}"
