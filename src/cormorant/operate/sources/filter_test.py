"""Filter test of `source test`: the ruling of each gate on any address, and the rule that decided."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from cormorant.frontier.state import host_facts
from cormorant.model.outcome import Excluded, Ok, Outcome, Unchanged
from cormorant.model.resource import Resource
from cormorant.model.ruling import ADMITTED, Gate, Prerequisite, Ruling
from cormorant.model.url import fingerprint
from cormorant.operate.checks import seeds
from cormorant.operate.installation import Installation
from cormorant.operate.records.explanations import RulingRecord
from cormorant.operate.records.sources import GatesVerdict
from cormorant.plugins import Facts, Source
from cormorant.store.schema import content, resource, site


def wanted(source: Source, address: str) -> dict[str, str] | None:
    """Return the priority level of an address and its rule; None when no rule matches it."""
    level, rule = source.settings.wanted(address)
    return {"level": level.label, "rule": rule} if rule else None


def as_known(house: Installation, source: Source, asked: Resource) -> Resource:
    """The resource with its known depth; an unknown address gets the depth of a link on a start page."""
    key = fingerprint(asked.address, source.number)
    statement = sa.select(resource.c.depth).where(resource.c.source_id == source.number, resource.c.hash == key)
    with house.store.read() as tx:
        known = tx.rows(
            statement.where(
                resource.c.site_id.in_(sa.select(site.c.id).where(site.c.key == source.settings.site_of(asked.address)))
            )
        )
    begins = seeds.named(source)
    linked = begins is not None and asked.address not in begins
    return asked._replace(depth=known[0].depth if known else int(linked))


def verdict(house: Installation, source: Source, asked: Resource) -> GatesVerdict:
    """Return whether an address would be visited and indexed, by gates without a fetch and by stored facts."""
    facts_of, robots = _kept(house, source, asked)
    rows = gates(source, asked, robots)
    if not _decided(rows):
        found = source.gates.find(asked.address, facts_of)
        waits: RulingRecord = {"gate": str(Gate.INDEX), "rule": "it has to be read first", "ruling": "waits"}
        rows.append(waits if found is None else _row(found._replace(gate=Gate.INDEX) if found.admitted else found))
    decided = _decided(rows)
    waiting = any(row["ruling"] == "waits" for row in rows)
    return {
        "ruling": "excludes" if decided else "waits" if waiting else "admits",
        "rule": f"{decided['gate']}: {decided['rule']}" if decided else None, "gates": rows,
        "exit_code": 3 if decided else 0,
    }  # fmt: skip


def _decided(rows: list[RulingRecord]) -> RulingRecord | None:
    return next((row for row in rows if row["ruling"] == "excludes"), None)


def _kept(house: Installation, source: Source, asked: Resource) -> tuple[Facts | None, dict[str, bytes]]:
    """Return the stored facts of the document, and the robots rules of its site."""
    statement = (
        sa.select(content)
        .join(resource, resource.c.id == content.c.id)
        .join(site, site.c.id == resource.c.site_id)
        .where(
            site.c.key == source.settings.site_of(asked.address),
            resource.c.hash == fingerprint(asked.address, source.number),
        )
    )
    with house.store.read() as tx:
        numbers = [
            row.id for row in tx.rows(sa.select(site.c.id).where(site.c.key == source.settings.site_of(asked.address)))
        ]
        robots = {fact.name: fact.value for fact in host_facts.read(tx, numbers, [host_facts.INSTALLATION])}
        read = tx.rows(statement)
    return Facts(read[0].mime, read[0].size_bytes, read[0].modified_at) if read else None, robots


def gates(
    source: Source, asked: Resource, known: Mapping[str, bytes], outcome: Outcome | None = None
) -> list[RulingRecord]:
    """Each gate with its rule and ruling, in order; `outcome` has the ruling of the gates after the fetch."""
    rows = [_row(each) for each in source.gates.rulings(asked.address, asked.depth)]
    if _decided(rows):
        return rows
    visit = source.gates.visit(asked, known)
    if isinstance(visit, Prerequisite):
        asked_first = f"{visit.address} has to be asked for first"
        rows.append({"gate": str(Gate.ROBOTS), "rule": asked_first, "ruling": "waits"})
    elif not visit.admitted:
        rows.append(_row(visit))
    elif visit == ADMITTED and isinstance(source.gates.visit(asked, {}), Prerequisite):  # only robots.txt is asked for
        rows.append(_row(Ruling(True, Gate.ROBOTS, "robots.txt")))
    if isinstance(outcome, Excluded) and not _decided(rows):
        rows.append(_row(outcome.ruling))
    elif isinstance(outcome, Ok | Unchanged):
        rows.append(_row(Ruling(True, Gate.INDEX, "what may be found")))
    return rows


def _row(ruling: Ruling) -> RulingRecord:
    return {"gate": str(ruling.gate), "rule": ruling.rule, "ruling": "admits" if ruling.admitted else "excludes"}
