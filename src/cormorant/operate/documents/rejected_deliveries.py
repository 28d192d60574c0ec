"""Rejected deliveries of a document: the reasons of receivers, kept until they take a newer delivery of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from cormorant.base.clock import rfc3339
from cormorant.operate.records.documents import RejectedDocumentRecord
from cormorant.store.catalog import receivers, rejected_deliveries
from cormorant.store.db.database import Tx

Refusals = dict[int, list["RejectedDocument"]]
"""By document."""


class RejectedDocument(NamedTuple):
    """A delivery of a document that a receiver rejected: its number in the stream, and the reason."""

    receiver: str
    kind: str
    seq: int
    reason: str
    at: float

    def record(self) -> RejectedDocumentRecord:
        """The record for programs."""
        return {"receiver": self.receiver, "seq": self.seq, "reason": self.reason, "told_at": rfc3339(self.at)}


def of(tx: Tx, numbers: Collection[int]) -> Refusals:
    """Return the rejected deliveries of these documents, at most 1,000."""
    rows = {row.id: row for row in receivers.every(tx)}
    found = rejected_deliveries.of_documents(tx, rows, numbers)
    return {
        number: [
            RejectedDocument(rows[each].name, rows[each].kind, what.seq, what.reason, at) for each, what, at in rejected
        ]
        for number, rejected in found.items()
    }


def why(refused: Sequence[RejectedDocument]) -> str:
    """Why receivers rejected it, as a reason."""
    return "; ".join(f"the receiver {each.receiver!r} rejected it: {each.reason}" for each in refused)


def advice(refused: Sequence[RejectedDocument], address: str) -> str:
    """Return the advice to a person on the rejected deliveries of a document."""
    if all(each.kind == receivers.INDEX for each in refused):
        return f"`cormorant document recrawl {address} --now` fetches it again."
    first = next(each.receiver for each in refused if each.kind != receivers.INDEX)
    return f"After a repair, `cormorant receiver resend {first} --faulty` sends it again."
