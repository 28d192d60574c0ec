"""Members of the containers of a batch become resources: each container lists its members completely.

    new or another version -> to be visited        same version -> stays as it is        no longer in it -> removed

Members of a removed member are removed as well. Called in the transaction that settles the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cormorant.crawl.finish import sweep
from cormorant.frontier.staging import member_rows
from cormorant.frontier.staging.pending_deletes import UNPACKED
from cormorant.frontier.state import enqueue
from cormorant.model.member import member_address
from cormorant.model.outcome import OutcomeKind
from cormorant.model.resource import DiscoveredBy, DiscoveredUrl
from cormorant.receivers.stream import Event, NewEvent

if TYPE_CHECKING:
    from cormorant.crawl.commit.batch import BatchRows, ContainerMembers
    from cormorant.frontier.state.enqueue import Admission, SiteNumbers
    from cormorant.store.db.database import Tx


@dataclass(slots=True)
class AdmittedMembers:
    """Counts of members that were admitted and removed; `sites` have new work."""

    new: int = 0
    gone: int = 0
    sites: set[str] = field(default_factory=set)


def admit(
    tx: Tx, numbers: SiteNumbers, order: Admission, containers: Sequence[ContainerMembers], hidden: Sequence[int]
) -> AdmittedMembers:
    """Admit the members that containers list; remove members no longer listed, and members of hidden containers."""
    made = AdmittedMembers()
    known = member_rows.of_containers(tx, [each.resource.id for each in containers if each.resource.outcome])
    gone: list[int] = []
    for container in containers:
        found = list(_listed(container))
        if found:
            admitted = enqueue.admit_listing(tx, numbers, order, found)
            made.new += admitted.new
            if admitted.new or admitted.changed:
                made.sites.add(container.site)
        stays = {each.address for each in found}
        gone += [row.id for row in known.get(container.resource.id, ()) if row.address not in stays]
    leaving = [*gone, *hidden]
    if leaving:
        made.gone = sweep.remove(tx, order.source, order.run, _addresses(tx, gone, leaving), UNPACKED)
    return made


def regrant(tx: Tx, made: BatchRows, source: int, run: int) -> None:
    """Give the members of containers whose rights change with the batch the same rights."""
    if not made.regranted:
        return
    rights = {number: acl for acl, number in made.access}
    rights |= {row.id: row.acl_id for row in made.contents if row.id in made.regranted}
    own = rights.keys() | {row.id for row in made.contents}
    for container, rows in member_rows.of_containers(tx, list(rights), every_depth=True).items():
        for row in rows:
            if row.indexed and row.id not in own:
                made.access.append((rights[container], row.id))
                made.entries.append(NewEvent(source, row.id, run, Event.ACCESS))
                made.regranted.add(row.id)


def _listed(container: ContainerMembers) -> Iterator[DiscoveredUrl]:
    at = container.resource
    for each in container.members:
        address = member_address(at.address, each.path)
        yield DiscoveredUrl(
            address, container.site, at.depth, DiscoveredBy.MEMBER, referrer=at.id, validator=each.version
        )


def _addresses(tx: Tx, gone: Sequence[int], containers: Sequence[int]) -> list[str]:
    """The addresses of members that are gone, and of all members in them or in hidden containers."""
    below = member_rows.of_containers(tx, containers, every_depth=True)
    inner = [row.address for rows in below.values() for row in rows if row.outcome != OutcomeKind.GONE]
    return [*member_rows.addresses(tx, gone), *inner]
