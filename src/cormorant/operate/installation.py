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
    """An open installation. `index_reader` and `cache` are made when first needed; both may be asked for again.

    `index_rebuild` waits so many seconds for whoever writes the index to let go of it.

    `searchable` is False when the installation runs without an index; `query_days` is for how many days searches are
    kept, 0: they are not; `excluded_days` for how many excluded addresses are that no page leads to any more;
    `old_copies_bytes` is the room for copies that were replaced; `node` is what this machine is called; `runs_at_once`
    are the runs that may be under way together, None: any number. `egress` makes the way out of an event loop, None
    where nothing may be connected to.
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
        """A source to ask questions of, as its settings are today or as they were at a run; it cannot fetch.

        Raises BadSetting, and what the kind raises, for settings that no longer make one.
        """
        return make_source(
            owner.kind,
            owner.id,
            owner.settings if settings is None else settings,
            Tools(None, self.clock, items=ItemShelf(self.store, owner.id)),
        )
