"""Source protocol: what every kind of source does, and what its caller may rely on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import ClassVar, Protocol, runtime_checkable

from cormorant.model.attribute import AttributeType
from cormorant.model.content import Content, Extraction, VisitTrace
from cormorant.model.outcome import Outcome
from cormorant.model.pace import Pace
from cormorant.model.resource import DiscoveredUrl, Removal, Resource, Role
from cormorant.model.ruling import Discard, Prerequisite, Renamed, Rewritten, Ruling
from cormorant.model.settings.source import SourceSettings
from cormorant.sources.rules.index_rules import Facts


class Discovery(StrEnum):
    """The kind of a source's discovery, and what it proves.

    SEEDS: where to begin, nothing else; what is not linked may still exist.
    LISTING: everything there is; what is absent is gone, if the listing ended without an error.
    FEED: what changed since a cursor; absence proves nothing, a removal does.
    """

    SEEDS = "seeds"
    LISTING = "listing"
    FEED = "feed"


class Secrets(Protocol):
    """The secrets of an installation, as a source may use them."""

    def reveal(self, name: str) -> str:
        """The value of a secret. Raises NotFoundError, and SecretSealed when it cannot be opened."""
        ...

    def seal(self, data: bytes) -> bytes:
        """Bytes that are worth nothing without this installation's key: for what a site gave in confidence."""
        ...

    def unseal(self, data: bytes) -> bytes | None:
        """Return the sealed data, or None when it cannot be opened."""
        ...


class UrlFilters(Protocol):
    """Pure rulings. Every answer names the rule that decided.

    A caller may rely on the same answer for the same arguments, and may not rely on a link that was admitted still
    being admitted at its visit: facts and settings may have changed.
    """

    def follow(self, address: str, depth: int) -> Ruling:
        """Return the ruling on whether a newly found URL may become a resource."""
        ...

    def consult(self, address: str, depth: int) -> Ruling:
        """Return the ruling on whether a sitemap may become a resource. `depth` is how many others led to it."""
        ...

    def rulings(self, address: str, depth: int) -> Sequence[Ruling]:
        """Return the ruling of each gate that `follow` passes, in order; the first that refuses decides."""
        ...

    def find(self, address: str, facts: Facts | None) -> Ruling | None:
        """Return the ruling on whether a document that was read before may be found.

        By what is known of it; None when that does not tell.

        `facts` are None when nothing is known but its address.
        """
        ...

    def met(self, rules: Collection[str], addresses: Sequence[str]) -> set[str]:
        """Return those rules, written like `exclude path:/old/*`, that match any of the URLs."""
        ...

    def visit(self, resource: Resource, facts: Mapping[str, bytes]) -> Ruling | Prerequisite:
        """Return the ruling on whether a resource may be requested now, or the prerequisite for that.

        `facts` are the valid facts of its site (a robots.txt by the name of its origin).
        """
        ...

    def read(self, content: Content) -> Ruling:
        """Return the ruling on whether the content may be read, by its type and size. `content.mime` was sniffed."""
        ...

    def index(self, content: Content, extraction: Extraction) -> Ruling:
        """Return the ruling on whether the extracted document may be delivered.

        A page that may not be indexed may still be followed.
        """
        ...


class AddressRewriter(Protocol):
    """A package's rule about addresses, named by the setting `rewriter` of a source."""

    def rewrite(self, address: str) -> Rewritten | Discard | None:
        """Say what a canonical address that was found becomes; None: it stays as it is.

        Called for every address that is found, in several processes, so it answers from the address alone. An
        error that it raises is logged, and the address stays as it is.
        """
        ...


