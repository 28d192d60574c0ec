"""A source with working defaults: a kind of source needs settings, `discover` and `fetch`, and no more.

    class TicketSource(BaseSource[TicketSettings]):
        kind, about, Settings = "tickets", "Tickets of a help desk.", TicketSettings

        def discover(self, cursor): ...     # yields batches of self.found("17", version)
        async def fetch(self, resource, wire): ...     # self.key_of(resource.address) is "17"

Documents have addresses like tickets://3/17: the kind, the number of the source, and a key that the kind chooses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Generic, TypeAlias, TypeVar
from urllib.parse import quote, unquote

from cormorant.base.clock import SystemClock
from cormorant.base.errors import Unreachable
from cormorant.model.attribute import AttributeType
from cormorant.model.content import Content, Extraction, VisitTrace
from cormorant.model.member import outermost
from cormorant.model.outcome import Outcome
from cormorant.model.pace import Pace
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, Resource, Role
from cormorant.model.ruling import ADMITTED, Gate, Prerequisite, Renamed, Ruling
from cormorant.model.settings.secret_name import SECRET
from cormorant.model.settings.source import SourceSettings
from cormorant.model.status import Status
from cormorant.model.url import MAX_ADDRESS, canonical, origin_of, try_canonical
from cormorant.sources.kind import OWNER, DeclaredParameter, Tools, Unlisted
from cormorant.sources.protocol import Discovery, Source, UrlFilters
from cormorant.sources.rules.index_rules import Facts
from cormorant.sources.server_settings import PARALLEL, PacedSettings

S = TypeVar("S", bound=SourceSettings)

Batches: TypeAlias = Iterator[Sequence[DiscoveredUrl | Removal]]
"""Batches that `discover` yields."""
_TOO_LONG = Ruling(False, Gate.ADDRESS, f"an address has at most {MAX_ADDRESS} characters", Status.ADDRESS_TOO_LONG)
_SPELLED = Ruling(False, Gate.ADDRESS, "an address is written in one way only", Status.OUTSIDE_BOUNDARY)
_NO_SITEMAP = Ruling(False, Gate.BOUNDARY, "this kind of source has no sitemaps", Status.OUTSIDE_BOUNDARY)


class BaseFilters:
    """Rulings that admit every document whose address begins as those of its source do."""

    def __init__(self, beginnings: Collection[str]) -> None:
        self._beginnings = tuple(beginnings)
        self._outside = Ruling(False, Gate.BOUNDARY, f"begins with {' or '.join(beginnings)}", Status.OUTSIDE_BOUNDARY)

    def follow(self, address: str, depth: int) -> Ruling:  # noqa: ARG002 - a kind may count levels
        """Rule whether an address may be visited."""
        if len(address) > MAX_ADDRESS:
            return _TOO_LONG
        address = outermost(address)
        if not address.startswith(self._beginnings):
            return self._outside
        return ADMITTED if try_canonical(address) == address else _SPELLED

    def consult(self, address: str, depth: int) -> Ruling:  # noqa: ARG002 - whatever it is
        """No sitemap is read."""
        return _NO_SITEMAP

    def rulings(self, address: str, depth: int) -> Sequence[Ruling]:
        """The one ruling."""
        return [self.follow(address, depth)]

    def find(self, address: str, facts: Facts | None) -> Ruling | None:  # noqa: ARG002 - a kind may look at them
        """Let every document that was read be found."""
        return ADMITTED

    def met(self, rules: Collection[str], addresses: Sequence[str]) -> set[str]:
        """Return those of the rules that decide about any of the addresses."""
        return {self.follow(address, 0).rule for address in addresses}.intersection(rules)

    def visit(self, resource: Resource, facts: Mapping[str, bytes]) -> Ruling | Prerequisite:  # noqa: ARG002 - as above
        """The same as `follow`, once more: settings may have changed."""
        return self.follow(resource.address, resource.depth)

    def read(self, content: Content) -> Ruling:  # noqa: ARG002 - whatever its type
        """Let all fetched content be read."""
        return ADMITTED

    def index(self, content: Content, extraction: Extraction) -> Ruling:  # noqa: ARG002 - whatever it says
        """Let every document that was read be delivered."""
        return ADMITTED


def absence_of(source: Source, address: str) -> Unlisted | None:
    """Return why no listing of a BaseSource names an address; None where it cannot tell."""
    return source.absence(address) if isinstance(source, BaseSource) else None


class BaseSource(ABC, Generic[S]):
    """A source that lists everything it has. Subclasses give `kind`, `about`, `Settings`, `discover` and `fetch`.

    A document that `discover` no longer names is deleted, so it raises Unreachable when it cannot name everything.
    `fetch` runs on an event loop: what takes long and does not await goes to a thread (`asyncio.to_thread`).
    """

    kind: ClassVar[str]
    """The name of the entry point; addresses begin with it."""
    about: ClassVar[str]
    """The purpose of the kind, in a sentence."""
    Settings: ClassVar[type[SourceSettings]] = SourceSettings
    advice: ClassVar[Mapping[int, str]] = {}
    """Advice on a status, by its number, where it differs from that for web sites."""
    attribute_types: Mapping[str, AttributeType] = {}
    """The types of attributes that documents of the kind bring: they are known before the first document comes."""
    discovery: ClassVar[Discovery] = Discovery.LISTING
    noun: ClassVar[str] = "document"
    """The word for one of its documents, like row or entry."""
    live: ClassVar[bool] = False
    """Whether it has no documents, and is asked with the queries of readers: then it is a `LiveSource` as well."""
    shows_otherwise = False
    tracks_moves = False
    rereads_moved = True
    next_cursor = ""
    blind = ""

    def __init__(self, number: int, settings: S, tools: Tools) -> None:
        self.number, self._settings, self.tools = number, settings, tools
        self.unlisted: list[str] = []
        self.unlisted_reason = ""
        self.closed: list[str] = []
        self.vetoed: list[str] = []
        self.value_lists: dict[str, dict[str, dict[str, str]]] = {}
        self._beginning = canonical(f"{self.kind}://{number}/")
        self._gates: UrlFilters = BaseFilters([self._beginning])

    @classmethod
    def look(cls, settings: S) -> None:
        """See, when a source is added or edited, whether its place is there. Raises BadSetting or Unreachable."""

    @classmethod
    def declared(cls, settings: S) -> Sequence[DeclaredParameter]:  # noqa: ARG003 - a kind may ask its place
        """Return the parameters that only the place knows. Raises what `look` raises."""
        return ()

    @classmethod
    def meant_by(cls, number: int, settings: S, text: str) -> Sequence[str]:
        """Return the addresses of the documents that a person may mean by a text that is no address: here its key."""
        if text.startswith("/"):
            return ()
        try:
            return (cls(number, settings, Tools(None, SystemClock())).address_of(text),)
        except UnicodeEncodeError:  # bytes of an argument that are no UTF-8
            return ()

    def absence(self, address: str) -> Unlisted | None:
        """Return why no listing names an address, without a request; None where the kind cannot tell."""
        if not address.startswith(self._beginning) or self.discovery is not Discovery.LISTING:
            return None
        ruling = self.gates.follow(address, 0)
        if not ruling.admitted:
            return Unlisted(ruling)
        return Unlisted(
            ruling,
            f"There is no such {self.noun}, it was added after the last crawl, or settings leave it out.",
            f"Check its spelling; run `cormorant crawl {OWNER}` if it was added since.",
        )

    @property
    def settings(self) -> S:
        """The settings it was built from."""
        return self._settings

    @property
    def gates(self) -> UrlFilters:
        """Its rulings."""
        return self._gates

    @abstractmethod
    def discover(self, cursor: str) -> Batches:
        """Yield batches of what there is; see `sources.protocol.Source.discover`."""

    @abstractmethod
    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Return one document, or the outcome that says why there is none (Gone, Deferred, Failed)."""

    def found(self, key: str, version: str = "", display: str = "") -> DiscoveredUrl:
        """Return what `discover` yields of a document. It is fetched again when its version is another one.

        Without a version it is fetched at each crawl. A kind whose versions belong to one document wherever it lies may
        set `tracks_moves`: then one that was moved keeps its history. It is read again, unless the kind sets
        `rereads_moved` to False, since neither its attributes nor its rights depend on its place.
        `display` is the address that readers see, where it is another than that of the document; such a kind sets
        `shows_otherwise`.
        """
        address = self.address_of(key)
        return DiscoveredUrl(
            address, origin_of(address).site, how=DiscoveredBy.LISTING, validator=version, display=display
        )

    def address_of(self, key: str) -> str:
        """Return the address of a document, whatever stands in its key; dots alone would name a folder."""
        return self._beginning + ("~" if key in ("", ".", "..") or key.startswith("~") else "") + quote(key, safe="")

    def key_of(self, address: str) -> str:
        """Return the key that `address_of` was given."""
        return unquote(address.removeprefix(self._beginning)).removeprefix("~")

    def secret(self, reference: str) -> str:
        """Return the value of a setting like secret:NAME, "" for "". It is asked for at each use, and never kept.

        Raises NotFoundError for a secret that there is not, Unreachable where secrets are not at hand.
        """
        if not reference:
            return ""
        if self.tools.secrets is None:
            raise Unreachable("The secrets of the installation are not at hand here.")
        return self.tools.secrets.reveal(reference.removeprefix(SECRET))

    def leads(self, facts: Mapping[str, bytes]) -> Sequence[DiscoveredUrl]:  # noqa: ARG002 - there are none
        """Nothing but `discover` leads to a document."""
        return ()

    def pace(self, site: str, facts: Mapping[str, bytes]) -> Pace:  # noqa: ARG002 - the same for every place
        """Return the pace that the settings of a server ask for; without a server, a few documents at once."""
        if isinstance(self._settings, PacedSettings):
            return self._settings.pace(self.tools.clock.now())
        return Pace(0.0, PARALLEL, "this kind of source need not be spared")

    def lane(self, site: str) -> str | None:  # noqa: ARG002 - the same for every place
        """It shares its pace with none."""
        return ""

    async def look_up(self, site: str) -> None:
        """Look up nothing: the place of the source is known."""

    def rename(self, address: str) -> Renamed | None:  # noqa: ARG002 - as it was found
        """A document is known by its own address."""
        return None

    def display(self, address: str) -> str:
        """Return the address that people are shown."""
        return address

    def fact(self, content: Content | Outcome, role: Role) -> tuple[str, bytes, float] | None:  # noqa: ARG002
        """A visit teaches nothing beside its document."""
        return None

    async def close(self) -> None:
        """Let go of connections and descriptors."""
