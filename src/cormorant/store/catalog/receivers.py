"""The receivers an administrator configured, each with its own place in the stream."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.base.log import logger
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import faulty, receiver

_log = logger(__name__)

_WELL: Final = {"error": None, "failures": 0, "try_at": None, "unmade": False}
"""The columns of a receiver without problems."""
INDEX = "index"
"""Name and kind of the receiver that fills the search index."""
_EVERY: Final = sa.select(receiver).order_by(receiver.c.id)
_INDEX_PLACES: Final = sa.select(receiver.c.place).where(receiver.c.kind == INDEX)
"""Executed with every search, so it is built once."""
LENT_S: Final = 30.0
"""Seconds for which the index is lent at a time: a killed borrower keeps it no longer."""
MOST_REST_S: Final = 2 * 86_400.0
"""A longer rest was written by a clock that has been set back since: no receiver asks for more than a day."""


class Replay(NamedTuple):
    """Replay left to send: documents of a source (None: all of the receiver) after one number, up to another.

    With `faulty` only those that the receiver could not take. `since` is the time of the order (epoch seconds).
    """

    source_id: int | None
    behind: int
    upto: int
    faulty: bool
    since: float | None = None


@dataclass(frozen=True, slots=True)
class ReceiverRow:
    """A configured receiver. `source_id` None means every source.

    It failed `failures` times in a row, and rests until `try_at` (epoch seconds of the store); it is `unmade` if it
    could not be created from its settings. `last_seq` is the number of the last record it took. The index is lent until
    `lent_until` to the process that rebuilds it.
    """

    id: int
    name: str
    kind: str
    source_id: int | None
    settings: Mapping[str, Any]
    place: int
    error: str | None
    paused: bool
    refused: int = 0
    refusal: str | None = None
    failures: int = 0
    try_at: float | None = None
    resend: Replay | None = None
    lent_until: float | None = None
    unmade: bool = False
    last_seq: int = 0

    def is_lent(self, now: float) -> bool:
        """Return whether the receiver is lent for a rebuild.

        The provider leaves it alone then. A clock that was set back does not prolong it.
        """
        return self.lent_until is not None and now < self.lent_until <= now + 2 * LENT_S

    @property
    def label(self) -> str:
        """Name of the receiver in a sentence."""
        if self.kind == INDEX:
            return "the index"
        return f"the receiver {self.name!r}{', which cannot be created' if self.unmade else ''}"

    @property
    def made_of(self) -> tuple[int, str]:
        """Its number and settings: if they change, it is created again."""
        return self.id, json.dumps(self.settings, sort_keys=True)


def add(tx: Tx, kind: str, name: str, source: int | None, settings: Mapping[str, Any], place: int) -> int:
    """Insert a new receiver that begins after `place`. Raises ConflictError if the name is taken."""
    if tx.rows(sa.select(receiver.c.id).where(receiver.c.name == name)):
        raise ConflictError(f"There is a receiver {name!r} already. Choose another name, or delete that one.")
    values = {
        "kind": kind, "name": name, "source_id": source, "settings": json.dumps(settings, sort_keys=True),
        "place": place, "created_at": tx.now(),
    }  # fmt: skip
    return int(tx.execute(sa.insert(receiver).values(**values).returning(receiver.c.id)).scalar_one())


def index(tx: Tx) -> int:
    """Return the number of the receiver that fills the search index; 0, which no receiver has, if there is none."""
    return int(tx.execute(sa.select(receiver.c.id).where(receiver.c.kind == INDEX)).scalar_one_or_none() or 0)


def every(tx: Tx) -> list[ReceiverRow]:
    """Return all receivers by number."""
    return [_row(row) for row in tx.rows(_EVERY)]


def served(tx: Tx) -> list[ReceiverRow]:
    """Return all receivers, except the index while it is lent, by number."""
    now = tx.now()
    return [row for row in every(tx) if not row.is_lent(now)]


def index_place(tx: Tx) -> int:
    """Return the place of the index according to the rows; 0 if there is no index."""
    return max((int(row[0]) for row in tx.rows(_INDEX_PLACES)), default=0)


def has_index(tx: Tx) -> bool:
    """Return whether there is an index to keep up to date."""
    return bool(tx.rows(sa.select(receiver.c.id).where(receiver.c.kind == INDEX).limit(1)))


def of_source(tx: Tx, source: int) -> list[ReceiverRow]:
    """Return the receivers that get events of a source: its own, and those of every source."""
    return [row for row in every(tx) if row.source_id in (None, source)]


def slowest(tx: Tx, source: int, *, unmade: bool = False) -> ReceiverRow | None:
    """Return the receiver furthest behind among those that get the documents of a source.

    Paused and failing receivers are left out; with `unmade` those that cannot be created are not: the end of a run
    waits for them.
    """
    taking = [row for row in of_source(tx, source) if not row.paused and (not row.error or (unmade and row.unmade))]
    return min(taking, key=lambda row: row.place, default=None)


def named(tx: Tx, name: str) -> ReceiverRow:
    """Return the receiver of that name. Raises NotFoundError, with the existing names."""
    for row in every(tx):
        if row.name == name:
            return row
    names = ", ".join(row.name for row in every(tx)) or "none"
    raise NotFoundError(f"There is no receiver {name!r}. There is: {names}.")


def delete(tx: Tx, number: int) -> None:
    """Delete a receiver, its place and its rejected deliveries. Its output stays."""
    tx.execute(sa.delete(faulty).where(faulty.c.receiver_id == number))
    tx.execute(sa.delete(receiver).where(receiver.c.id == number))


def edit(tx: Tx, number: int, settings: Mapping[str, Any]) -> None:
    """Replace the settings of a receiver; the errors of the former settings are cleared."""
    values = {"settings": json.dumps(settings, sort_keys=True), **_WELL}
    tx.execute(sa.update(receiver).where(receiver.c.id == number).values(**values))


def set_place(tx: Tx, number: int, place: int, last_seq: int = 0) -> None:
    """Store the place that a receiver has confirmed, and the number of its last record, if any; clears its error."""
    values = {"place": place, **_WELL} | ({"last_seq": last_seq} if last_seq else {})
    tx.execute(sa.update(receiver).where(receiver.c.id == number).values(values))
    _log.info("delivered", extra={"receiver": number, "place": place})


def add_refused(tx: Tx, number: int, refusals: Sequence[str]) -> None:
    """Count rejected deliveries, and store the newest reason: they are not offered again."""
    if refusals:
        values = {"refused": receiver.c.refused + len(refusals), "refusal": bulk.storable(refusals[-1])}
        tx.execute(sa.update(receiver).where(receiver.c.id == number).values(values))


def set_error(tx: Tx, number: int, error: str, rest_s: float = 0.0, *, unmade: bool = False) -> None:
    """Store why a receiver does not take its deliveries, and let it rest for so many seconds."""
    values = {"error": bulk.storable(error), "failures": receiver.c.failures + 1, "try_at": tx.now() + rest_s}
    tx.execute(sa.update(receiver).where(receiver.c.id == number).values(values | {"unmade": unmade}))
    _log.warning("receiver failed", extra={"receiver": number, "reason": error, "rest_s": rest_s})


def set_awake(tx: Tx, number: int) -> None:
    """End a receiver's rest, as a person asked for it."""
    tx.execute(sa.update(receiver).where(receiver.c.id == number).values(try_at=None))


