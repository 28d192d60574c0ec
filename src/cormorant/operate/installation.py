"""Open installation, on which every operation works."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cormorant.base.clock import Clock
from cormorant.net.egress.guard import Egress
from cormorant.plugins import Source, SourceKind, Tools, make_source
from cormorant.search.index.protocol import IndexReader, IndexWriter
from cormorant.store.blobs.pack_folder import PackFolder
from cormorant.store.blobs.protocol import Cache
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Store
from cormorant.store.journal.item_shelf import ItemShelf


@dataclass(frozen=True, slots=True)
class Installation:
    """An open installation. `index_reader` and `cache` create a reader and a cache on each call.

    `index_rebuild` waits the given seconds for another writer to release the index.

    `searchable` is False if the installation runs without an index; `query_days` is the number of days for which
    searches are kept, 0: they are not; `excluded_days` the same for excluded addresses that no page links to any more;
    `old_copies_bytes` is the space for replaced copies; `node` is the name of this machine; `runs_at_once` is the
    number of runs that may be under way together, None: any number. `egress` creates the egress of an event loop, None
    if no connections are allowed.
    """

    folder: Path
    store: Store
    clock: Clock
    kinds: Mapping[str, SourceKind]
    cache: Callable[[], Cache]
    index_reader: Callable[[], IndexReader]
    index_writer: Callable[[], IndexWriter]
    index_rebuild: Callable[[float], AbstractContextManager[IndexWriter]]
    index_forget: Callable[[], None]
    packs: PackFolder
    searchable: bool
    query_days: int = 90
    excluded_days: int = 90
    old_copies_bytes: int = 1_000_000_000
    node: str = ""
    runs_at_once: int | None = None
    egress: Callable[[], Egress] | None = None

    def source(self, owner: SourceRow, settings: Mapping[str, Any] | None = None) -> Source:
        """A source with its present settings, or those of a run; it answers questions but cannot fetch.

        Raises BadSetting, and errors of the kind, for settings that are no longer valid.
        """
        return make_source(
            owner.kind,
            owner.id,
            owner.settings if settings is None else settings,
            Tools(None, self.clock, items=ItemShelf(self.store, owner.id)),
        )
