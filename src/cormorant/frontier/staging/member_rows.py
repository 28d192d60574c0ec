"""Rows of resources that lie in other resources: members of containers, whose referrer is their container."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.frontier.staging.pending_deletes import WAITS
from cormorant.model.outcome import OutcomeKind
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import content, hidden, resource
from cormorant.store.schema.frontier import MEMBERS

MOST_DEPTH: Final = 32
"""The greatest depth of nested containers that is followed."""


class MemberRow(NamedTuple):
    """A member: its resource, its container's resource, its address, its last outcome, and whether it is searchable."""

    id: int
    container: int
    address: str
    outcome: int
    indexed: bool


def of_containers(tx: Tx, containers: Sequence[int], *, every_depth: bool = False) -> dict[int, list[MemberRow]]:
    """Return the members of these resources; with `every_depth` also deeper ones, under the outermost container."""
    found = defaultdict[int, list[MemberRow]](list)
    outermost = {number: number for number in containers}
    layer = list(outermost)
    for _ in range(MOST_DEPTH if every_depth else 1):
        rows = _layer(tx, layer)
        for row in rows:
            found[outermost[row.container]].append(row)
        layer = [row.id for row in rows if row.id not in outermost]
        outermost |= {row.id: outermost[row.container] for row in rows}
        if not layer:
            break
    return found


def versions(tx: Tx, containers: Sequence[int]) -> dict[int, dict[str, str]]:
    """Return the versions of the members in these resources, by address; at most 500 resources."""
    columns = resource.c
    inside = sa.and_(MEMBERS, columns.referrer.in_(containers), columns.outcome != int(OutcomeKind.GONE))
    found: dict[int, dict[str, str]] = {number: {} for number in containers}
    for row in tx.rows(sa.select(columns.referrer, columns.address, columns.validator).where(inside)):
        found[row.referrer][row.address] = row.validator or ""
    return found


def _layer(tx: Tx, containers: Sequence[int]) -> list[MemberRow]:
    columns = resource.c
    statement = (
        sa.select(columns.id, columns.referrer, columns.address, columns.outcome, content.c.indexed)
        .outerjoin(content, content.c.id == columns.id)
        .where(MEMBERS, columns.referrer.in_(sa.bindparam("containers", expanding=True)))
    )
    rows: list[MemberRow] = []
    for start in range(0, len(containers), 1000):
        some = {"containers": list(containers[start : start + 1000])}
        rows += [MemberRow(row[0], row[1], row[2], row[3], bool(row[4])) for row in tx.rows(statement, some)]
    return rows


def addresses(tx: Tx, numbers: Sequence[int]) -> list[str]:
    """Return the addresses of these resources."""
    return [row[1] for row in bulk.select_in(tx, resource, ("id", "address"), "id", numbers)]


def left_behind(tx: Tx, source: int, most: int) -> list[str]:
    """Return addresses of searchable members whose container is not searchable."""
    container, waiting = content.alias("container"), sa.select(hidden.c.id).where(WAITS)
    gone = sa.or_(container.c.id.is_(None), sa.not_(container.c.indexed), container.c.id.in_(waiting))
    statement = (
        sa.select(resource.c.address)
        .join(content, content.c.id == resource.c.id)
        .outerjoin(container, container.c.id == resource.c.referrer)
        .where(MEMBERS, resource.c.source_id == source, content.c.indexed, content.c.id.not_in(waiting), gone)
        .where(resource.c.outcome != int(OutcomeKind.GONE))
        .limit(most)
    )
    return [row[0] for row in tx.rows(statement)]
