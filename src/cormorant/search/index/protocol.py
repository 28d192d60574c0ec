"""Index protocol: the operations of every index, and the guarantees to its callers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from cormorant.model.acl import Reader
from cormorant.search.index.completion import Beginning, Begun
from cormorant.search.index.document import Change, IndexedDocument
from cormorant.search.index.facet_request import Counts, Split
from cormorant.search.index.query import Search


class Match(NamedTuple):
    """A matching document. Other matching documents are folded in: `duplicates` of equal content, `near` duplicates.

    `entry` is the indexed entry, with its text as stored (`tokenizer.clean`); `group` is the value of its group, if
    any. `spoken` is the language whose rules the search used, "" for none: the document's own or its assumed language.
    """

    id: int
    score: float
    entry: IndexedDocument
    duplicates: int = 0
    near: int = 0
    group: str | None = None
    spoken: str = ""


COUNT, PAIR, SPELLED = "words", "pair", "spelled"
"""Names of reasons that are neither a field nor a part of `static_score`.

They are the number of words found, neighbouring words that stand together, and identifiers found as they were typed.
"""


class Reason(NamedTuple):
    """A part of a score: a field, COUNT, PAIR, SPELLED or a part of the static score (`static_score`).

    `about` are the parts of the query that it concerns, `places` the number of their occurrences in the field.
    """

    what: str
    points: float
    about: tuple[str, ...] = ()
    places: int = 0


class Matches(NamedTuple):
    """The hits of a page. `total` is the number of matches, folded ones counted once; `reachable` can be paged to.

    The others lie beyond every offset. If matches are grouped, `reachable` counts the groups.
    """

    total: int
    hits: tuple[Match, ...]
    reachable: int


@dataclass(frozen=True, slots=True)
class Stats:
    """The size of an index.

    `deleted` documents still take space, until their segment is merged or the index rebuilt.
    """

    documents: int
    deleted: int
    segments: int
    size_bytes: int
    place: int


class IndexWriter(Protocol):
    """The one writer of an index; opening another raises ConflictError.

    A caller may rely on: changes apply in the order given, the later of two for one id wins; changes applied before
    `commit` returned survive a power cut, and so does their place; every change may be applied again, so resuming after
    a crash with the first change after `place` gives the same content as without the crash.
    A caller may not rely on: a reader seeing anything before `commit` and its own `refresh`; changes after the last
    commit being lost in a crash, as a few may survive. After an error the writer is unusable: close it, open another,
    and resume after its `place`.
    """

    @property
    def place(self) -> int:
        """The sequence number given to the last commit, 0 at first."""
        ...

    @property
    def origin(self) -> str | None:
        """The name of the database whose rows are indexed, None until a commit gives one."""
        ...

    def apply(self, changes: Iterable[Change]) -> int:
        """Apply changes in order. They become visible and durable with the next commit.

        Returns the bytes of text written for them; an index may hold as much in memory until the commit.
        """
        ...

    def commit(self, place: int, origin: str | None = None) -> None:
        """Make all applied changes durable, together with `place`, which never decreases.

        `origin` names the database that `place` belongs to. It stays until another is given.
        """
        ...

    def close(self) -> None:
        """Release the index and discard uncommitted changes. May be called twice."""
        ...


class IndexReader(Protocol):
    """Searches an index, from this process or another; safe for several threads.

    A caller may rely on: every answer being of one committed state; a document that the search's reader may not read
    adding nothing to hits, totals, duplicates, counts or the rarity of words, and a hidden one nothing to hits, totals,
    duplicates and counts; equal searches of an unchanged index getting equal answers, so pages neither repeat nor miss
    a hit.
    A caller may not rely on: scores being comparable between searches; totals being folded exactly, or hits existing,
    beyond the best 10,000 matches; the newest commit being visible before `refresh`.
    Raises IndexDamaged if the files differ from those that were written, and only then. A part of a query that the
    engine refuses is left out; QueryFailed is raised if nothing is left.
    """

    @property
    def place(self) -> int:
        """The place of the committed state that is read."""
        ...

    @property
    def origin(self) -> str | None:
        """The name of the database whose rows are indexed, None if none was given."""
        ...

    def refresh(self) -> bool:
        """Read the newest committed state from now on; say whether it changed. Cheap enough for every search."""
        ...

    def search(self, search: Search) -> Matches:
        """Answer a search."""
        ...

    def tally(self, search: Search, splits: Sequence[Split]) -> list[Counts]:
        """Count the matches of a search by value, for each split; limit, offset and order do not matter.

        A count is the total of the search narrowed to that value, as long as no more than MOST_RANKED documents match;
        beyond, equal documents are counted separately.
        """
        ...

    def why(self, search: Search, number: int) -> tuple[Match, tuple[Reason, ...]] | None:
        """Return a document with the parts of its score, which add up to it; None if the search does not find it.

        The document may be folded into another one, and on any page.
        """
        ...

    def alike(self, word: str, reader: Reader) -> tuple[str, ...]:
        """Return words of documents that the reader may read, written nearly like this one, nearest first.

        First come words that lack only marks for which the word has a second letter (`tokenizer.plainer`). Nothing is
        returned when such documents hold the word itself.
        """
        ...

    def spelling(self, word: str, within: Search) -> str:
        """Return a word of the index as documents that `within` finds for its reader write it: `Führung`.

        Documents that ask not to be quoted are ignored. A word that no document spells otherwise is returned unchanged.
        """
        ...

    def beginning(self, asked: Beginning) -> tuple[Begun, ...]:
        """Return words, or values of a key, with this prefix: those that most documents hold first, then by letters.

        Only documents that `within` finds for its reader count: words that no other document holds are never revealed.
        """
        ...

    def count(self) -> int:
        """Return the number of all documents, whoever may read them: for an administrator, never for a reader."""
        ...

    def ids(self, behind: int, most: int) -> list[int]:
        """Return up to `most` document ids above `behind`, in order: for an administrator, never for a reader."""
        ...

    def stats(self) -> Stats:
        """Return the size of the index."""
        ...

    def check(self) -> None:
        """Verify every byte of the newest state, which may take minutes. Raises IndexDamaged if any is damaged."""
        ...
