"""Visibility of attributes: which attributes a reader may know of.

An attribute is visible if every reader may know of it, or if a document that the reader may see has a value of it. A
query that names another attribute is read as if there were no attribute of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from threading import Lock
from typing import Final, NamedTuple

from cormorant.base.clock import Clock
from cormorant.model.acl import Reader
from cormorant.model.attribute import LONGEST_NAME
from cormorant.search.index.attribute_terms import has_match, lies_within
from cormorant.search.index.protocol import IndexReader
from cormorant.search.index.query import AttributeMatch, AttributeRange, Exact, Key, Or, Search
from cormorant.search.index.tokenizer import clean
from cormorant.search.query.attribute_query import BUILT_IN_ATTRIBUTES, KnownAttributes
from cormorant.search.query.lexer import LONGEST

ABSENT_S: Final = 3.0
"""Seconds for which the answer that a reader sees no document with an attribute is kept when the index changes."""
MOST_ANSWERS: Final = 2_000
"""Answers that are remembered, the newest, each of a reader and an attribute."""
MOST_WITNESSES: Final = 3
"""Documents that are remembered for an answer, so that it outlives the removal of one."""


class AttributeCatalog(NamedTuple):
    """The attributes of an installation. `public` returns those of some names that every reader may know of.

    Both hold names in lower case.
    """

    known: KnownAttributes
    public: Callable[[Collection[str]], Collection[str]]


def built_in_catalog() -> AttributeCatalog:
    """Return the attributes of every installation, which every reader may know of."""
    return AttributeCatalog(BUILT_IN_ATTRIBUTES, lambda names: BUILT_IN_ATTRIBUTES.keys() & names)


def named_in(text: str, known: KnownAttributes) -> frozenset[str]:
    """Return the attributes, in lower case, that stand before a colon in the text of a query."""
    text = clean(text)[:LONGEST].lower()
    return frozenset(name for name in _before_colons(text) if name in known)


def _before_colons(text: str) -> Iterator[str]:
    """Yield every piece of a text that ends before a colon and is no longer than a name."""
    colon = text.find(":")
    while colon >= 0:
        yield from (text[begin:colon] for begin in range(max(0, colon - LONGEST_NAME), colon))
        colon = text.find(":", colon + 1)


class _Answer(NamedTuple):
    """An answer about a reader and an attribute: some documents of the reader with a value of it, () for none.

    `state` is the number of the index state that it holds for, `asked_at` the time of its query (monotonic seconds).
    """

    state: int
    witnesses: tuple[int, ...]
    asked_at: float


class AttributeVisibility:
    """Finds the attributes that readers may know of, at a cost that does not grow with each commit of the index.

    A query for all documents with a value of an attribute visits every value, so it runs once for a reader and an
    attribute and its first hits are remembered as witnesses. In a later state of the index, or with other hidden
    documents, the attribute stays visible only if the reader still sees one of these witnesses with a value of it. If
    none is left, the query runs again. The answer that there is none is kept for ABSENT_S in later states too: so long
    may the first document with an attribute, or the first that a reader may see, be overlooked. An attribute is never
    visible longer than the reader may see a document that has it.
    """

    def __init__(self, index: IndexReader, clock: Clock, catalog: Callable[[], AttributeCatalog]) -> None:
        self._index = index
        self._clock = clock
        self._catalog = catalog
        self._lock = Lock()
        self._state, self._number = (-1, frozenset[int]()), 0
        self._answers: dict[tuple[Reader, str], _Answer] = {}

    @property
    def known(self) -> KnownAttributes:
        """All attributes, for people who administer the installation."""
        return self._catalog().known

    def within(self, text: str, names: Collection[str], everything: Callable[[], Search]) -> KnownAttributes:
        """Return the attributes without those that a text or these `names` name and that the reader does not see."""
        known = self.known
        asked = named_in(text, known) | {name.lower() for name in names}
        unseen = asked - self.seen(asked, everything)
        return {name: each for name, each in known.items() if name not in unseen} if unseen else known

    def seen(self, names: Collection[str], everything: Callable[[], Search]) -> frozenset[str]:
        """Return those of these names, in lower case, that the reader may know of."""
        asked = frozenset(name.lower() for name in names)
        if not asked:
            return asked
        known, public = self._catalog()
        found = frozenset(public(asked))
        others = asked & known.keys() - found
        return found | self._with_values(others, everything()) if others else found

    def _with_values(self, names: Collection[str], everything: Search) -> frozenset[str]:
        """Return those of these names that a document of a search for everything has a value of."""
        state = self._number_of(everything)
        return frozenset(name for name in names if self._answer(name, everything, state).witnesses)

    def _number_of(self, everything: Search) -> int:
        """Return the number of the present state of the index without hidden documents."""
        present = self._index.place, everything.hidden
        with self._lock:
            if self._state != present:
                self._state, self._number = present, self._number + 1
            return self._number

    def _answer(self, name: str, everything: Search, state: int) -> _Answer:
        key, now = (everything.reader, name), self._clock.monotonic()
        last = self._answers.get(key)
        if last is not None and (last.state == state or (not last.witnesses and now - last.asked_at < ABSENT_S)):
            return last
        left = self._still(name, last.witnesses, everything) if last is not None and last.witnesses else ()
        if last is not None and left:
            answer = last._replace(state=state, witnesses=left)
        else:
            answer = _Answer(state, self._found(name, everything), now)
        with self._lock:
            self._answers.pop(key, None)
            while len(self._answers) >= MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
            self._answers[key] = answer
        return answer

    def _found(self, name: str, everything: Search) -> tuple[int, ...]:
        """Return some documents of a search for everything that have a value of an attribute."""
        query = Or((AttributeMatch(name, ()), AttributeRange(name)))
        hits = self._index.search(replace(everything, query=query, limit=MOST_WITNESSES)).hits
        return tuple(each.id for each in hits)

    def _still(self, name: str, witnesses: tuple[int, ...], everything: Search) -> tuple[int, ...]:
        """Return those of these documents that a search for everything finds and that have a value of an attribute.

        The index looks up their ids alone; the values are those of the stored entries.
        """
        query = Exact(Key.ID, tuple(map(str, witnesses)))
        hits = self._index.search(replace(everything, query=query, limit=len(witnesses))).hits
        return tuple(
            each.id
            for each in hits
            if has_match(each.entry, AttributeMatch(name, ())) or lies_within(each.entry, AttributeRange(name))
        )
