"""The two ways a receiver is told: the index by changes and commits, all others by records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeVar

from cormorant.base.clock import rfc3339
from cormorant.base.errors import ConflictError, CormorantError, NoRoom
from cormorant.base.log import logger
from cormorant.base.secret_masking import STARS, fault, redacted
from cormorant.crawl.deliver import near_duplicates
from cormorant.crawl.deliver.payload import Payload, PayloadLoader
from cormorant.crawl.run import transitions
from cormorant.extract.detect.charset import decoded
from cormorant.extract.html.complexity import utf16_of
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import Counters
from cormorant.receivers.protocol import (
    DAMAGED,
    Delivery,
    DocumentRights,
    KeptCopy,
    NotMade,
    NotTaken,
    RecordSettings,
    Refusal,
    Stop,
)
from cormorant.receivers.stream import Event
from cormorant.search.index.document import Change, Delete, IndexedDocument, UpdateLinks, Upsert
from cormorant.store.catalog import sources

if TYPE_CHECKING:
    from cormorant.receivers.protocol import Receiver, ReceiverSettings
    from cormorant.receivers.stream import Numbered
    from cormorant.search.index.protocol import IndexWriter
    from cormorant.store.blobs.record import Frame
    from cormorant.store.db.database import Store, Tx

_log = logger(__name__)
T = TypeVar("T")
COMMIT_DOCUMENTS = 1125
"""Twice joined, segments of so many make one that the engine no longer joins with small ones (ADR 0007)."""
COMMIT_S = 5.0
COMMIT_BYTES = 16 << 20
"""Text that an index may have before it: it takes documents faster than it works them in, and holds them meanwhile."""
QUIET_S = 0.5
"""An index with nothing more to read commits after this, so that the end of a crawl is found at once."""
LARGE = 1_000_000
"""Characters of text, or of HTML, above which a record refers to the cache instead of carrying it."""
HTML = frozenset(("text/html", "application/xhtml+xml"))
"""Types of what is given as it came besides its text."""


@dataclass(slots=True)
class DeliveryTally:
    """Counts by run, handed over once."""

    by_run: dict[int, Counters] = field(default_factory=dict)

    def of(self, run: int) -> Counters:
        """The counters of a run."""
        return self.by_run.setdefault(run, Counters())

    def take(self) -> dict[int, Counters]:
        """Everything counted since the last call."""
        taken, self.by_run = self.by_run, {}
        return taken


class IndexSink:
    """Puts, drops, relinks and commits. It begins at `place`, the one acknowledged last.

    The index may be ahead of that, if a process was killed between its commit and the acknowledgement. What lies
    between is applied once more, which changes nothing in it: counts and refusals of that are known in this way only.

    Other anchors can be written only on what is committed. What came after the last commit is put anew instead, from
    its kept copy: were the index to commit for each, a crawl of many near copies would make twice the segments.
    """

    def __init__(self, writer: IndexWriter, shelf: PayloadLoader, store: Store, place: int) -> None:
        self._writer, self._shelf, self._store = writer, shelf, store
        self.place, self.last_seq = min(place, writer.place), 0
        self._confirmed = self.place
        self._tally = DeliveryTally()
        self._refused: list[Refusal | Stop] = []
        self._pending, self._bytes, self._since, self._heard = 0, 0, 0.0, 0.0
        self._uncommitted: set[int] = set()

    def prepare(self, tx: Tx, events: Sequence[Numbered]) -> Sequence[Payload]:
        """Look up the documents, compare them, and return them with their rights, classes and what links say."""
        found = self._shelf.find(tx, events, anew=self._uncommitted)
        near_duplicates.compare(self._store, found)
        with self._store.read() as later:
            return self._shelf.furnished(later, found)

    def receive(self, found: Sequence[Payload], upto: int, now: float) -> int:
        """Apply, and commit when there is enough or it has waited long enough."""
        if found:
            changes = [self._change(each) for each in _deciding(found)]
            self._bytes += self._writer.apply(changes)
            self._uncommitted.update(each.id for each in changes)
            if not self._pending:
                self._since = now
            self._pending += len(found)
            self.place, self._heard = upto, now
        full = self._pending >= COMMIT_DOCUMENTS or self._bytes >= COMMIT_BYTES
        if self._pending and (full or now - self._since > COMMIT_S or now - self._heard > QUIET_S):
            self._commit()
        elif not self._pending and upto > self._confirmed and now - self._heard > QUIET_S:
            self.place, self._heard = upto, now  # what lies between is for others alone; runs wait until it was passed
            self._commit()
        return self._confirmed

    def _commit(self) -> None:
        """Commit everything applied. An index that is ahead of what it is told of stays at its place."""
        self._writer.commit(max(self.place, self._writer.place))
        self._confirmed = self.place
        self._pending, self._bytes, self._uncommitted = 0, 0, set()

    def _change(self, each: Payload) -> Change:
        event, row, frame = each.event, each.row, each.frame
        counters = self._tally.of(event.run)
        if event.event is Event.LINKS:
            counters.index_link_updates += 1
            if row is not None and row.indexed and frame is not None:
                return Upsert(entry_of(each))
            return UpdateLinks(event.resource, each.said.anchors, each.said.score, depth=each.depth, near=each.near)
        if row is None or not row.indexed:
            counters.index_deletes += 1
            return Delete(event.resource)
        if frame is None:
            return self._keep(each)
        counters.index_writes += 1
        counters.indexed += event.event is Event.NEW
        return Upsert(entry_of(each))

    def _keep(self, each: Payload) -> Change:
        """A document whose copy is damaged: what the index has of it stays, for those who may read it now."""
        self._tally.of(each.event.run).index_damaged += 1
        self._refused.append(Refusal(each.event.seq, DAMAGED))
        return UpdateLinks(each.event.resource, each.said.anchors, each.said.score, each.rights, near=each.near)

    def counted(self) -> Mapping[int, Counters]:
        """Index writes, deletes and updates of links by run."""
        return self._tally.take()

    def said(self) -> Sequence[Refusal | Stop]:
        """Documents that the index was not told of since the last call, as their kept copies are damaged."""
        taken, self._refused = self._refused, []
        return taken

    def close(self) -> None:
        """Give the writer back; what was not committed comes again."""
        self._writer.close()


def _deciding(found: Sequence[Payload]) -> list[Payload]:
    """Of each document the newest event, one about links only where there is no other: a document brings its links.

    That nothing links to a document any more is no change of what is found, nor is what tells of a run.
    """
    newest: dict[int, Payload] = {}
    for each in found:
        if each.event.event.of_unvisited or each.event.event.of_run:
            continue
        if each.event.event is not Event.LINKS or newest.get(each.event.resource, each).event.event is Event.LINKS:
            newest[each.event.resource] = each
    return sorted(newest.values(), key=lambda each: each.event.seq)


def entry_of(found: Payload) -> IndexedDocument:
    """Return the index entry of a document."""
    row, frame = found.row, found.frame
    if row is None or frame is None:
        raise LookupError(found.event.resource)
    grants, denies = found.rights
    return IndexedDocument(
        id=row.id, source=row.source, url=row.url, title=row.title, text=frame.text, mime=row.mime,
        language=row.language, size_bytes=row.size_bytes, modified_at=row.modified_at, fetched_at=row.fetched_at,
        grants=grants, denies=denies, attributes=frame.attributes, content_hash=row.content_hash, depth=row.depth,
        anchors=found.said.anchors, link_score=found.said.score,
        near=found.near,
    )  # fmt: skip


class ReceiverSink:
    """Hands records to a receiver; its confirmed place is what it has been handed. Opened when it is first handed any.

    In which form is for its settings to say: `delta`, `when`, `runs`. Each record names the one before (`last_seq`),
    since events for other receivers take numbers too.
    """

    def __init__(self, receiver: Receiver, shelf: PayloadLoader, place: int, last_seq: int = 0) -> None:
        self._receiver, self._shelf, self.place, self.last_seq = receiver, shelf, place, last_seq
        self._names: dict[int, str] = {}
        self._said: list[Refusal | Stop] = []
        self._open = False

    def prepare(self, tx: Tx, events: Sequence[Numbered]) -> Sequence[Payload]:
        """Look up the documents; nothing of a run that may find more, if it is to be told at its end."""
        settings = self._receiver.settings
        if settings.when == "end":
            early = transitions.finding(tx)
            events = list(takewhile(lambda event: event.run not in early, events))
        self._names |= sources.names(tx, {each.source for each in events} - self._names.keys())
        found = self._shelf.find(tx, events, body=settings.COPIES or (HTML if gives_html(settings) else False))
        return self._shelf.ruled(tx, found) if settings.RIGHTS else found

    def receive(self, found: Sequence[Payload], upto: int, now: float) -> int:  # noqa: ARG002 - the shape of an outlet
        """Deliver; what is refused is told and not offered again. Where nothing is for it, it only moves on.

        A document whose copy is damaged is told as one that could not be taken: it would be handed over as empty.
        """
        if not self._open:
            self._begin()
        settings = self._receiver.settings
        told = [each for each in found if is_told(each.event.event, settings) and not _is_past(each)]
        lost = [] if settings.RIGHTS else [each for each in told if each.damaged]
        unread = {each.event.seq for each in lost}
        batch = _chained([self._delivery(each) for each in told if each.event.seq not in unread], self.last_seq)
        if batch:
            self._said += self._ask(lambda: list(self._receiver.receive(batch)))
            self.last_seq = batch[-1].seq
        self._said += [Refusal(seq, DAMAGED) for seq in sorted(unread)]
        self.place = max(self.place, upto)
        return self.place

    def _begin(self) -> None:
        """Open it. Raises NotMade where that fails for another reason than one that passes.

        Nor for one where nothing is missing, as when somebody else writes its file: a run waits for what is put back.
        """
        try:
            self._ask(self._receiver.open)
        except (NotTaken, NoRoom, ConflictError):
            raise
        except CormorantError as error:
            raise NotMade(error.sentence) from error
        self._open = True

    def _delivery(self, each: Payload) -> Delivery:
        event, row, frame = each.event, each.row, each.frame
        settings = self._receiver.settings
        word = event.event.word if settings.delta or event.event.of_run else Event.FOUND.word
        name = row.source if row is not None else self._names.get(event.source, "")
        if row is None or frame is None:
            url, damaged = event.url or (row.url if row is not None else ""), row is not None
            return Delivery(event.seq, word, event.run, name, url, id=event.resource, damaged=damaged)
        large = len(frame.text) > LARGE and not settings.WHOLE
        shown = not frame.withheld
        html = html_of(frame) if shown and row.mime in HTML and gives_html(settings) else None
        beyond = html is not None and len(html) > LARGE
        return Delivery(
            event.seq, word, event.run, name, row.url, document_record(row), "" if large else frame.text,
            html=None if beyond else html,
            reference=f"/cached/{row.id}" if large or beyond else None,
            kept=_copy(row, frame) if shown and settings.COPIES else None,
            id=row.id, rights=DocumentRights(*each.rights) if settings.RIGHTS else None,
        )  # fmt: skip

    def counted(self) -> Mapping[int, Counters]:
        """Nothing: only the index counts."""
        return {}

    def said(self) -> Sequence[Refusal | Stop]:
        """Return the documents that the receiver refused since the last call, and the runs to stop."""
        taken, self._said = self._said, []
        return taken

    def close(self) -> None:
        """Let the receiver go. What is wrong with that is logged: it has been told what it has confirmed."""
        with suppress(CormorantError):
            self._ask(self._receiver.close)
        self._open = False

    def _ask(self, call: Callable[[], T]) -> T:
        """Call the receiver. Raises CormorantError alone, whatever it raises: it rests, and the others go on."""
        try:
            return call()
        except CormorantError:
            raise
        except Exception as error:
            _log.exception("fault", extra={"receiver": self._receiver.kind})
            raise CormorantError(f"{fault(error)}. logs/provider.log says where.") from error


def is_told(event: Event, settings: ReceiverSettings) -> bool:
    """Return whether an event is for a receiver with these settings. Of links the index alone is told."""
    if event is Event.LINKS:
        return False
    if event.of_run:
        return settings.runs
    return settings.delta or not (event.of_gone or event.of_unvisited)


def _is_past(each: Payload) -> bool:
    """Return whether the document of an event is already gone.

    A later event says so, and nothing could be done with this one.
    """
    event = each.event.event
    return not (event.of_gone or event.of_run) and (each.row is None or not each.row.indexed)


def _chained(batch: Sequence[Delivery], before: int) -> list[Delivery]:
    """The deliveries, each with the number of the one before it."""
    numbers = [before, *(each.seq for each in batch)]
    return [replace(each, previous_seq=number) for number, each in zip(numbers, batch, strict=False)]


def gives_html(settings: ReceiverSettings) -> bool:
    """Return whether a receiver with these settings gets the HTML of documents that came as HTML."""
    return isinstance(settings, RecordSettings) and settings.html


def html_of(frame: Frame) -> str:
    """The HTML of a kept page in the charset that it was read in; no secret is in an address that stands in it.

    Of a large page in UTF-16 the copy says UTF-8, since it was read as that: its bytes say better.
    """
    return redacted(decoded(frame.body, utf16_of(frame.body, "") or frame.charset).text)


def _copy(row: Any, frame: Frame) -> KeptCopy:
    return KeptCopy(frame.status_line, frame.header_block, frame.body, frame.mime, row.fetched_at, frame.truncated)


def document_record(row: Any) -> dict[str, object]:
    """The Document record of the interfaces, of a row that has a kept copy; no secret is in an address of it."""
    return {
        "source": row.source, "url": row.url, "access_url": _shown(row), "state": "providing", "status": row.status,
        "outcome": OutcomeKind.OK.name.lower(), "reason": None, "rule": None, "title": row.title, "mime": row.mime,
        "language": row.language, "size_bytes": row.size_bytes, "depth": row.depth,
        "referrer": redacted(row.referrer) if row.referrer else None,
        "content_hash": row.content_hash.hex(), "fetched_at": rfc3339(row.fetched_at),
        "changed_at": rfc3339(row.changed_at), "next_visit_at": None, "indexed": bool(row.indexed),
        "attempts": row.attempts,
    }  # fmt: skip


def _shown(row: Any) -> str:
    """Return the URL that a document was fetched from, without the parts that must not be shown to others.

    What the source's own settings hide is known by the address that is shown. Where a rule has another one fetched
    than is shown, the usual names are hidden in it.
    """
    if STARS in row.url:
        return str(row.url)
    return str(row.address) if row.url == row.address else redacted(row.address)
