"""Rulings of the gates on an address, by the present settings and the known facts of its site."""

from __future__ import annotations

from typing import Any

from cormorant.base.errors import CormorantError
from cormorant.frontier.state import host_facts
from cormorant.model.resource import Resource, Role
from cormorant.model.ruling import Prerequisite, Ruling
from cormorant.operate.installation import Installation
from cormorant.operate.records.explanations import RulingRecord
from cormorant.plugins import Discovery
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx

ADMITS, EXCLUDES, WAITS, UNKNOWN = "admits", "excludes", "waits", "unknown"


def of_row(house: Installation, tx: Tx, owner: SourceRow, row: Any) -> list[RulingRecord]:
    """Return the rulings on a resource of the source: on following it, and on visiting it."""
    role = Role.SITEMAP if row.role == Role.SITEMAP else Role.DOCUMENT
    return _today(house, tx, owner, _resource(owner, row.address, role, row.depth, row.site_id, row.id))


def of_address(house: Installation, tx: Tx, owner: SourceRow, address: str, site: int | None) -> list[RulingRecord]:
    """Return the rulings on an unknown address, as if a start page of the source linked to it.

    `site` is the id of its site, None if that is unknown; its robots.txt is then unknown too.
    """
    return _today(house, tx, owner, _resource(owner, address, Role.DOCUMENT, None, site or 0, 0))


def admitted(rows: list[RulingRecord]) -> bool:
    """Return whether all these gates admit the address."""
    return all(row["ruling"] in (ADMITS, WAITS) for row in rows)


def _resource(owner: SourceRow, address: str, role: Role, depth: int | None, site: int, number: int) -> Resource:
    """A resource with the only values that rulings depend on. An unknown depth is -1."""
    at = -1 if depth is None else depth
    return Resource(number, owner.id, site, address, role, at, 0, 0, 0, "", "", "", b"", b"", 0, indexed=False)


def _today(house: Installation, tx: Tx, owner: SourceRow, asked: Resource) -> list[RulingRecord]:
    try:
        source = house.source(owner)
    except CormorantError as error:  # a file of start addresses that cannot be read hides nothing else
        return [{"gate": "settings", "rule": error.sentence, "ruling": UNKNOWN}]
    if asked.depth < 0:
        asked = asked._replace(depth=int(source.discovery is Discovery.SEEDS))
    judges = source.gates
    follow = (judges.consult if asked.role is Role.SITEMAP else judges.follow)(asked.address, asked.depth)
    rows = [_ruled("follow", follow)]
    if not asked.id and not follow.admitted:
        return rows
    known = {fact.name: fact.value for fact in host_facts.read(tx, [asked.site], [host_facts.INSTALLATION])}
    visit = judges.visit(asked, known)
    if isinstance(visit, Prerequisite):
        return [*rows, {"gate": "robots", "rule": f"{visit.address} has to be asked for first", "ruling": WAITS}]
    return [*rows, _ruled(str(visit.gate), visit)]


def _ruled(gate: str, ruling: Ruling) -> RulingRecord:
    return {"gate": gate, "rule": ruling.rule, "ruling": ADMITS if ruling.admitted else EXCLUDES}
