"""The receiver record: one delivery as JSON, its fields in the order of the interfaces."""

from __future__ import annotations

import msgspec

from cormorant.receivers.protocol import Delivery

UNFIT = (TypeError, ValueError, OverflowError, RecursionError)
"""The exceptions for a value that JSON cannot express."""


class _Record(msgspec.Struct, omit_defaults=True):
    """The receiver record; its fields stand in this order."""

    seq: int
    event: str
    run: int
    source: str
    url: str
    document: object
    text: str
    html: str | None = None
    reference: str | None = None
    previous_seq: int = 0


_ENCODER = msgspec.json.Encoder()


def encoded(delivery: Delivery) -> bytes:
    """Return the record of a delivery on one line, without its line ending. Raises one of `UNFIT`."""
    document = None if delivery.document is None else dict(delivery.document)
    return _ENCODER.encode(
        _Record(
            delivery.seq,
            delivery.event,
            delivery.run,
            delivery.source,
            delivery.url,
            document,
            delivery.text,
            delivery.html,
            delivery.reference,
            delivery.previous_seq,
        )
    )
