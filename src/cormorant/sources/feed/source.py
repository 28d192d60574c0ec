"""A source of feeds: keeps their entries, and names those that are to be found."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Final
from urllib.parse import quote, unquote

import msgspec

from cormorant.base.errors import LoginRefused, StoreError, Unreachable
from cormorant.base.log import logger
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome
from cormorant.model.pace import Pace
from cormorant.model.resource import DiscoveredUrl, Resource, Role
from cormorant.model.ruling import Gate, Prerequisite, Ruling
from cormorant.model.status import Status
from cormorant.model.url import fingerprint, origin_of
from cormorant.sources.base import BaseFilters, BaseSource, Batches
from cormorant.sources.feed.entry import FeedDocument, entry_content
from cormorant.sources.feed.reader import MAX_PAGES, FeedReader, PageState
from cormorant.sources.feed.settings import FeedSettings
from cormorant.sources.kind import Tools, Unlisted
from cormorant.sources.protocol import Source
from cormorant.store.journal import items
from cormorant.store.journal.items import Item, NewItem

if TYPE_CHECKING:
    from cormorant.store.db.database import Tx
    from cormorant.store.journal.item_shelf import ItemShelf

_log = logger(__name__)
READ_BEFORE: Final = "read"
"""The cursor of a source whose feeds were read before: one that is suddenly empty is not believed then."""
_PAGE: Final = "page:"
"""How the names of marks begin that remember pages of feeds."""
_NOWHERE: Final = "Entries of feeds are kept in the database of the installation, and there is none here."


_LEFT: Final = "Nothing to do; the setting keep says what becomes of entries that left their feed."
_READ: Final = Ruling(True, Gate.BOUNDARY, "feeds are read for their entries")


class FeedGates(BaseFilters):
    """Rulings of a source of feeds: its own entries, and pages that they link to where those are the documents."""

    def __init__(self, beginning: str, pages: Source | None) -> None:
        super().__init__([beginning])
        self._beginning, self._pages = beginning, pages

    def follow(self, address: str, depth: int) -> Ruling:
        """Rule whether an address may be visited. Pages of the web are as a web source has it, without their links."""
        if self._pages is None or address.startswith(self._beginning):
            return super().follow(address, depth)
        return self._pages.gates.follow(address, depth)

    def visit(self, resource: Resource, facts: Mapping[str, bytes]) -> Ruling | Prerequisite:
        """Ask robots.txt for pages of the web."""
        if self._pages is None or resource.address.startswith(self._beginning):
            return super().visit(resource, facts)
        return self._pages.gates.visit(resource, facts)

    def read(self, content: Content) -> Ruling:
        """Let all fetched content be read."""
        if self._pages is None or content.address.startswith(self._beginning):
            return super().read(content)
        return self._pages.gates.read(content)


class FeedSource(BaseSource[FeedSettings]):
    """Entries of feeds. `pages` reads the pages that entries link to, None where entries are the documents."""

    kind: ClassVar[str] = "feed"
    about: ClassVar[str] = "Entries of RSS, Atom and JSON feeds, or the pages that they link to."
    Settings = FeedSettings
    shows_otherwise = True
    noun: ClassVar[str] = "entry"
    advice: ClassVar[Mapping[int, str]] = {
        Status.NOT_FOUND: _LEFT,
        Status.GONE: _LEFT,
        Status.UNREADABLE: "Crawl its source with --force, which reads the feeds again.",
    }

    def __init__(self, number: int, settings: FeedSettings, tools: Tools, pages: Source | None = None) -> None:
        super().__init__(number, settings, tools)
        self._pages = pages if settings.content == "link" else None
        self._gates = FeedGates(self._beginning, self._pages)

    def discover(self, cursor: str) -> Batches:
        """Read the feeds, keep what is new, and yield every entry that is kept.

        Raises Unreachable when no feed could be read; one that could not stays as it was, and is in `unlisted`.
        """
        if self.tools.egress is None:
            raise Unreachable("Feeds cannot be read here, since there is no way out.")
        shelf, reader = self._shelf(), self._reader()
        self.unlisted, self.next_cursor = [], ""
        try:
            feeds = reader.feeds()
            faults = list[str]()
            for feed in feeds:
                yield []
                fault = self._refresh(reader, shelf, feed, believes=cursor != READ_BEFORE)
                faults += [fault] if fault else []
        finally:
            reader.close()
        if feeds and len(faults) == len(feeds):
            raise Unreachable(
                faults[0] if len(faults) == 1 else f"None of {len(faults)} feeds can be read. {faults[0]}"
            )
        self._expire(shelf, feeds)
        yield from self._kept(shelf)
        self.next_cursor = READ_BEFORE

    def absence(self, address: str) -> Unlisted | None:
        """Return why no entry has an address; of a feed itself, that its entries are the documents."""
        if address in self.settings.feeds:
            return Unlisted(_READ, "It is a feed, and its entries are the documents.", "Ask for an entry of it.")
        return super().absence(address)

    def _reader(self) -> FeedReader:
        assert self.tools.egress is not None  # noqa: S101 - asked before
        return FeedReader(self.settings, self.tools.clock, self.tools.egress, self.tools.secrets)

    def _refresh(self, reader: FeedReader, shelf: ItemShelf, feed: str, *, believes: bool) -> str:
        """Read a feed and keep its entries; returns why it cannot be read, "" when it could.

        With `believes` a feed without entries is taken as it is, though it had some.
        """
        with shelf.writing() as (tx, source):
            known = _known_pages(tx, source, feed)
        read, fresh, whole = dict[str, PageState](), list[FeedDocument](), True
        try:
            for page in reader.pages(feed, {} if believes else known):
                read[page.address] = page.state
                fresh += page.entries or ()
                whole &= page.state.is_whole and len(read) < MAX_PAGES
        except LoginRefused:
            raise
        except Unreachable as error:
            _log.warning("feed unread", extra={"source": self.number, "feed": feed, "reason": error.sentence})
            self.unlisted.append(feed)
            if not read:
                return error.sentence
            whole = False  # its first pages are news all the same
        named = {key for state in read.values() for key in state.keys}
        had = any(state.keys for state in known.values())
        if not named and had and not believes:
            self.unlisted.append(feed)
            return f"{feed} has no entries, and had some before. If that is right, crawl with --force."
        with shelf.writing() as (tx, source):
            _keep(tx, source, feed, fresh)
            if whole:
                _note_absent(tx, source, feed, named, self.settings.keep_s)
            items.set_mark(tx, source, _PAGE + feed, json.dumps(read))
        return ""

    def _expire(self, shelf: ItemShelf, feeds: Sequence[str]) -> None:
        """Let go of entries whose time is over, and of those whose feed is not read any more."""
        keep_s, parts = self.settings.keep_s, {part_of(each) for each in feeds}
        with shelf.writing() as (tx, source):
            now, seq = tx.now(), items.head(tx, source)
            for page in items.there(tx, source):
                over = [
                    each for each in page
                    if each.part not in parts
                    or (keep_s is not None and each.version is not None and now - each.version >= keep_s)
                ]  # fmt: skip
                items.drop(tx, over, seq + 1)

    def _kept(self, shelf: ItemShelf) -> Batches:
        """Yield what is kept: each address once, and entries shown as their link where no other is."""
        seen = set[int]()
        for page in shelf.since(0, shelf.head()):
            batch = list[DiscoveredUrl]()
            for each in page:
                found = self._named(each, seen) if not each.gone else None
                if found is not None:
                    batch.append(found)
            yield batch

    def _named(self, each: Item, seen: set[int]) -> DiscoveredUrl | None:
        key = fingerprint(each.shown, 0) if each.shown else 0
        is_first = key not in seen
        if key:
            seen.add(key)
        if self._pages is None:
            address = self.entry_address(each.part, each.name)
            shown = each.shown if key and is_first else ""
            return self.found("", each.digest, shown)._replace(address=address, site=origin_of(address).site)
        if not key or not is_first:
            return None
        return self.found("", each.digest)._replace(address=each.shown, site=origin_of(each.shown).site)

    def entry_address(self, part: str, name: str) -> str:
        """Return the address of an entry, by the short name of its feed and its key."""
        return f"{self._beginning}{part}/~{quote(name, safe='')}"

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Read a kept entry, or fetch the page that one links to."""
        if self._pages is not None and not resource.address.startswith(self._beginning):
            return await self._pages.fetch(resource, wire)
        part, _, name = resource.address.removeprefix(self._beginning).partition("/~")
        try:
            found = await asyncio.to_thread(self._shelf().item, unquote(name), part)
            entry = msgspec.json.decode(found[1], type=FeedDocument) if found is not None else None
        except Unreachable as error:
            return Deferred(Status.IO_ERROR, error.sentence, whole_site=True)
        except (StoreError, msgspec.MsgspecError):
            return Failed(Status.UNREADABLE, "The kept entry is damaged.")
        if entry is None or found is None:
            return Gone()
        wire.received += len(found[1])
        wire.decoded += len(found[1])
        return entry_content(resource.address, entry)

    def pace(self, site: str, facts: Mapping[str, bytes]) -> Pace:
        """Return the pace of a web site as a web source has it; kept entries need not be spared."""
        if self._pages is None or site == origin_of(self._beginning).site:
            return super().pace(site, facts)
        return self._pages.pace(site, facts)

    def lane(self, site: str) -> str | None:
        """Return the address that a web site shares its pace by."""
        if self._pages is None or site == origin_of(self._beginning).site:
            return super().lane(site)
        return self._pages.lane(site)

    async def look_up(self, site: str) -> None:
        """Resolve the name of a web site."""
        if self._pages is not None and site != origin_of(self._beginning).site:
            await self._pages.look_up(site)

    def fact(self, content: Content | Outcome, role: Role) -> tuple[str, bytes, float] | None:
        """Learn the robots.txt of a web site."""
        return self._pages.fact(content, role) if self._pages is not None else None

    async def close(self) -> None:
        """Let go of connections."""
        if self._pages is not None:
            await self._pages.close()

    def _shelf(self) -> ItemShelf:
        if self.tools.items is None:
            raise Unreachable(_NOWHERE)
        return self.tools.items


