"""A source that programs push to: names what changed since the last run, and reads the kept items."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final, cast
from urllib.parse import quote, unquote

import msgspec

from cormorant.base.errors import StoreError, Unreachable
from cormorant.model.content import Content, Value, VisitTrace
from cormorant.model.outcome import Deferred, Failed, Gone, Outcome
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl, Removal, Resource
from cormorant.model.status import Status
from cormorant.model.url import origin_of
from cormorant.sources.base import BaseSource, Batches
from cormorant.sources.kind import Tools
from cormorant.sources.protocol import Discovery
from cormorant.sources.push.item import ItemRecord
from cormorant.sources.push.settings import PushSettings
from cormorant.store.journal.items import Item

if TYPE_CHECKING:
    from cormorant.store.journal.item_shelf import ItemShelf

POLL_S: Final = 0.25
"""Seconds between two looks for something new."""
AGAIN_S: Final = 300.0
"""Seconds until what a run did not take in is reported once more: the run failed, or its deletions were refused."""
_NOWHERE: Final = "Pushed items are kept in the database of the installation, and there is none here."


class PushSource(BaseSource[PushSettings]):
    """Items that programs push. `discover` gives what changed since a number, and every item for no number."""

    kind: ClassVar[str] = "push"
    about: ClassVar[str] = "Documents that programs send, with their attributes and readers."
    Settings = PushSettings
    discovery: ClassVar[Discovery] = Discovery.FEED
    shows_otherwise = True
    advice: ClassVar[Mapping[int, str]] = {
        Status.NOT_FOUND: "Nothing to do if its sender deleted it; otherwise have it pushed again.",
        Status.UNREADABLE: "Have its sender push it again.",
        Status.NOT_UNIQUE: "Have its sender give each item a `url` of its own, or none.",
    }

    def __init__(self, number: int, settings: PushSettings, tools: Tools) -> None:
        super().__init__(number, settings, tools)
        self._closed = threading.Event()
        self._reported = (0, 0.0)

    def discover(self, cursor: str) -> Batches:
        """Yield what changed since the number in `cursor`, everything there is without one. Raises Unreachable."""
        shelf = self._shelf()
        upto = shelf.head()
        behind = int(cursor) if cursor.isdecimal() else 0
        for page in shelf.since(behind, upto):
            yield [self._named(each) for each in page]
        self.next_cursor = str(upto)

    def _named(self, each: Item) -> DiscoveredUrl | Removal:
        address = self.item_address(each.name, each.part)
        if each.gone:
            return Removal(address)
        site = origin_of(address).site
        return DiscoveredUrl(
            address, site, how=DiscoveredBy.PUSH, validator=each.digest, display=each.shown if not each.part else ""
        )

    def item_address(self, name: str, part: str = "") -> str:
        """Return the address of an item, or of an attachment below it."""
        whole = self.address_of(name)
        return f"{whole}/~{quote(part, safe='')}" if part else whole

    async def fetch(self, resource: Resource, wire: VisitTrace) -> Content | Outcome:
        """Read a kept item. Bytes received are those of its body."""
        key, _, part = resource.address.removeprefix(self._beginning).partition("/~")
        name = unquote(key).removeprefix("~")
        try:
            found = await asyncio.to_thread(self._shelf().item, name, unquote(part))
        except Unreachable as error:
            return Deferred(Status.IO_ERROR, error.sentence, whole_site=True)
        except StoreError as error:
            return Failed(Status.UNREADABLE, error.sentence)
        if found is None:
            return Gone()
        kept, body, whole = found
        wire.received += len(body)
        wire.decoded += len(body)
        return _content(resource.address, kept, body, whole)

    def wait_for_change(self, timeout_s: float) -> bool:
        """Wait until something was pushed that no run has taken in; False when the time is over, or it was closed."""
        clock, shelf = self.tools.clock, self._shelf()
        until = clock.monotonic() + timeout_s
        while not self._closed.is_set():
            newest, now = shelf.ahead(), clock.monotonic()
            if newest and (newest > self._reported[0] or now > self._reported[1] + AGAIN_S):
                self._reported = newest, now
                return True
            if now >= until:
                return False
            self._closed.wait(POLL_S)
        return False

    async def close(self) -> None:
        """End a wait for changes."""
        self._closed.set()

    def _shelf(self) -> ItemShelf:
        if self.tools.items is None:
            raise Unreachable(_NOWHERE)
        return self.tools.items


def _content(address: str, kept: Item, body: bytes, whole: Item | None) -> Content:
    """Return the content of an item. An attachment without rights has those of its item."""
    record = msgspec.json.decode(kept.note, type=ItemRecord)
    acl = record.acl
    if acl is None and whole is not None:
        acl = msgspec.json.decode(whole.note, type=ItemRecord).acl
    return Content(
        address, body, record.media_type, charset="utf-8" if record.is_text else "", validator=kept.digest,
        modified_at=record.modified_at, language=record.language, acl=acl, directives=("nofollow",),
        file_name=record.file_name or kept.part, title=record.title or kept.part,
        attributes=cast("Mapping[str, Value]", record.attributes),
    )  # fmt: skip
