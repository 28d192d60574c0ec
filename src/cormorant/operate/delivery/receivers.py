"""Receivers: add, list, show, edit, delete; pause and resume the delivering side as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import sqlalchemy as sa

from cormorant.base.clock import rfc3339, timestamp
from cormorant.base.errors import ConflictError, CormorantError, NotFoundError
from cormorant.crawl.deliver import replay
from cormorant.model.settings.source import laid_over, parse_settings
from cormorant.net.egress.guard import Egress
from cormorant.operate.installation import Installation
from cormorant.operate.records.receivers import FaultyDocument, ReceiverRecord
from cormorant.operate.sources import secrets
from cormorant.operate.sources.sources import Given, check_name
from cormorant.plugins import ReceiverKind, ReceiverTools, receiver_kind, receiver_settings
from cormorant.receivers import stream
from cormorant.receivers.protocol import NotTaken, ReceiverSettings
from cormorant.receivers.stream import Event, Numbered
from cormorant.store.catalog import receivers, rejected_deliveries as not_taken, sources
from cormorant.store.catalog.receivers import ReceiverRow, Replay
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs
from cormorant.store.schema import content, stream as events

PAGE = 500
"""Documents that were not taken, read at a time."""


def add(house: Installation, kind: str, name: str, source: str | None, given: Given) -> ReceiverRecord:
    """Add a receiver of a source, or of all; it gets what is found from now on, or once deliveries are resumed.

    It is opened once, so that a path that cannot be written is refused now. Raises NotFoundError, BadSetting,
    ConflictError when the name is taken or another one writes the same files, and what the receiver raises when it is
    opened.
    """
    check_name(name, "receiver")
    found = receiver_kind(kind)
    settings = parse_settings(found.settings, given)
    with house.store.read() as tx:
        secrets.check(tx, settings.secrets)
        number = sources.named(tx, source).id if source is not None else None
        if any(row.name == name for row in receivers.every(tx)):
            raise ConflictError(f"There is a receiver {name!r} already. Choose another name, or delete that one.")
        _see_free(tx, settings, name)
    _open(house, found, name, settings)
    with house.store.begin() as tx:
        dumped = settings.model_dump(mode="json", exclude_defaults=True)
        receivers.add(tx, kind, name, number, dumped, stream.head(tx))
        receivers.set_paused(tx, paused=any(row.paused for row in receivers.every(tx)))
        return _record(tx, receivers.named(tx, name))


def edit(house: Installation, name: str, given: Given) -> ReceiverRecord:
    """Change settings of a receiver; those not named stay, an empty value sets one back. Its place stays as well.

    Whoever delivers goes by them from the next delivery on. Raises NotFoundError, BadSetting, ConflictError for the
    index, for one that was changed meanwhile and for files that another one writes, and what the receiver raises when
    it is opened at another place.
    """
    with house.store.read() as tx:
        row = receivers.named(tx, name)
    if row.kind == receivers.INDEX:
        raise ConflictError("The index has no settings of its own. `cormorant tuning` changes the order of hits.")
    found = receiver_kind(row.kind)
    settings = parse_settings(found.settings, laid_over(found.settings, row.settings, given))
    with house.store.read() as tx:
        secrets.check(tx, settings.secrets)
    if settings != _settings_of_now(row):
        _try(house, found, settings, row)
    with house.store.begin() as tx:
        if receivers.named(tx, name).settings != row.settings:
            raise ConflictError(f"Another administrator changed the receiver {name!r} at the same moment. Try again.")
        receivers.edit(tx, row.id, settings.model_dump(mode="json", exclude_defaults=True))
        return _record(tx, receivers.named(tx, name))


def _try(house: Installation, kind: ReceiverKind, settings: Any, row: ReceiverRow) -> None:
    """Open it once as it is to be, so that a fault shows now. Files that it writes to already are open elsewhere."""
    if settings.writes and settings.writes == _writes(row):
        return
    with house.store.read() as tx:
        _see_free(tx, settings, row.name)
    _open(house, kind, row.name, settings)


def _see_free(tx: Tx, settings: ReceiverSettings, name: str) -> None:
    """Raise ConflictError where another receiver than the one of that name writes the files that this one would."""
    for row in receivers.every(tx):
        if settings.writes and row.name != name and _writes(row) == settings.writes:
            raise ConflictError(
                f"The receiver {row.name!r} already writes {settings.writes}. Choose another place, or delete that "
                "receiver."
            )


def _writes(row: ReceiverRow) -> str:
    """The files that a receiver writes; "" also where its settings are none any more."""
    settings = _settings_of_now(row)
    return settings.writes if settings is not None else ""


def _settings_of_now(row: ReceiverRow) -> ReceiverSettings | None:
    """The settings before an edit, which may be there to mend them: None where they are none any more."""
    with suppress(CormorantError):
        return receiver_settings(row.kind, row.settings)
    return None


def _open(house: Installation, kind: ReceiverKind, name: str, settings: Any) -> None:
    made = kind.make(settings, tools(house, name))
    try:
        made.open()
    finally:
        made.close()


def listed(house: Installation) -> list[ReceiverRecord]:
    """Every receiver, the index among them, with how far it has come."""
    with house.store.read() as tx:
        return [_record(tx, row) for row in receivers.every(tx)]


def shown(house: Installation, name: str) -> ReceiverRecord:
    """One receiver. Raises NotFoundError."""
    with house.store.read() as tx:
        return _record(tx, receivers.named(tx, name))


def delete(house: Installation, name: str) -> None:
    """Forget a receiver; what it wrote stays. Raises NotFoundError, and ConflictError for the index."""
    with house.store.begin() as tx:
        row = receivers.named(tx, name)
        if row.kind == receivers.INDEX:
            raise ConflictError("Search reads the index, so it stays. CORMORANT_INDEX=none runs without one.")
        receivers.delete(tx, row.id)


def set_paused(house: Installation, *, paused: bool) -> None:
    """Pause or resume all deliveries. Crawling goes on; what is found waits in the stream.

    Resumed, those that failed and are left alone for a while are tried at once.
    """
    with house.store.begin() as tx:
        receivers.set_paused(tx, paused=paused)


def _record(tx: Tx, row: ReceiverRow) -> ReceiverRecord:
    owner = sources.numbered(tx, row.source_id) if row.source_id is not None else None
    again = replay.left(tx, row)
    return {
        "receiver": row.name, "kind": row.kind, "source": owner.name if owner else None, "settings": dict(row.settings),
        "place": row.place, "backlog": _backlog(tx, row) + again, "paused": row.paused, "error": row.error,
        "made_anew": row.is_lent(tx.now()),
        "refused": row.refused, "refusal": row.refusal, "faulty": not_taken.count(tx, row.id),
        "failures": row.failures, "next_try_at": rfc3339(row.try_at), "resending": again,
        "oldest_undelivered_at": rfc3339(undelivered_since(tx, row)),
    }  # fmt: skip


def waiting(house: Installation) -> tuple[int, bool]:
    """Return the most events that wait for a healthy receiver, and whether deliveries are paused."""
    found = [each for each in listed(house) if not each["error"]]
    return max((each["backlog"] for each in found), default=0), any(each["paused"] for each in found)


def _backlog(tx: Tx, row: ReceiverRow) -> int:
    """Return the number of events that a receiver has not confirmed yet."""
    columns = events.c
    told = stream.told(row.source_id, row.id)
    statement = sa.select(sa.func.count()).where(columns.seq > row.place, told)
    return int(tx.execute(statement).scalar_one())


def undelivered_since(tx: Tx, row: ReceiverRow) -> float | None:
    """Return when the oldest event unconfirmed by a receiver arose, in epoch seconds; None when there is none.

    Events that are to be sent again wait since a person asked for it.
    """
    waiting = stream.after(tx, row.place, 1, row.source_id, row.id)
    since = [_since(tx, waiting[0]) if waiting else None, row.resend.since if row.resend is not None else None]
    return min((each for each in since if each is not None), default=None)


def _since(tx: Tx, oldest: Numbered) -> float | None:
    """Return the time of an event. Events of older versions take their document's last change or their run's start."""
    if (noted := stream.moment(tx, oldest.seq)) is not None:
        return noted
    if oldest.event in (Event.NEW, Event.CHANGED, Event.FOUND, Event.MOVED):
        found = tx.rows(sa.select(content.c.changed_at).where(content.c.id == oldest.resource))
        if found:
            return float(found[0].changed_at)
    with suppress(NotFoundError):
        return runs.get(tx, oldest.run).started_at
    return None


def tools(house: Installation, name: str, egress: Callable[[], Egress] | None = None) -> ReceiverTools:
    """Return the tools of a receiver; without `egress` it can only be inspected."""
    with house.store.begin() as tx:
        installation = stream.installation(tx)

    def newest() -> int:
        with house.store.read() as tx:
            return stream.head(tx)

    return ReceiverTools(name, installation, house.clock, secrets.Opened(house), newest, egress)


def veto(house: Installation, source: int) -> Callable[[str], bool] | None:
    """Return a function that says if a receiver of a source vetoes a folder; None when no receiver has a veto.

    It raises NotTaken where a receiver has one and cannot be asked.
    """
    with house.store.read() as tx:
        rows = receivers.told_of(tx, source)
    asked: list[Callable[[str], bool]] = []
    for row in rows:
        if row.kind == receivers.INDEX:
            continue
        try:
            found = receiver_kind(row.kind).veto(receiver_settings(row.kind, row.settings))
        except CormorantError as error:  # the delivery shows it
            found = partial(_unasked, error) if row.settings.get("veto") else None
        asked += [found] if found is not None else []
    return (lambda address: any(each(address) for each in asked)) if asked else None


def _unasked(error: CormorantError, address: str) -> bool:
    """A receiver that has a say and cannot be made. Raises what is wrong with it."""
    raise NotTaken(f"{address} cannot be entered: {error.sentence}") from error


def resend(house: Installation, name: str, source: str | None = None, *, faulty: bool = False) -> ReceiverRecord:
    """Have everything that is kept sent to a receiver again, or of one source, or only what it could not take.

    Whoever delivers does it, from what is kept alone; what was asked for before is left as far as it is, unless there
    is nothing to send. Raises NotFoundError, and ConflictError for the index and for a source that it does not get.
    """
    with house.store.begin() as tx:
        row = receivers.named(tx, name)
        if row.kind == receivers.INDEX:
            raise ConflictError("`cormorant index rebuild` rebuilds the index from the kept copies.")
        number = sources.named(tx, source).id if source is not None else None
        if number is not None and row.source_id not in (None, number):
            raise ConflictError(f"The receiver {name!r} gets documents of another source, not of {source!r}.")
        wanted = Replay(number, -1, replay.newest(tx), faulty, tx.now())
        if replay.left(tx, replace(row, resend=wanted)):
            receivers.set_resend(tx, row.id, wanted)
        receivers.set_awake(tx, row.id)
        return _record(tx, receivers.named(tx, name))


def faulty(house: Installation, name: str) -> Iterator[FaultyDocument]:
    """Yield the deliveries that a receiver could not take, by document. Raises NotFoundError."""
    behind: int | None = 0
    with house.store.read() as tx:
        number = receivers.named(tx, name).id
    while behind is not None:
        with house.store.read() as tx:
            found = not_taken.of(tx, number, PAGE, behind)
            names = sources.names(tx, {each.source for each, _ in found})
        for each, at in found:
            yield {
                "seq": each.seq, "event": Event(each.event).word if each.event else None, "run": each.run,
                "source": names.get(each.source), "url": each.url, "reason": each.reason, "told_at": timestamp(at),
            }  # fmt: skip
        behind = found[-1][0].resource if len(found) == PAGE else None
