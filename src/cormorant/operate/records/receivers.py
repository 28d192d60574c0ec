"""Records of receivers, and of what they could not take."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cormorant.operate.records.record import Record, SettingValues, When


class ReceiverRecord(Record):
    """Receiver of deliveries, and its position in the stream."""

    receiver: str
    kind: str
    source: Annotated[str | None, Field(description="None: documents of all sources.")]
    settings: Annotated[SettingValues, Field(description="As they were given; secrets only by name.")]
    place: Annotated[int, Field(description="Number of the newest delivery that it has confirmed.")]
    backlog: Annotated[int, Field(description="Deliveries that wait for it, including those to be sent again.")]
    paused: bool
    error: str | None
    made_anew: Annotated[
        bool, Field(description="For the index: a rebuild is under way, and new documents wait for it.")
    ]
    refused: int
    refusal: Annotated[str | None, Field(description="The newest.")]
    faulty: Annotated[int, Field(description="Documents that it rejected in their newest state.")]
    failures: Annotated[int, Field(description="In a row.")]
    next_try_at: When
    resending: Annotated[int, Field(description="Documents that are still to be sent again.")]
    oldest_undelivered_at: When


class Receivers(Record):
    """All receivers, the index among them."""

    receivers: list[ReceiverRecord]


class FaultyDocument(Record):
    """A delivery that a receiver could not take."""

    seq: int
    event: Annotated[str | None, Field(description="None: it was rejected too long ago to know the event.")]
    run: Annotated[int, Field(description="0: it was sent again, or the number is not known any more.")]
    source: str | None
    url: str
    reason: str
    told_at: str


class RejectedDeliveriesRecord(Record):
    """Some of what a receiver could not take, by document. As lines it is all."""

    faulty: list[FaultyDocument]
    total: int


class DeletedReceiver(Record):
    """A receiver that there was."""

    receiver: str
    deleted: bool
