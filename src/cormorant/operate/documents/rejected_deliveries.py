"""Rejected deliveries of a document: the reasons why receivers could not take it.

In the words of each, until it takes a newer delivery of it.
"""

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
    """A receiver could not take a document as it was delivered with a number, and why."""

    receiver: str
    kind: str
    seq: int
    reason: str
    at: float

    def record(self) -> RejectedDocumentRecord:
        """Return its record."""
        return {"receiver": self.receiver, "seq": self.seq, "reason": self.reason, "told_at": rfc3339(self.at)}


def of(tx: Tx, numbers: Collection[int]) -> Refusals:
    """Return the rejected deliveries of these documents, at most 1,000."""
    rows = {row.id: row for row in receivers.every(tx)}
    found = rejected_deliveries.of_documents(tx, rows, numbers)
    return {
        number: [
            RejectedDocument(rows[each].name, rows[each].kind, what.seq, what.reason, at) for each, what, at in told
        ]
        for number, told in found.items()
    }


def why(refused: Sequence[RejectedDocument]) -> str:
    """Why they could not take it, as a reason."""
    return "; ".join(f"the receiver {each.receiver!r} rejected it: {each.reason}" for each in refused)


def advice(refused: Sequence[RejectedDocument], address: str) -> str:
    """Return the advice to a person on the rejected deliveries of a document."""
    if all(each.kind == receivers.INDEX for each in refused):
        return f"`cormorant document recrawl {address} --now` fetches it again."
    first = next(each.receiver for each in refused if each.kind != receivers.INDEX)
    return f"After a repair, `cormorant receiver resend {first} --faulty` sends it again."
