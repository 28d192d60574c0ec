"""Index protocol: what every index does, and what its caller may rely on."""

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
    """A document that matches. Other matching documents were folded in: `duplicates` of equal content, `near` others.

    `entry` is what was put, with its text as it is kept (`tokenizer.clean`); `group` is the value of its group, if any.
    `spoken` is the language by whose rules it was looked for, "" for none: its own, or the one it is taken to be in.
    """

    id: int
    score: float
    entry: IndexedDocument
    duplicates: int = 0
    near: int = 0
    group: str | None = None
    spoken: str = ""


COUNT, PAIR, SPELLED = "words", "pair", "spelled"
"""Names of reasons that are neither a field nor of `static_score`.

How many words there are, which of them stand together, and which identifiers stand there as they were typed.
"""


class Reason(NamedTuple):
    """A part of a score: a field, COUNT, PAIR, SPELLED or what counts beside words (`static_score`).

    `about` are the parts of the question that it is about, `places` how often these stand in the field.
    """

    what: str
    points: float
    about: tuple[str, ...] = ()
    places: int = 0


class Matches(NamedTuple):
    """`total` is how many matches there are in all, folded ones counted once; `reachable`, how many of them are hits.

    The others lie beyond every offset. Of groups, `reachable` is how many there are of them.
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

    A caller may rely on: changes apply in the order given, the later of two for one id wins; what was applied when
    `commit` returned survives a power cut, and its place with it; every change may be applied again, so that after a
    crash going on with the first change after `place` gives the same content as if there had been no crash.
    A caller may not rely on: a reader seeing anything before `commit` and its own `refresh`; changes after the last
    commit being lost in a crash, which few are. After an error the writer is of no more use: close it, open another, go
    on after its `place`.
    """

    @property
    def place(self) -> int:
        """The sequence number given to the last commit, 0 at first."""
        ...

    @property
    def origin(self) -> str | None:
        """The name of the database whose rows these are, None as long as none was given."""
        ...

    def apply(self, changes: Iterable[Change]) -> int:
        """Apply changes in order. They are found, and kept, after the next commit.

        Returns how many bytes of text are written for them: an index may hold as much in memory until then.
        """
        ...

    def commit(self, place: int, origin: str | None = None) -> None:
        """Make everything applied durable, together with `place`. Never less than the last one.

        `origin` names the database in whose numbers that is. It stays until another is given.
        """
        ...

    def close(self) -> None:
        """Let go. What was not committed is gone. May be called twice."""
        ...


class IndexReader(Protocol):
    """Asks an index, from this process or another; safe for several threads.

    A caller may rely on: every answer being of one committed state; a document that the search's reader may not read
    adding nothing to hits, totals, duplicates, counts or the rarity of words, and a hidden one nothing to hits, totals,
    duplicates and counts; equal questions to an unchanged index getting equal answers, so pages neither repeat nor miss
    a hit.
    A caller may not rely on: scores meaning anything between questions; totals being folded exactly, or hits existing,
    beyond the best 10,000 matches; the newest commit being seen before `refresh`.
    Raises IndexDamaged when what is on disk is not what was written, and only then. A part of a question that the
    engine refuses is left out of it; QueryFailed is raised when nothing is left.
    """

    @property
    def place(self) -> int:
        """The place of the committed state that is read."""
        ...

    @property
    def origin(self) -> str | None:
        """The name of the database whose rows it is made of, None where none was given."""
        ...

    def refresh(self) -> bool:
        """Read the newest committed state from now on; say whether it changed. Cheap enough for every question."""
        ...

    def search(self, search: Search) -> Matches:
        """Answer a question."""
        ...

    def tally(self, search: Search, splits: Sequence[Split]) -> list[Counts]:
        """Count the matches of a search by sort, for each split: whatever its limit, offset and order are.

        A count is the total of the search narrowed to that sort, as long as no more than MOST_RANKED documents match;
        beyond, equal documents are counted each.
        """
        ...

    def why(self, search: Search, number: int) -> tuple[Match, tuple[Reason, ...]] | None:
        """Return a document with the parts of its score, which add up to it; None where the search does not find it.

        Folded or not, and on whatever page.
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

        Documents that ask not to be quoted are not looked at. A word that none writes otherwise is returned as it is.
        """
        ...

    def beginning(self, asked: Beginning) -> tuple[Begun, ...]:
        """Return words, or values of a key, that begin so, those first that most documents hold, then by letters.

        Only of documents that `within` finds for its reader: what no other document holds is never told.
        """
        ...

    def count(self) -> int:
        """Return how many documents there are, whoever may read them: for an administrator, never for a reader."""
        ...

    def ids(self, behind: int, most: int) -> list[int]:
        """Return the numbers of documents above this one, at most so many, in order: for an administrator as well."""
        ...

    def stats(self) -> Stats:
        """Return how big it is."""
        ...

    def check(self) -> None:
        """Read every byte of the newest state, which may take minutes. Raises IndexDamaged unless it is whole."""
        ...
