"""Restricted documents of a source: how many are not for everyone as their files are not, and the remedy.

Until there are users the only reader is everyone, so whoever goes by the rights of files may search and find nothing.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import CormorantError
from cormorant.model.acl import ANYONE
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.installation import Installation
from cormorant.plugins import source_settings
from cormorant.store.catalog import sources
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.schema import content


class Closed(NamedTuple):
    """Of `documents` in the index, `hidden` may not be found by everyone; the sentence says what to do."""

    documents: int
    hidden: int
    sentence: str


def closed(tx: Tx, owner: SourceRow) -> Closed | None:
    """Count what the rights of files keep from everyone; None when they keep nothing, or do not count."""
    if not _goes_by_files(owner):
        return None
    columns, numbers = content.c, ACLNumbers()
    here = sa.and_(columns.source_id == owner.id, columns.indexed)
    rows = tx.rows(sa.select(columns.acl_id, sa.func.count().label("count")).where(here).group_by(columns.acl_id))
    total = sum(each.count for each in rows)
    hidden = sum(each.count for each in rows if not ANYONE.may_read(numbers.list_of(tx, each.acl_id)))
    return Closed(total, hidden, _sentence(owner, hidden, total)) if hidden else None


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """One line about them, of the newest run of a source."""
    owner = context.owner
    if owner is not None and context.is_newest and (found := closed(context.tx, owner)):
        yield RunProblem("rights", found.sentence, {"documents": found.documents, "addresses": found.hidden})


def sentences(house: Installation) -> list[str]:
    """The same line of every source that has such documents."""
    with house.store.read() as tx:
        return [found.sentence for row in sources.every(tx) if (found := closed(tx, row))]


def _goes_by_files(owner: SourceRow) -> bool:
    try:
        settings = source_settings(owner.kind, owner.settings)
    except CormorantError:
        return False
    return bool(getattr(settings, "owner_grants", False))


def _sentence(owner: SourceRow, hidden: int, total: int) -> str:
    name, path, open_to_all = shlex.quote(owner.name), shlex.quote(str(owner.settings.get("path", ""))), total - hidden
    verb = "is" if open_to_all == 1 else "are"
    return (
        f"{open_to_all:,} of {total:,} documents of {owner.name} {verb} for everyone. The rights of the other files "
        f"do not let every user read them, so search shows those to nobody. `chmod -R o+rX {path}` opens the whole "
        "folder: every account on this machine, also those of other services, may then read the files, and everyone "
        f"who reaches the search page finds them. `cormorant source edit {name} --set owner_grants=false` leaves the "
        "files closed, and still lets everyone who reaches the search page find their contents. After either, crawl "
        "again."
    )
