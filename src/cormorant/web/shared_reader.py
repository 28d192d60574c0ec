"""Shared reader: the open library for all requests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from cormorant.base.errors import CormorantError, IndexDamaged, NotFoundError
from cormorant.model.acl import ANYONE
from cormorant.operate.checks import restricted
from cormorant.operate.installation import Installation
from cormorant.operate.records.search import SuggestionsRecord
from cormorant.operate.runs.live import underway
from cormorant.operate.search import attribute_form, attributes, search, search as suggestions, value_lists
from cormorant.operate.search.attribute_form import AttributeField
from cormorant.operate.search.federation import Federation
from cormorant.operate.sources.secrets import Opened
from cormorant.search.reader import Answer, KnownAttributes, Library, Question, ScoreExplanation

FRESH_S = 5.0
"""Seconds for which the figures at the foot of a page are cached."""
LOOKED_S = 30.0
"""Seconds between two full checks of a damaged index."""


class SharedReader:
    """The library, opened on first use, and again after a fault."""

    def __init__(self, house: Installation) -> None:
        self.house = house
        self._library: Library | None = None
        self._federation: Federation | None = None
        self._counts: dict[str, int] = {}
        self._counted_at = -FRESH_S
        self._damage: IndexDamaged | None = None
        self._look_at = 0.0

    def library(self) -> Library:
        """The open library. Raises IndexDamaged, ConflictError."""
        if self._library is None:
            self._library = search.library(self.house)
        return self._library

    def federation(self) -> Federation:
        """The federated sources, with the connections to them."""
        if self._federation is None:
            self._federation = Federation(self.house, Opened(self.house))
        return self._federation

    def counts(self) -> dict[str, int]:
        """Return the number of visible documents by source, counted from time to time."""
        now = self.house.clock.monotonic()
        if now - self._counted_at >= FRESH_S:
            self._counts, self._counted_at = search.counts(self.house, self.library()), now
        return self._counts

    def known(self) -> dict[str, int] | None:
        """Return the counts, None after a fault: searches report it, but other pages go without counts."""
        try:
            return self.counts()
        except CormorantError:
            return None

    def size(self) -> int:
        """Return the number of documents in the index, visible or not, for operators."""
        return self.library().size()

    def look(self) -> None:
        """Check that a search would be answered, and, after damage was met, that every byte is undamaged again.

        Raises IndexDamaged, ConflictError, and the errors of the database.
        """
        self.library().look()
        if self._damage is None:
            return
        now = self.house.clock.monotonic()
        if now < self._look_at:
            raise self._damage
        self._look_at = now + LOOKED_S  # other requests get the known damage meanwhile
        try:
            self.library().check()
        finally:
            self._look_at = self.house.clock.monotonic() + LOOKED_S
        self._damage = None

    def running(self, *, every: bool) -> list[str]:
        """Sources that are being crawled, among those with visible documents, or among `every` source.

        Empty after a fault.
        """
        with suppress(CormorantError):
            known = self.counts()
            return [name for name in underway(self.house) if every or name in known]
        return []

    def closed(self) -> list[str]:
        """Why search hides documents of the index, for visitors who may know that these exist."""
        return restricted.sentences(self.house)

    def ask(self, question: Question, offered: Collection[str] = ()) -> Answer:
        """Answer a question, of which a page itself `offered` attributes. Raises what `search` raises."""
        self._know(question.sources)
        shelf, federation = self.library(), self.federation()
        return search.search(self.house, question, shelf=shelf, federation=federation, offered=offered)

    def known_attributes(self, text: str, names: Collection[str] = ()) -> KnownAttributes:
        """Return the attributes that a query of this text, or a form with these names, may name."""
        return self.library().attributes(Question(text), ANYONE, names)

    def offered_attributes(self) -> tuple[str, ...]:
        """Return the attributes whose values are offered beside results; none after a fault."""
        with suppress(CormorantError):
            return attributes.offered(self.house)
        return ()

    def sees(self, attribute: str) -> bool:
        """Return whether a reader may know that there is this attribute."""
        return bool(self.library().seen_attributes([attribute], ANYONE))

    def attribute_fields(self, languages: Sequence[str]) -> tuple[AttributeField, ...]:
        """Return the fields that a form has for attributes: those with a list of values, or offered beside results."""
        return attribute_form.fields(self.house, self.library(), languages)

    def labels(
        self, names: Collection[str], languages: Sequence[str], sources: Sequence[str] = ()
    ) -> Mapping[str, Mapping[str, str]]:
        """Return the display names of listed values of attributes, in a reader's languages."""
        return value_lists.labels(self.house, names, languages, sources)

    def suggest(self, typed: str, sources: tuple[str, ...]) -> SuggestionsRecord:
        """Return completions of a typed query. Raises NotFoundError for an unknown source."""
        self._know(sources)
        return suggestions.suggested(self.library(), typed, sources)

    def _know(self, sources: tuple[str, ...]) -> None:
        """Raise NotFoundError for a source without visible documents, so that names of hidden sources stay secret."""
        asked = self.federation().names(ANYONE) if sources else ()
        for name in (each for each in sources if each not in asked):
            if name not in self.counts() and name not in search.counts(self.house, self.library()):
                raise NotFoundError("There is no such source, or you have no access to it.")

    def why(self, question: Question, number: int) -> ScoreExplanation:
        """Explain the score of a document that a question finds. Raises NotFoundError if it does not find it."""
        self._know(question.sources)
        return search.why(self.house, question, number, shelf=self.library())

    def forget(self, error: CormorantError | None = None) -> None:
        """Reopen the library on its next use. Damage is remembered until a check finds the index undamaged."""
        self._library = None
        if isinstance(error, IndexDamaged) and self._damage is None:
            self._damage, self._look_at = error, self.house.clock.monotonic()
