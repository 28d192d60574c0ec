"""What does a retriever process have one of?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cormorant.base.profiling import Steps
    from cormorant.crawl.link_filter import SiteKeys
    from cormorant.frontier.queue.seen_urls import SeenUrls
    from cormorant.frontier.state.enqueue import SiteNumbers
    from cormorant.store.blobs.protocol import Cache
    from cormorant.store.catalog.acls import ACLNumbers
    from cormorant.store.db.database import Store


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What a retriever process has one of: its name, the store, its cache, its memory of addresses and numbers."""

    owner: str
    store: Store
    cache: Cache
    seen: SeenUrls
    sites: SiteNumbers
    acls: ACLNumbers
    keys: SiteKeys
    steps: Steps
