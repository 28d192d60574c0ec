"""Restricted documents of a source: how many are hidden because not everyone may read their files, and the remedy.

Until there are users, the only reader is everyone, so a source with the rights of its files may show no documents.
Readers that the server of a source cannot name are listed too.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import chain, islice
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import CormorantError
from cormorant.model.acl import ACL, ANYONE
from cormorant.operate.checks.problem import CheckContext, RunProblem
from cormorant.operate.installation import Installation
from cormorant.plugins import source_settings
from cormorant.store.catalog import sources
from cormorant.store.catalog.acls import ACLNumbers
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.schema import content

NAMED: Final = 5
"""SIDs that the notice names."""
_GRANTED, _DENIED = "group:S-1-", "user:S-1-"
"""Prefixes of readers that the server could not name, among grants and among denies."""


class Closed(NamedTuple):
    """Of `documents` in the index, `hidden` may not be found by everyone; the sentence names the remedy."""

    documents: int
    hidden: int
    sentence: str


def closed(tx: Tx, owner: SourceRow) -> Closed | None:
    """Count the documents that file rights hide from everyone; None if they hide none, or are ignored."""
    if not _goes_by_files(owner):
        return None
    counted = _counted(tx, owner)
    total = sum(counted.values())
    hidden = sum(count for acl, count in counted.items() if not ANYONE.may_read(acl))
    return Closed(total, hidden, _sentence(owner, hidden, total)) if hidden else None


def _counted(tx: Tx, owner: SourceRow) -> dict[ACL, int]:
    """Return the access lists of the documents in the index, and how many have each."""
    columns, numbers = content.c, ACLNumbers()
    here = sa.and_(columns.source_id == owner.id, columns.indexed)
    rows = tx.rows(sa.select(columns.acl_id, sa.func.count().label("count")).where(here).group_by(columns.acl_id))
    return {numbers.list_of(tx, each.acl_id): each.count for each in rows}


def unresolved(context: CheckContext) -> Iterator[RunProblem]:
    """Yield a line for the newest run of a source about SIDs for which the server knows no account."""
    owner = context.owner
    if owner is None or not context.is_newest or _setting(owner, "sid_lookup", "off") == "off":
        return
    counted = _counted(context.tx, owner)
    sids = sorted(set(chain.from_iterable(_sids(each) for each in counted)))
    if not sids:
        return
    closed_by = sum(count for acl, count in counted.items() if any(each.startswith(_DENIED) for each in acl.denies))
    yield RunProblem("rights", _unnamed(owner, sids, closed_by), {"sids": sids[:NAMED], "addresses": closed_by})


def _sids(acl: ACL) -> Iterator[str]:
    for each, beginning in chain(((each, _GRANTED) for each in acl.grants), ((each, _DENIED) for each in acl.denies)):
        if each.startswith(beginning):
            yield each.partition(":")[2]


def _unnamed(owner: SourceRow, sids: list[str], closed_by: int) -> str:
    named = ", ".join(islice(sids, NAMED)) + (f" and {len(sids) - NAMED:,} more" if len(sids) > NAMED else "")
    hidden = f" {closed_by:,} of its documents are shown to nobody, since one of these is denied." if closed_by else ""
    return (
        f"The server of {owner.name} knows no account for these readers of files: {named}.{hidden} Say who they "
        f"are with `cormorant source edit {shlex.quote(owner.name)} --set 'sid_names=SID=group:NAME'`, or remove them "
        "from the rights of the files."
    )


def problems(context: CheckContext) -> Iterator[RunProblem]:
    """Yield a line about restricted documents for the newest run of a source."""
    owner = context.owner
    if owner is not None and context.is_newest and (found := closed(context.tx, owner)):
        yield RunProblem("rights", found.sentence, {"documents": found.documents, "addresses": found.hidden})


def sentences(house: Installation) -> list[str]:
    """The line about restricted documents of each source that has some."""
    with house.store.read() as tx:
        return [found.sentence for row in sources.every(tx) if (found := closed(tx, row))]


def _goes_by_files(owner: SourceRow) -> bool:
    return bool(_setting(owner, "owner_grants", False))


def _setting(owner: SourceRow, name: str, missing: object) -> object:
    try:
        settings = source_settings(owner.kind, owner.settings)
    except CormorantError:
        return missing
    return getattr(settings, name, missing)


def _sentence(owner: SourceRow, hidden: int, total: int) -> str:
    name, open_to_all = shlex.quote(owner.name), total - hidden
    verb = "is" if open_to_all == 1 else "are"
    return (
        f"{open_to_all:,} of {total:,} documents of {owner.name} {verb} for everyone. The rights of the other files "
        f"do not let every user read them, so search shows those to nobody. {_opening(owner)} "
        f"`cormorant source edit {name} --set owner_grants=false` leaves the "
        "files closed, and still lets everyone who reaches the search page find their contents. After either, crawl "
        "again."
    )


def _opening(owner: SourceRow) -> str:
    """Say how the files themselves are opened."""
    path = str(owner.settings.get("path", ""))
    if not path:
        return "Let everyone read the files on their server, and everyone who reaches the search page finds them."
    return (
        f"`chmod -R o+rX {shlex.quote(path)}` opens the whole folder: every account on this machine, also those of "
        "other services, may then read the files, and everyone who reaches the search page finds them."
    )
