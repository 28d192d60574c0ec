"""What tests of the frontier are made of: addresses, rows, leases, and time that passes when told to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.frontier.queue.host_leases import LeasedSite, SiteUse
from cormorant.frontier.state import enqueue
from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
from cormorant.frontier.state.writes import ContentRow
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredUrl, Lease, Resource, Role
from cormorant.model.url import fingerprint, origin_of
from cormorant.store.db.database import Store, Tx
from cormorant.store.schema import resource as resource_table, site, site_fact, site_source

SOURCE = 1


def found(address: str, depth: int = 0, priority: int = 128, validator: str = "") -> DiscoveredUrl:
    return DiscoveredUrl(address, origin_of(address).site, depth, priority=priority, validator=validator)


def arrivals(addresses: Iterable[str | DiscoveredUrl], source: int = SOURCE) -> list[NewUrl]:
    items = [found(each) if isinstance(each, str) else each for each in addresses]
    return [NewUrl(each, fingerprint(each.address, source)) for each in items]


def admit(tx: Tx, *addresses: str | DiscoveredUrl, source: int = SOURCE, generation: int = 1) -> int:
    return enqueue.admit(tx, SiteNumbers(), Admission(source, generation, 1), arrivals(addresses, source))


def admitted(store: Store, *addresses: str | DiscoveredUrl, source: int = SOURCE, generation: int = 1) -> int:
    with store.begin() as tx:
        return admit(tx, *addresses, source=source, generation=generation)


def pages(count: int, host: str = "a.example") -> list[str]:
    return [f"https://{host}/{number}" for number in range(count)]


def numbers(tx: Tx) -> dict[str, int]:
    """Resources by address."""
    columns = resource_table.c
    return {row.address: row.id for row in tx.rows(sa.select(columns.address, columns.id))}


def site_numbers(tx: Tx) -> dict[str, int]:
    return {row.key: row.id for row in tx.rows(sa.select(site.c.key, site.c.id))}


class Work(NamedTuple):
    """What is known of a source's work at a site."""

    arrivals: int
    done_generation: int
    not_before: float


def work_of(tx: Tx, source: int = SOURCE, key: str = "a.example") -> Work:
    columns = site_source.c
    statement = sa.select(columns.arrivals, columns.done_generation, columns.not_before)
    return Work(*tx.rows(statement.where(columns.source_id == source, columns.site_id == site_numbers(tx)[key]))[0])


def pass_time(store: Store, seconds: float) -> None:
    """Let every moment that the frontier has written lie that much further back."""
    with store.begin() as tx:
        for table, names in (
            (site, ("lease_until", "not_before", "requested_at")), (site_source, ("not_before",)),
            (resource_table, ("not_before", "visited_at")), (site_fact, ("valid_until",)),
        ):  # fmt: skip
            tx.execute(sa.update(table).values({name: table.c[name] - seconds for name in names}))


def use(leased: LeasedSite, not_before: float = 0.0, failures: int = 0, requested_at: float = 0.0) -> SiteUse:
    known = (leased.not_before, leased.failures)
    return SiteUse(leased.lease, not_before, failures, requested_at, known=known)


def a_resource(number: int = 1, source: int = SOURCE, place: int = 1) -> Resource:
    """A page that was never visited; give it a past with `_replace`."""
    address = f"https://a.example/{number}"
    return Resource(
        number, source, place, address, Role.DOCUMENT, 0, 0, OutcomeKind.NONE, 0, "", "", "", b"", b"", 0, indexed=False
    )


def a_lease(place: int = 1) -> Lease:
    return Lease(place, f"site-{place}", 1, 1e12)


def a_content(number: int, source: int = SOURCE, *, indexed: bool = True) -> ContentRow:
    return ContentRow(
        number, source, f"https://a.example/{number}", "", "", b"c" * 32, b"t" * 32, "text/html", "en", "Title", 1,
        None, 1.0, 1.0, 1, 0, 10, 1, indexed, 0,
    )  # fmt: skip


def owners(store: Store) -> set[int | None]:
    with store.read() as tx:
        return set(tx.execute(sa.select(site.c.owner)).scalars())
