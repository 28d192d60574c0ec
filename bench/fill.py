"""How does a frontier come to know millions of addresses, without a crawl that finds them?

Run as ``python -m bench.fill DATA COUNT SITE...`` by the Python that has the product, on an installation whose one
source has not been crawled. The rows are what the product's own code would write of pages that moved, and so have no
document: :func:`cormorant.frontier.policy.transition.fate` says what they hold, ``cormorant.store.db.bulk`` writes
them. They are due again in the second generation, so the first crawl knows them all and visits none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench import addresses
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings
from cormorant.frontier.policy.transition import VisitConditions, fate
from cormorant.frontier.queue import host_leases
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import SiteNumbers
from cormorant.model.outcome import Moved
from cormorant.model.resource import DiscoveredBy, Resource, Role
from cormorant.model.url import fingerprint
from cormorant.operate.installation import Installation
from cormorant.operate.sources import sources
from cormorant.store.db import bulk
from cormorant.store.schema import resource

GENERATION = 1
"""The first crawl counts up to it; its visits are what is pretended here."""
_DEPTH = 3
_CHUNK = 10_000
_COLUMNS = (
    "source_id", "site_id", "hash", "role", "depth", "how", "address",
    "state", "due", "attempts", "outcome", "status", "not_before", "reason", "run", "visits", "visited_at",
)  # fmt: skip


def fill(house: Installation, count: int, crawled: Sequence[str]) -> None:
    """Make the one source of an installation know ``count`` addresses, half of them on the sites it crawls."""
    (source,) = sources.every(house)
    numbers = _sites(house, source.id, {*crawled, *addresses.OTHERS})
    left = _left_by_a_visit(source.id, house.clock.now())
    for start in range(0, count, _CHUNK):
        chosen = range(start, min(start + _CHUNK, count))
        rows = list(_rows(source.id, numbers, (addresses.known(number, crawled) for number in chosen), left))
        with house.store.begin() as tx:
            bulk.insert(tx, resource, _COLUMNS, rows)


def _sites(house: Installation, source: int, keys: set[str]) -> dict[str, int]:
    """Make rows of the sites, where the source has nothing left to do in the generation; key -> number."""
    with house.store.begin() as tx:
        numbers = SiteNumbers().of(tx, keys)
        enqueue.wake(tx, source, set(numbers.values()), GENERATION)
        for number in numbers.values():
            host_leases.finish(tx, number, source, GENERATION, arrivals=1, not_before=0.0)
    return numbers


def _left_by_a_visit(source: int, now: float) -> tuple[Any, ...]:
    """The values of a row after a visit that met a permanent redirect, in the order of the later columns."""
    visited = Resource(
        0, source, 0, "", Role.DOCUMENT, _DEPTH, 0, 0, 0, "", "", "", b"", b"", 0, indexed=False,
    )  # fmt: skip
    after = fate(visited, Moved("http://moved.known.example/"), VisitConditions(GENERATION, lists=False, now=now))
    state, outcome = int(after.state), int(after.outcome)
    return state, after.due, after.attempts, outcome, after.status, after.not_before, after.reason, 0, 1, now


def _rows(
    source: int, numbers: dict[str, int], chosen: Iterator[addresses.Known], left: tuple[Any, ...]
) -> Iterator[tuple[Any, ...]]:
    """The rows of these addresses."""
    role, how = int(Role.DOCUMENT), int(DiscoveredBy.LINK)
    for site, address in chosen:
        yield (source, numbers[site], fingerprint(address, source), role, _DEPTH, how, address, *left)


def main(data: str, count: str, *crawled: str) -> None:
    """Fill the installation in a data folder."""
    house = open_house(BuildPlan(Path(data), InstallationSettings()))
    fill(house, int(count), crawled)
    house.store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
