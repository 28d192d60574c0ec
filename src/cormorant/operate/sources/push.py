"""Intake of pushed items: batches of items, and attachments one by one.

    batch --known sequence or key--> the earlier answer, nothing is changed
      `--item by item: refused | stale | unchanged | accepted--> one transaction --> answer
            end of a full feed: items that none of its batches named are deleted

An answer is given after the transaction is committed, so accepted items survive a power cut. The next run crawls them;
`serve` starts one at once (`PushSource.wait_for_change`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import msgspec

from cormorant.base.errors import ConflictError, NotFoundError, TooLarge, UsageError
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import PushAnswer, PushResult
from cormorant.plugins import source_settings
from cormorant.sources.push import item as pushed_items
from cormorant.sources.push.batch import MAX_BATCH_BYTES, PushBatch, RefusedItem, read_batch
from cormorant.sources.push.item import ItemRecord, PushedBytes, PushedItem
from cormorant.sources.push.settings import PushSettings
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx
from cormorant.store.journal import items
from cormorant.store.journal.items import Item, NewItem

MOST_BYTES: Final = MAX_BATCH_BYTES
"""Bytes of one batch."""
KEPT_S: Final = 7 * 86_400.0
"""Seconds for which the answer to a batch with a key is stored."""
PAGE: Final = 1_000
LONGEST_KEY: Final = 200
SEQUENCES_S: Final = 365 * 86_400.0
"""Seconds for which the newest batch of an incremental feed is stored, so that an older one changes nothing."""
_KEY, _SEQUENCE, _OF_FULL, _FULL = "key:", "sequence:", "batch:", "full"
"""Names of marks: an idempotency key, the newest batch of an incremental and of a full feed, the full feed itself."""


class _Full(NamedTuple):
    """The last full feed: its name, its number, and whether it has ended."""

    feed: str
    number: int
    ended: bool


class _Intake:
    """One transaction that changes items of a source. `seq` grows with each change, `full` is the last full feed."""

    def __init__(self, tx: Tx, row: SourceRow) -> None:
        settings = cast("PushSettings", source_settings(row.kind, row.settings))
        self.tx, self.source, self.name, self.limit = tx, row.id, row.name, settings.max_size_bytes
        self.seq = items.claim(tx, row.id)
        kept = items.mark(tx, row.id, _FULL)
        self.full = _Full(*json.loads(kept)) if kept else _Full("", 0, ended=True)
        self.known: dict[tuple[str, str], Item] = {}
        self.deleted = 0

    def next_number(self) -> int:
        self.seq += 1
        return self.seq

    def keep(self, new: NewItem, known: Item | None) -> None:
        items.put(self.tx, self.source, new, (self.next_number(), self.full.number), known)

    def name_again(self, known: Item, version: int | None = None) -> None:
        items.name_again(self.tx, [known.id], self.full.number, version)

    def load(self, names: set[str]) -> None:
        self.known = {(each.name, each.part): each for each in items.named(self.tx, self.source, names)}

    def reload(self, name: str) -> None:
        """Reload an item after a change, since the same batch may name it again."""
        self.known = {key: each for key, each in self.known.items() if key[0] != name}
        self.known |= {(each.name, each.part): each for each in items.named(self.tx, self.source, [name])}

    def parts(self, name: str) -> list[Item]:
        return [each for (of, part), each in self.known.items() if of == name and part and not each.gone]


def accept(house: Installation, name: str, body: bytes, media_type: str = "", key: str = "") -> PushAnswer:
    """Take in a batch of items, and answer item by item; on an error nothing is changed.

    The batch is XML if its media type says so, or, without one, if it begins like XML; otherwise JSON. `key` is an
    idempotency key: a repeated key gets the same answer. Raises NotFoundError for an unknown source, UsageError for one
    of another kind and for an unreadable batch, ConflictError for a batch out of sequence.
    """
    if len(body) > MAX_BATCH_BYTES:
        raise TooLarge(f"The batch has more than {MAX_BATCH_BYTES >> 20} MiB. Send its items in several.")
    batch, digest = read_batch(body, media_type), hashlib.sha256(body).hexdigest()
    if len(key) > LONGEST_KEY or not key.isprintable():
        raise UsageError(f"An idempotency key has at most {LONGEST_KEY} printable characters.")
    with house.store.begin() as tx:
        intake = _Intake(tx, _pushed(tx, name))
        repeated = _by_key(intake, key, digest) or _by_sequence(intake, batch)
        if repeated is not None:
            return repeated
        _turn(intake, batch)
        results = _take_all(intake, batch)
        if batch.end:
            _end(intake)
        elif not batch.is_full and results and all(each["outcome"] == "stale" for each in results):
            raise ConflictError("Newer versions of every item in the batch came before.", results=results)
        answer = _answer(intake, batch, results)
        _remember(intake, batch, (key, digest), answer)
    return answer


def upload(house: Installation, name: str, of: str, part: str, sent: tuple[bytes, str]) -> PushAnswer:
    """Store an attachment of an item that was pushed before; `sent` are its bytes and their media type.

    Raises NotFoundError for an unknown source or item, TooLarge, UsageError.
    """
    body, media_type = sent
    with house.store.begin() as tx:
        intake = _Intake(tx, _pushed(tx, name))
        intake.load({of})
        whole = intake.known.get((of, ""))
        if whole is None or whole.gone:
            raise NotFoundError(f"There is no item {of[:100]!r} in {name!r}. Push it before its attachments.")
        if len(body) > intake.limit:
            raise TooLarge(f"The attachment has more than {intake.limit:,} bytes, the limit that max_size_bytes sets.")
        if (
            part not in [each.part for each in intake.parts(of)]
            and len(intake.parts(of)) >= pushed_items.MAX_ATTACHMENTS
        ):
            raise UsageError(f"An item has at most {pushed_items.MAX_ATTACHMENTS} attachments.")
        try:
            record = ItemRecord(pushed_items.media_type_of(media_type, is_text=False))
            changed = _keep_part(intake, whole, pushed_items.check_name(part), (record, body))
        except ValueError as error:
            raise UsageError(f"The attachment cannot be kept: {error}.") from None
        result = _result(of, "accepted" if changed else "unchanged")
        return _answer(intake, PushBatch(()), [result])


def _pushed(tx: Tx, name: str) -> SourceRow:
    row = sources.named(tx, name)
    if row.kind != "push":
        raise UsageError(f"{name!r} is a source of kind {row.kind}, and only one of kind push takes what is pushed.")
    return row


def _by_key(intake: _Intake, key: str, digest: str) -> PushAnswer | None:
    """Return the earlier answer to a batch with this key, None for a new key."""
    kept = items.mark(intake.tx, intake.source, _KEY + key) if key else None
    if kept is None:
        return None
    earlier = json.loads(kept)
    if earlier["digest"] != digest:
        raise ConflictError(f"The idempotency key {key!r} came with another batch before. Use each key for one batch.")
    return _again(earlier["answer"])


def _by_sequence(intake: _Intake, batch: PushBatch) -> PushAnswer | None:
    """Return the earlier answer to a batch of a known sequence; an empty answer for older ones than the newest."""
    kept = items.mark(intake.tx, intake.source, _sequence_mark(batch)) if batch.sequence is not None else None
    if kept is None or batch.sequence is None:
        return None
    newest = json.loads(kept)
    if batch.sequence > newest["sequence"]:
        return None
    if batch.sequence == newest["sequence"]:
        return _again(newest["answer"])
    return _again(_answer(intake, batch, []))


def _again(answer: Any) -> PushAnswer:
    return cast("PushAnswer", {**answer, "repeated": True})


def _turn(intake: _Intake, batch: PushBatch) -> None:
    """Begin a full feed, or continue it. Raises ConflictError for a batch out of sequence."""
    if not batch.is_full:
        return
    mine, last = intake.full.feed == batch.feed, _last_sequence(intake, batch)
    if mine and intake.full.ended:
        raise ConflictError(f"The full feed {batch.feed!r} has ended. Begin one with another name.")
    if last and not mine:
        raise ConflictError(f"Another full feed began after {batch.feed!r}. Begin one with another name.")
    if (batch.sequence or last + 1) != last + 1:
        raise ConflictError(
            f"Batch {batch.sequence} of the full feed {batch.feed!r} came, and batch {last + 1} has to come first.",
            expected=last + 1,
        )
    if not mine:
        _set_full(intake, _Full(batch.feed, intake.full.number + 1, ended=False))


def _set_full(intake: _Intake, full: _Full) -> None:
    intake.full = full
    items.set_mark(intake.tx, intake.source, _FULL, json.dumps(list(full)))


def _sequence_mark(batch: PushBatch) -> str:
    return (_OF_FULL if batch.is_full else _SEQUENCE) + batch.feed


def _last_sequence(intake: _Intake, batch: PushBatch) -> int:
    newest = items.mark(intake.tx, intake.source, _sequence_mark(batch))
    return int(json.loads(newest)["sequence"]) if newest else 0


def _take_all(intake: _Intake, batch: PushBatch) -> list[PushResult]:
    intake.load({each.id for each in batch.items if isinstance(each, PushedItem)})
    results = []
    for each in batch.items:
        if isinstance(each, RefusedItem):
            results.append(_result(each.id, "refused", each.reason))
            continue
        try:
            results.append(_take(intake, each))
        except ValueError as error:
            results.append(_result(each.id, "refused", f"{error}."))
    return results


def _take(intake: _Intake, pushed: PushedItem) -> PushResult:
    """Take in one item. Raises ValueError, before anything is written, for an invalid one."""
    known = intake.known.get((pushed.id, ""))
    if pushed.version is not None and known is not None and (known.version or 0) > pushed.version:
        return _result(
            pushed.id, "stale", f"Version {known.version} came before, so version {pushed.version} is older."
        )
    if pushed.action == "delete":
        return _delete(intake, pushed, known)
    record = pushed_items.record_of(pushed)
    body = _limited(pushed_items.bytes_of(pushed.content, pushed.encoding), intake.limit, "content")
    shown = pushed_items.shown_as(pushed.url)
    parts = [(each, *_part(each, intake.limit)) for each in pushed.attachments or () if each.content is not None]
    stay = {pushed_items.check_name(each.name) for each in pushed.attachments or ()}
    note = msgspec.json.encode(record).decode()
    new = NewItem(pushed.id, "", pushed.version, _digest(note, shown, body), shown, note, body)
    changed = known is None or known.gone or known.digest != new.digest
    if known is not None and not changed:
        intake.name_again(known, pushed.version)
    else:
        intake.keep(new, known)
    intake.reload(pushed.id)
    whole = intake.known[pushed.id, ""]
    for each, kept, bytes_ in parts:
        changed |= _keep_part(intake, whole, each.name, (kept, bytes_))
    if pushed.attachments is not None:
        left = [each for each in intake.parts(pushed.id) if each.part not in stay]
        changed |= _drop(intake, left)
    _inherit(intake, whole)
    intake.reload(pushed.id)
    return _result(pushed.id, "accepted" if changed else "unchanged")


def _delete(intake: _Intake, pushed: PushedItem, known: Item | None) -> PushResult:
    """Delete an item with its attachments. An unknown item with a version is stored as deleted."""
    if known is None and pushed.version is not None:
        blank = NewItem(pushed.id, "", pushed.version, "", "", "{}", b"")
        intake.keep(blank, None)
        intake.reload(pushed.id)
        _drop(intake, [intake.known[pushed.id, ""]], pushed.version)
    elif known is not None and not known.gone:
        _drop(intake, [known], pushed.version)
        _drop(intake, intake.parts(pushed.id))
        intake.deleted += 1
    elif known is not None and pushed.version is not None:
        intake.name_again(known, pushed.version)
    fresh = known is not None and not known.gone
    intake.reload(pushed.id)
    return _result(pushed.id, "accepted" if fresh else "unchanged")


def _part(sent: PushedBytes, limit: int) -> tuple[ItemRecord, bytes]:
    name = pushed_items.check_name(sent.name)
    body = _limited(pushed_items.bytes_of(sent.content, sent.encoding), limit, f"the attachment {name[:40]!r}")
    is_text = sent.encoding == "text"
    return ItemRecord(pushed_items.media_type_of(sent.media_type, is_text=is_text), is_text=is_text), body


def _limited(body: bytes, limit: int, name: str) -> bytes:
    if len(body) > limit:
        raise ValueError(f"{name} has {len(body):,} bytes, and max_size_bytes of the source is {limit:,}")
    return body


def _keep_part(intake: _Intake, whole: Item, part: str, sent: tuple[ItemRecord, bytes]) -> bool:
    """Store an attachment; returns whether it changed."""
    record, body = sent
    note = msgspec.json.encode(record).decode()
    digest = _part_digest(_digest(note, "", body), whole)
    known = intake.known.get((whole.name, part))
    if known is not None and not known.gone and known.digest == digest:
        intake.name_again(known)
        return False
    new = NewItem(whole.name, part, None, digest, "", note, body)
    intake.keep(new, known)
    intake.reload(whole.name)
    return True


def _inherit(intake: _Intake, whole: Item) -> None:
    """Renew the digests of an item's attachments if its readers changed, since attachments inherit its rights."""
    for each in intake.parts(whole.name):
        digest = _part_digest(each.digest.partition(".")[0], whole)
        if digest != each.digest:
            items.renew(intake.tx, [each.id], intake.next_number(), digest)


