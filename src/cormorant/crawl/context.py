"""Objects of which a retriever process has exactly one."""

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
    """Shared objects of a retriever process: name, store, cache, and memory of URLs and numbers."""

    owner: str
    store: Store
    cache: Cache
    seen: SeenUrls
    sites: SiteNumbers
    acls: ACLNumbers
    keys: SiteKeys
    steps: Steps
