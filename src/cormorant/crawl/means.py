"""What does a retriever process have one of?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cormorant.base.steps import Steps
    from cormorant.cache.protocol import Cache
    from cormorant.catalog.acls import ACLNumbers
    from cormorant.crawl.gates import SiteKeys
    from cormorant.frontier.admission import SiteNumbers
    from cormorant.frontier.known import Seen
    from cormorant.store.database import Store


@dataclass(frozen=True, slots=True)
class Means:
    """What a retriever process has one of: its name, the store, its cache, its memory of addresses and numbers."""

    owner: str
    store: Store
    cache: Cache
    seen: Seen
    sites: SiteNumbers
    acls: ACLNumbers
    keys: SiteKeys
    steps: Steps