@runtime_checkable
class AttributeSource(Protocol):
    """A source that declares attributes of its documents, and lists of their values."""

    @property
    def attribute_types(self) -> Mapping[str, AttributeType]:
        """The types of attributes that its documents bring."""
        ...

    @property
    def value_lists(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """After `discover`: by attribute the values there are, each with its display names by language ("": any)."""
        ...


@runtime_checkable
class IncrementalListing(Protocol):
    """A source of listings that may name only the changes since its cursor; such a discovery is a FEED."""

    names_all: bool
    """Set before `discover`: everything is to be named, whatever the cursor says."""


class Source(Protocol):
    """A configured place documents come from.

    Built from its number, its settings and the means it needs (fetcher, clock). `discover` is called in one process and
    `fetch` in many; a source keeps no state between them that a kill may lose.
    """

    kind: ClassVar[str]
    number: int
    next_cursor: str
    """After `discover`: what to hand in the next time. It holds when its run has come to its end and was not refused.

    A forced run hands in "". So does one that remembers nothing, unless the source is listed.
    """

    blind: str
    """After `discover`: the sort of file system whose rights its mount makes up; "" where they are what they say."""

    @property
    def discovery(self) -> Discovery:
        """The kind of its discovery; after `discover`, what that one was: a feed may list everything now and then."""
        ...

    @property
    def settings(self) -> SourceSettings:
        """The settings it was built from."""
        ...

    @property
    def gates(self) -> UrlFilters:
        """Its rulings."""
        ...

    @property
    def unlisted(self) -> Sequence[str]:
        """After `discover`: what it could not list, folders with a slash; nothing at or below it is taken for gone."""
        ...

    @property
    def unlisted_reason(self) -> str:
        """After `discover`: why it could not list these, as a sentence; "" where each address speaks for itself."""
        ...

    @property
    def closed(self) -> Sequence[str]:
        """After `discover`: those of `unlisted` that it may not enter, when that bears on who may read what lies there.

        Every document known there is visited, and its outcome says who may.
        """
        ...

    @property
    def vetoed(self) -> Sequence[str]:
        """After `discover`: folders, with a slash, that a plug-in kept it out of. Known documents there are gone."""
        ...

    def discover(self, cursor: str) -> Iterator[Sequence[DiscoveredUrl | Removal]]:
        """Yield batches of what there is. Ending without an exception is the proof of completeness.

        Each step is taken in a thread, one after the other, and has a limited time: a batch may be empty, to say that
        it goes on. Raises Unreachable when the place as a whole cannot be listed; nothing is then deleted.
        """
        ...

    def leads(self, facts: Mapping[str, bytes]) -> Sequence[DiscoveredUrl]:
        """Return the URLs that the valid facts of a site lead to.

        Pure; asked when a site is taken up and when a fact of it is new.

        The caller screens and admits it like anything found: what is known costs nothing.
        """
        ...

    def pace(self, site: str, facts: Mapping[str, bytes]) -> Pace:
        """Return the pace at which a site may be visited for this source now.

        Its worker also obeys slower sources on the site.
        """
        ...

    def lane(self, site: str) -> str | None:
        """The name under which this site shares its pace with others, like an address; "" when it does with none.

        None while nobody knows: `look_up` then. Once that has ended, None is as good as "".
        """
        ...

    async def look_up(self, site: str) -> None:
        """Find out where a site is. Never raises for what the other side does."""
        ...

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Visit one resource once, conditionally when it carries validators. Adds to `wire` what it cost.

        Never raises for what the other side does; every fault is an outcome.
        """
        ...

    @property
    def tracks_moves(self) -> bool:
        """Return whether the version of a document belongs to no other: a new address with an absent one's is a move.

        A version by the number of a revision, a time or a size is not enough for that.
        """
        ...

    @property
    def rereads_moved(self) -> bool:
        """Return whether a moved document is read again, since its attributes depend on its place or on the move."""
        ...

    @property
    def shows_otherwise(self) -> bool:
        """Return whether `rename` may display a resource under another URL than it is fetched by.

        Then that is to be unique.
        """
        ...

    def rename(self, address: str) -> Renamed | None:
        """Under which address one that was found is known; None: as it was found, which is the common case.

        Renaming what was renamed gives nothing new, so that it may be asked of any address at any time.
        """
        ...

    def display(self, address: str) -> str:
        """Return the URL that people see; it is unique in the source but for secrets that are left out."""
        ...

    def fact(self, content: Content | Outcome, role: Role) -> tuple[str, bytes, float] | None:
        """Return a site's fact from a visit of another role than document: name, bytes, valid seconds."""
        ...

    async def close(self) -> None:
        """Let go of connections and descriptors."""
        ...
