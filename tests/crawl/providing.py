"""A provider and its events, for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cormorant.base.clock import SystemClock
from cormorant.crawl.deliver.loop import Provider
from cormorant.crawl.deliver.payload import PayloadLoader, Sink
from cormorant.crawl.deliver.sinks import ReceiverSink
from cormorant.frontier.state import writes
from cormorant.model.run import Refresh
from cormorant.plugins import receiver_kind, receiver_settings
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.record import Frame, encode
from cormorant.store.catalog import receivers, sources
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.catalog.receivers import ReceiverRow
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from tests.clocks import HANG_S
from tests.frontier.samples import a_content, admit, numbers, pages
from tests.receivers.tools import tools


class House:
    """A store with one source, and a provider that works until something is so."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self.folder = store, folder
        self.shelf = PayloadLoader(LocalCache(folder / "cache", SystemClock()), ACLNumbers())
        with store.begin() as tx:
            self.source = sources.add(tx, "web", "docs", {})
            self.run = runs.request(tx, self.source, json.dumps({}), Refresh.ALL, force=False)

    def add(self, kind: str, name: str, **settings: Any) -> None:
        with self.store.begin() as tx:
            receivers.add(tx, kind, name, None, settings, 0)

    def gone(self, count: int, run: int | None = None) -> None:
        """Have so many documents deleted, as far as the stream says."""
        with self.store.begin() as tx:
            head = stream.head(tx)
            entries = [
                NewEvent(self.source, head + n, run or self.run, Event.DELETED, f"https://a.example/{head + n}")
                for n in range(1, count + 1)
            ]
            stream.append(tx, entries)

    def keep(self, count: int) -> list[int]:
        """Keep documents with their copies, as if they had the first numbers of the stream, and tell of none."""
        with self.store.begin() as tx:
            admit(tx, *pages(count), source=self.source)
            known = sorted(numbers(tx).items(), key=lambda each: each[1])
            cache = LocalCache(self.folder / "cache", SystemClock())
            frames = [(number, encode(Frame(url, url, "text/html", "HTTP/1.1 200 OK", b"", b"body", f"text of {url}")))
                      for url, number in known]  # fmt: skip
            places = cache.keep(frames)
            rows = [
                a_content(number, self.source)._replace(
                    url=url, pack=place.pack, pack_offset=place.offset, pack_length=place.length, seq=seq
                )
                for seq, ((url, number), place) in enumerate(zip(known, places, strict=True), 1)
            ]
            writes.contents(tx, rows)
            return [number for _, number in known]

    def row(self, name: str) -> ReceiverRow:
        with self.store.read() as tx:
            return receivers.named(tx, name)

    def head(self) -> int:
        with self.store.read() as tx:
            return stream.head(tx)

    def connect(self, row: ReceiverRow) -> Sink:
        made = receiver_kind(row.kind).make(receiver_settings(row.kind, row.settings), tools())
        return ReceiverSink(made, self.shelf, row.place, row.last_seq)

    def provide(self, until: Callable[[], bool]) -> None:
        """Deliver until something is so."""

        async def work() -> None:
            stop = asyncio.Event()
            providing = asyncio.create_task(Provider(self.store, self.connect, lambda: None).provide(stop))
            try:
                async with asyncio.timeout(HANG_S):
                    while not until():
                        await asyncio.sleep(0.02)
                        assert not providing.done(), providing.exception()
            finally:
                stop.set()
                await providing

        asyncio.run(work())

    def has_all(self, *names: str) -> Callable[[], bool]:
        return lambda: all(self.row(name).place == self.head() and self.row(name).resend is None for name in names)
