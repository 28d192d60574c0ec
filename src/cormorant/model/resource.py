"""Resources that can be visited, and discovered URLs that may become resources."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from cormorant.model.exposure import Closure


class Role(IntEnum):
    """The purpose of a resource. All roles are leased, paced, counted and settled alike."""

    DOCUMENT = 0
    ROBOTS = 1
    SITEMAP = 2
    PROBE = 3
    COLLECTION = 4


class DiscoveredBy(IntEnum):
    """The way in which a URL was first discovered."""

    SEED = 0
    LINK = 1
    REDIRECT = 2
    LISTING = 3
    SITEMAP = 4
    CANONICAL = 5
    PUSH = 6
    PREREQUISITE = 7
    ROBOTS = 8
    MEMBER = 9


BY_LINK = (int(DiscoveredBy.LINK), int(DiscoveredBy.REDIRECT))
"""Ways of discovery of addresses that exist as long as something links to them."""


class UrlState(IntEnum):
    """The first dimension of a resource's state; the outcome of its last visit is the second.

    (found) -> READY --visit--> READY again for the next generation   (SEEDS)
                 ^  `--visit--> SETTLED                               (LISTING, FEED)
                 `-- listing shows another validator -- SETTLED
    any --purge--> (no row)
    """

    READY = 0
    SETTLED = 1


BY_FACT = 0
"""The referrer of a resource that a fact of a site led to: a visit of another source may have found the fact."""


SETS = ("todo", "found", "finished", "old", "error", "excluded")
"""The sets by which known addresses are counted."""


class DiscoveredUrl(NamedTuple):
    """A resource that discovery yields or a link names, after the follow gate admitted it.

    `validator` is the version as the source names it, "" if it has none. `site` is the key of its site. `priority` is 0
    (first) to 255 (last), see `frontier/policy/priority.py`. `display` is the displayed address, "" for the same.
    `closure` is the reason why other users of its machine may not read it, if everyone is to find it.
    """

    address: str
    site: str
    depth: int = 0
    how: DiscoveredBy = DiscoveredBy.LINK
    role: Role = Role.DOCUMENT
    referrer: int | None = None
    validator: str = ""
    priority: int = 128
    display: str = ""
    closure: Closure | None = None


class Removal(NamedTuple):
    """A FEED source reports that this address is gone."""

    address: str


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to visit a site's resources until a deadline. The epoch fences late writers.

    `until` is store time in epoch seconds.
    """

    site: int
    key: str
    epoch: int
    until: float


class Resource(NamedTuple):
    """One thing that a source can fetch, as the frontier passes it to a worker, with data of its last visit.

    `etag`, `modified` (the Last-Modified text) and `validator` are "" when unknown; hashes are b"" before the first
    successful visit. `attempts` counts failed visits in a row. `outcome` is the number of the last visit's outcome.
    `before` is the former text's hash if no version is compared and changes are reported all the same: in a forced run,
    and if a lost copy has to be stored again, which is `renewed`. `display` is the displayed address unless the source
    determines it, else "".
    """

    id: int
    source: int
    site: int
    address: str
    role: Role
    depth: int
    attempts: int
    outcome: int
    status: int
    etag: str
    modified: str
    validator: str
    content_hash: bytes
    text_hash: bytes
    acl: int
    indexed: bool
    before: bytes = b""
    display: str = ""
    renewed: bool = False
