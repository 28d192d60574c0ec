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
"""How addresses are discovered that are there as long as something leads to them."""


class UrlState(IntEnum):
    """The first dimension of a resource's fate; the outcome of its last visit is the second.

    (found) -> READY --visit--> READY again for the next generation   (SEEDS)
                 ^  `--visit--> SETTLED                               (LISTING, FEED)
                 `-- listing shows another validator -- SETTLED
    any --purge--> (no row)
    """

    READY = 0
    SETTLED = 1


BY_FACT = 0
"""The referrer of what a fact of a site led to: a visit of another source may have brought it."""


SETS = ("todo", "found", "finished", "old", "error", "excluded")
"""The states that what is known of an address is told apart by."""


class DiscoveredUrl(NamedTuple):
    """A resource that discovery yields or a link names, after the follow gate admitted it.

    `validator` is the source's own word for its version, "" when it has none. `site` is the key of its site.
    `priority` is 0 (first) to 255 (last), see `frontier/policy/priority.py`. `display` is the address that people are
    shown, "" for the same. `closure` says why others on its machine may not read it, where everyone is to find it.
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
    """A FEED source says that this address is gone."""

    address: str


@dataclass(frozen=True, slots=True)
class Lease:
    """Leave to visit a site's resources until a deadline. The epoch fences late writers.

    `until` is store time in epoch seconds.
    """

    site: int
    key: str
    epoch: int
    until: float


class Resource(NamedTuple):
    """One thing a source can fetch, as the frontier hands it to a worker, with what the last visit left.

    `etag`, `modified` (the Last-Modified text) and `validator` are "" when unknown; hashes are b"" when there was no
    successful visit. `attempts` counts failed visits in a row. `outcome` is the number of the last visit's outcome.
    `before` is the text's hash where nothing is compared and yet is told what has changed: in a forced run, and where a
    lost copy is to be kept anew, which is `renewed`. `display` is the address that people are shown where it is not the
    source's to say, else "".
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