def awake(tx: Tx, rest_s: float) -> None:
    """End rests of receivers that last longer than so many seconds."""
    tx.execute(sa.update(receiver).where(receiver.c.try_at > tx.now() + rest_s).values(try_at=None))


def lend(tx: Tx, before: float | None = None) -> float | None:
    """Lend the index for LENT_S from now on, or prolong the loan until `before`; its error is cleared.

    Returns the end of the loan, which identifies it for a prolongation or return; None if another process has it.
    """
    until, now = receiver.c.lent_until, tx.now()
    free = sa.or_(until.is_(None), until <= now, until > now + 2 * LENT_S, until == before)
    statement = sa.update(receiver).where(receiver.c.kind == INDEX, free)
    return now + LENT_S if tx.execute(statement.values(lent_until=now + LENT_S, **_WELL)).rowcount else None


def take_back(tx: Tx, until: float) -> None:
    """End the loan until then, if no other process has borrowed the index since."""
    tx.execute(sa.update(receiver).where(receiver.c.lent_until == until).values(lent_until=None))


def set_resend(tx: Tx, number: int, resend: Replay | None) -> None:
    """Store the replay that is left to send; None: nothing is left."""
    stored = json.dumps(resend) if resend is not None else None
    tx.execute(sa.update(receiver).where(receiver.c.id == number).values(resend=stored))


def set_paused(tx: Tx, *, paused: bool) -> None:
    """Pause or resume all deliveries. Resuming ends the rests of receivers."""
    tx.execute(sa.update(receiver).values({"paused": paused} if paused else {"paused": paused, "try_at": None}))


def _row(row: Any) -> ReceiverRow:
    return ReceiverRow(
        row.id, row.name, row.kind, row.source_id, bulk.read_settings(row.settings), row.place, row.error, row.paused,
        row.refused, row.refusal, row.failures, row.try_at,
        Replay(*json.loads(row.resend)) if row.resend else None, row.lent_until, row.unmade, row.last_seq,
    )  # fmt: skip
