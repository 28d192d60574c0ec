"""Visibility of attributes: which attributes a reader may know of.

An attribute is visible if every reader may know of it, or if a document that the reader may see has a value of it. A
query that names another attribute is read as if there were no attribute of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from cormorant.model.acl import Reader
from cormorant.model.attribute import LONGEST_NAME
from cormorant.search.index.protocol import IndexReader
from cormorant.search.index.query import AttributeMatch, AttributeRange, Or, Search
from cormorant.search.index.tokenizer import clean
from cormorant.search.query.attribute_query import BUILT_IN_ATTRIBUTES, KnownAttributes
from cormorant.search.query.lexer import LONGEST

_MOST_ANSWERS: Final = 10_000


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


@dataclass(frozen=True, slots=True)
class _IndexState:
    """A state of the index without hidden documents, and the answers found in it by reader and attribute."""

    place: int
    hidden: frozenset[int]
    answers: dict[tuple[Reader, str], bool] = field(default_factory=dict)


class AttributeVisibility:
    """Finds the attributes that readers may know of. It remembers its answers about one state of the index.

    `everything` makes the search for all documents that a reader sees.
    """

    def __init__(self, index: IndexReader, catalog: Callable[[], AttributeCatalog]) -> None:
        self._index = index
        self._catalog = catalog
        self._state = _IndexState(-1, frozenset())

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
        state, place = self._state, self._index.place
        if (state.place, state.hidden) != (place, everything.hidden) or len(state.answers) > _MOST_ANSWERS:
            state = self._state = _IndexState(place, everything.hidden)
        for name in names:
            if (everything.reader, name) not in state.answers:
                query = Or((AttributeMatch(name, ()), AttributeRange(name)))
                found = self._index.search(replace(everything, query=query))
                state.answers[everything.reader, name] = found.total > 0
        return frozenset(name for name in names if state.answers[everything.reader, name])
