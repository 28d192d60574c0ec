"""Explanation of a document that its container, which is known, does not have."""

from __future__ import annotations

from typing import Any

from cormorant.base.clock import timestamp
from cormorant.model.member import container_of, path_within
from cormorant.model.outcome import OutcomeKind
from cormorant.model.status import describe
from cormorant.operate.documents.address_lookup import AddressLookup
from cormorant.operate.records.explanations import Explanation
from cormorant.store.catalog.sources import SourceRow

_READ = (OutcomeKind.OK, OutcomeKind.UNCHANGED)
_SPELLING = "Check its spelling. Results and `cormorant document list` show addresses like {}#/folder/name.txt."


def explain(known: AddressLookup, owner: SourceRow, address: str, record: Explanation) -> Explanation | None:
    """Explain a member that has no row; None where no container around it is known. `record` is what is said else."""
    container, inner = container_of(address), address
    while container and not (rows := _rows(known, owner, container)):
        container, inner = container_of(container), container
    if not container:
        return None
    row, name = rows[0], path_within(inner)
    outcome, status = OutcomeKind(row.outcome), describe(row.status)
    found: Explanation = {**record, "source": owner.name}
    if outcome in _READ:
        when = f" when it was last read, on {timestamp(row.visited_at)} (run {row.run})" if row.visited_at else ""
        because = f"{container} had no {name!r}{when}."
        return {**found, "because": because, "advice": _SPELLING.format(container)}
    if outcome is OutcomeKind.NONE:
        because = f"{container}, in which it would be, has not been visited yet."
        return {**found, "verdict": "pending", "because": because}
    why = f": {row.reason}" if row.reason else ""
    return {
        **found,
        "verdict": "gone" if outcome is OutcomeKind.GONE else "not_indexed",
        "because": f"The last visit of {container}, in which it would be, ended {row.status} {status.text}{why}.",
        "status": row.status, "status_text": status.text,
        "advice": f"`cormorant explain {container}` says more.",
    }  # fmt: skip


def _rows(known: AddressLookup, owner: SourceRow, container: str) -> list[Any]:
    return [row for row in known.at(container) if row.source_id == owner.id]