def part_of(feed: str) -> str:
    """Return the short name of a feed, of letters and digits."""
    return hashlib.sha256(feed.encode()).hexdigest()[:16]


def _known_pages(tx: Tx, source: int, feed: str) -> dict[str, PageState]:
    kept = items.mark(tx, source, _PAGE + feed)
    return {} if kept is None else {name: _state(value) for name, value in json.loads(kept).items()}


def _state(value: Sequence[object]) -> PageState:
    etag, modified, keys, following, is_whole = value
    return PageState(str(etag), str(modified), tuple(keys), str(following), bool(is_whole))  # type: ignore[arg-type] # as it was written


def _keep(tx: Tx, source: int, feed: str, fresh: Sequence[FeedDocument]) -> None:
    """Keep entries that are new or say something else than before."""
    part, seq = part_of(feed), items.head(tx, source)
    known = {each.name: each for each in items.named(tx, source, [each.key for each in fresh]) if each.part == part}
    for each in {each.key: each for each in reversed(fresh)}.values():
        before = known.get(each.key)
        if before is not None and not before.gone and before.digest == each.digest:
            continue
        seq += 1
        new = NewItem(each.key, part, None, each.digest, each.link, "{}", msgspec.json.encode(each))
        items.put(tx, source, new, (seq, 0), before)


def _note_absent(tx: Tx, source: int, feed: str, named: set[str], keep_s: float | None) -> None:
    """Note since when entries are missing in their feed; those that are not to be kept go at once."""
    part, now, seq = part_of(feed), int(tx.now()), items.head(tx, source)
    for page in items.there(tx, source, part):
        absent = [each for each in page if each.name not in named]
        if keep_s == 0.0:
            items.drop(tx, absent, seq + 1)
        items.set_versions(tx, [each.id for each in absent if each.version is None], now)
        items.set_versions(tx, [each.id for each in page if each.name in named and each.version is not None], None)
