"""Explanation of an address at which there was a document: where it is now, or when and why it was deleted."""

from __future__ import annotations

import sqlalchemy as sa

from cormorant.base.clock import timestamp
from cormorant.frontier.staging import pending_deletes
from cormorant.model.outcome import OutcomeKind
from cormorant.model.status import Status, describe
from cormorant.operate.checks import remedies
from cormorant.operate.documents.source_addresses import SourceAddresses
from cormorant.operate.explain import explain_unknown
from cormorant.operate.installation import Installation
from cormorant.operate.records.explanations import Explanation, Visit
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import tombstones, visits
from cormorant.store.journal.tombstones import Tombstone
from cormorant.store.schema import resource

_MOVED_TO = "Nothing to do; set links to the new address when you can."
_PERMANENT = "Nothing to do if that was meant. If it comes back, the next crawl finds it again."


def explain(house: Installation, tx: Tx, addresses: SourceAddresses, address: str) -> Explanation | None:
    """Explain an address that the source has no resource for, but had a document at; None where it had none.

    A ruling that excludes the address today, or was met since, says more, and is left to the caller.
    """
    owner = addresses.owner
    for meant in addresses.meanings(address):
        stone = tombstones.at(tx, owner.id, meant)
        if stone is not None:
            break
    else:
        return None
    now_at = _now_at(tx, stone)
    if now_at is not None:
        return _moved(owner, stone, *now_at)
    if not stone.status or _is_ruled_since(house, tx, owner, stone):
        return None  # of its move alone is known, and not what became of it
    return _deleted(owner, stone)


def _now_at(tx: Tx, stone: Tombstone) -> tuple[str, str] | None:
    """Return the address of a document that moved, and what ended it there, "" if nothing did; None if unknown."""
    if stone.status:
        return None
    columns = resource.c
    rows = tx.rows(sa.select(columns.address, columns.outcome).where(columns.id == stone.resource_id))
    if rows:
        return str(rows[0].address), since(tx, stone.resource_id) if rows[0].outcome == OutcomeKind.GONE else ""
    last = tombstones.deletion_of(tx, stone.resource_id)
    return (last.address, f" It {_deletion(last)}") if last is not None else None


def since(tx: Tx, number: int) -> str:
    """Return the sentence that says when a document that is gone was found to be, "" where no visit says so."""
    gone = [each for each in visits.of(tx, number) if each.outcome == OutcomeKind.GONE]
    return f" It has been gone since {timestamp(gone[-1].at)} (run {gone[-1].run})." if gone else ""


def dated(tx: Tx, number: int, because: str) -> str:
    """Add to the sentence about a document that is gone since when it is."""
    return f"{because.removesuffix('.')}.{since(tx, number)}"


def _moved(owner: SourceRow, stone: Tombstone, now_at: str, ended: str) -> Explanation:
    """Explain the address of a document that is at another one, or was until it `ended`."""
    at = timestamp(stone.at)
    where = f"; it was at {now_at} last." if ended else f" and is now at {now_at}."
    return {
        **explain_unknown.empty(stone.address),
        "source": owner.name, "verdict": "gone" if ended else "not_indexed",
        "because": f"The document was moved on {at} (run {stone.run}){where}{ended}",
        "status": int(Status.HTTP_REDIRECT), "status_text": describe(Status.HTTP_REDIRECT).text,
        "advice": _PERMANENT if ended else _MOVED_TO,
        "visits": [_visit(stone, OutcomeKind.MOVED, "address", f"It was moved to {now_at}.")],
        "moved_to": {"address": now_at, "at": at, "run": stone.run},
    }  # fmt: skip


def _deleted(owner: SourceRow, stone: Tombstone) -> Explanation:
    sentence = _deletion(stone)
    return {
        **explain_unknown.empty(stone.address),
        "source": owner.name, "verdict": "gone", "because": f"The document {sentence}",
        "status": stone.status, "status_text": describe(stone.status).text,
        "advice": _PERMANENT if stone.reason else remedies.advice(stone.status, stone.address),
        "visits": [_visit(stone, OutcomeKind.GONE, "outcome", stone.reason)],
    }  # fmt: skip


def _deletion(stone: Tombstone) -> str:
    """Return the end of a sentence about a deletion: when, and why."""
    why = stone.reason or f"{stone.status} {describe(stone.status).text}"
    return f"was deleted on {timestamp(stone.at)} (run {stone.run}): {why}."


def _visit(stone: Tombstone, outcome: OutcomeKind, changed: str, reason: str | None) -> Visit:
    return {
        "time": timestamp(stone.at), "run": stone.run, "outcome": outcome.name.lower(),
        "status": stone.status or int(Status.HTTP_REDIRECT), "bytes": 0, "hash": None, "changed": changed,
        "reason": reason,
    }  # fmt: skip


def _is_ruled_since(house: Installation, tx: Tx, owner: SourceRow, stone: Tombstone) -> bool:
    """Return whether a rule excludes the address: one that a later run met, or a setting of a source that lists."""
    later = any(each.run > stone.run for each in visits.exclusions(tx, owner.id, [stone.hash]))
    if later or stone.reason != pending_deletes.ABSENT:
        return later
    said = explain_unknown.unlisted(house, tx, owner, stone.address, explain_unknown.empty(stone.address))
    return said is not None and said["verdict"] == "excluded"