def _part_digest(own: str, whole: Item) -> str:
    record = msgspec.json.decode(whole.note, type=ItemRecord)
    rights = json.dumps([record.grants, record.denies])
    return f"{own}.{hashlib.sha256(rights.encode()).hexdigest()[:16]}"


def _digest(note: str, shown: str, body: bytes) -> str:
    head = json.dumps([note, shown]).encode()
    return hashlib.sha256(hashlib.sha256(head).digest() + hashlib.sha256(body).digest()).hexdigest()[:32]


def _drop(intake: _Intake, going: list[Item], version: int | None = None) -> bool:
    if going:
        items.drop(intake.tx, going, intake.next_number(), version)
    return bool(going)


def _end(intake: _Intake) -> None:
    """End a full feed: delete items that no batch named since it began, with their attachments."""
    while left := items.unnamed(intake.tx, intake.source, intake.full.number, PAGE):
        intake.load({each.name for each in left})
        _drop(intake, [each for each in intake.known.values() if not each.gone])
        intake.deleted += len(left)
    _set_full(intake, intake.full._replace(ended=True))


def _answer(intake: _Intake, batch: PushBatch, results: list[PushResult]) -> PushAnswer:
    counted: Callable[[str], int] = lambda outcome: sum(each["outcome"] == outcome for each in results)  # noqa: E731
    return {
        "source": intake.name, "accepted": counted("accepted"), "unchanged": counted("unchanged"),
        "stale": counted("stale"), "refused": counted("refused"), "deleted": intake.deleted,
        "feed": batch.feed, "sequence": batch.sequence, "ended": batch.end, "repeated": False, "results": results,
    }  # fmt: skip


def _result(name: str, outcome: str, reason: str | None = None) -> PushResult:
    return {"id": name, "outcome": outcome, "reason": reason}


def _remember(intake: _Intake, batch: PushBatch, key: tuple[str, str], answer: PushAnswer) -> None:
    """Store the answer for repetitions of the batch."""
    tx, source = intake.tx, intake.source
    counted = batch.sequence or (_last_sequence(intake, batch) + 1 if batch.is_full else None)
    if counted is not None:
        items.set_mark(tx, source, _sequence_mark(batch), json.dumps({"sequence": counted, "answer": answer}))
    if key[0]:
        items.set_mark(tx, source, _KEY + key[0], json.dumps({"digest": key[1], "answer": answer}))
    for beginning, kept_s in ((_KEY, KEPT_S), (_OF_FULL, KEPT_S), (_SEQUENCE, SEQUENCES_S)):
        items.forget_marks(tx, source, beginning, tx.now() - kept_s)
