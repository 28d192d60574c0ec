"""The two kinds of sinks: the index gets changes and commits, all other receivers get records."""

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
"""After two merges, segments of this size make one that the engine no longer merges with small ones (ADR 0007)."""
COMMIT_S = 5.0
COMMIT_BYTES = 16 << 20
"""Text that an index may hold before a commit: it accepts documents faster than it indexes them."""
QUIET_S = 0.5
"""An index with nothing more to read commits after this, so that the end of a crawl is found at once."""
LARGE = 1_000_000
"""Characters of text, or of HTML, above which a record refers to the cache instead of carrying it."""
HTML = frozenset(("text/html", "application/xhtml+xml"))
"""Media types of which receivers may get the HTML besides the text."""


@dataclass(slots=True)
class DeliveryTally:
    """Counters by run, handed over once."""

    by_run: dict[int, Counters] = field(default_factory=dict)

    def of(self, run: int) -> Counters:
        """The counters of a run."""
        return self.by_run.setdefault(run, Counters())

    def take(self) -> dict[int, Counters]:
        """Everything counted since the last call."""
        taken, self.by_run = self.by_run, {}
        return taken


class IndexSink:
    """Applies inserts, deletes and link updates to the index, and commits. Begins at the acknowledged `place`.

    The index may be ahead of that, if a process was killed between its commit and the acknowledgement. Events between
    are applied again, which changes nothing in the index: only so are they counted and their refusals known.

    Link updates can be applied only to committed documents. Documents since the last commit are inserted again
    instead, from their cached copy: with a commit for each, a crawl of many near duplicates would make twice the
    segments.
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
        """Look up the documents, compare them, and return them with rights, classes and anchor summaries."""
        found = self._shelf.find(tx, events, whole=self._uncommitted)
        near_duplicates.compare(self._store, found)
        with self._store.read() as later:
            return self._shelf.furnished(later, found)

    def receive(self, found: Sequence[Payload], upto: int, now: float) -> int:
        """Apply changes, and commit if there are enough or the first has waited long enough."""
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
            self.place, self._heard = upto, now  # events for others lie between; runs wait until the place is past them
            self._commit()
        return self._confirmed

    def _commit(self) -> None:
        """Commit all changes. An index that is ahead of the acknowledged place keeps its place."""
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
            counters.deleted += event.event.of_known_gone  # an event of before it left is no second deletion
            return Delete(event.resource)
        if frame is None:
            return self._keep(each)
        counters.index_writes += 1
        counters.indexed += event.event is Event.NEW
        return Upsert(entry_of(each))

    def _keep(self, each: Payload) -> Change:
        """A document whose copy is damaged: its index entry stays, with the current rights."""
        self._tally.of(each.event.run).index_damaged += 1
        self._refused.append(Refusal(each.event.seq, DAMAGED))
        return UpdateLinks(each.event.resource, each.said.anchors, each.said.score, each.rights, near=each.near)

    def counted(self) -> Mapping[int, Counters]:
        """Index writes, deletes and updates of links by run."""
        return self._tally.take()

    def said(self) -> Sequence[Refusal | Stop]:
        """Documents that the index did not get since the last call because their copies are damaged."""
        taken, self._refused = self._refused, []
        return taken

    def close(self) -> None:
        """Release the writer; events that were not committed are delivered again."""
        self._writer.close()


def _deciding(found: Sequence[Payload]) -> list[Payload]:
    """The newest event of each document; an event about links only if there is no other, since documents bring links.

    Events of runs, and events of documents that lost their last link, change nothing in the index.
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
    """Hands records to a receiver; its confirmed place is the last one handed over. Opened at the first hand-over.

    Settings choose the form of records: `delta`, `when`, `runs`. Each record names the one before (`last_seq`),
    since events for other receivers take numbers too.
    """

    def __init__(self, receiver: Receiver, shelf: PayloadLoader, place: int, last_seq: int = 0) -> None:
        self._receiver, self._shelf, self.place, self.last_seq = receiver, shelf, place, last_seq
        self._names: dict[int, str] = {}
        self._said: list[Refusal | Stop] = []
        self._open = False

    def prepare(self, tx: Tx, events: Sequence[Numbered]) -> Sequence[Payload]:
        """Look up the documents; with `when = end`, stop at events of a run that may find more."""
        settings = self._receiver.settings
        if settings.when == "end":
            early = transitions.finding(tx)
            events = list(takewhile(lambda event: event.run not in early, events))
        self._names |= sources.names(tx, {each.source for each in events} - self._names.keys())
        found = self._shelf.find(tx, events, body=settings.COPIES or (HTML if gives_html(settings) else False))
        return self._shelf.ruled(tx, found) if settings.RIGHTS else found

    def receive(self, found: Sequence[Payload], upto: int, now: float) -> int:  # noqa: ARG002 - the shape of an outlet
        """Deliver; rejected documents are reported and not offered again. If no event is for it, only the place moves.

        A document whose copy is damaged is reported as rejected: it would be delivered as empty.
        """
        if not self._open:
            self._begin()
        settings = self._receiver.settings
        wanted = [each for each in found if is_for(each.event.event, settings) and not _is_past(each)]
        lost = [] if settings.RIGHTS else [each for each in wanted if each.damaged]
        unread = {each.event.seq for each in lost}
        batch = _chained([self._delivery(each) for each in wanted if each.event.seq not in unread], self.last_seq)
        if batch:
            self._said += self._ask(lambda: list(self._receiver.receive(batch)))
            self.last_seq = batch[-1].seq
        self._said += [Refusal(seq, DAMAGED) for seq in sorted(unread)]
        self.place = max(self.place, upto)
        return self.place

    def _begin(self) -> None:
        """Open the receiver. Raises NotMade if that fails permanently.

        Temporary causes keep their error, also if another process writes the receiver's file: a run waits for these.
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
        """Close the receiver. An exception is only logged: the receiver has confirmed all of its records."""
        with suppress(CormorantError):
            self._ask(self._receiver.close)
        self._open = False

    def _ask(self, call: Callable[[], T]) -> T:
        """Call the receiver. Raises only CormorantError: the receiver then rests, and the others continue."""
        try:
            return call()
        except CormorantError:
            raise
        except Exception as error:
            _log.exception("fault", extra={"receiver": self._receiver.kind})
            raise CormorantError(f"{fault(error)}. logs/provider.log says where.") from error


def is_for(event: Event, settings: ReceiverSettings) -> bool:
    """Return whether an event is for a receiver with these settings. Only the index gets events about links."""
    if event is Event.LINKS:
        return False
    if event.of_run:
        return settings.runs
    return settings.delta or not (event.of_gone or event.of_unvisited)


def _is_past(each: Payload) -> bool:
    """Return whether the document of an event is already gone.

    A later event reports the deletion, so this one is skipped.
    """
    event = each.event.event
    return not (event.of_gone or event.of_run) and (each.row is None or not each.row.indexed)


def _chained(batch: Sequence[Delivery], before: int) -> list[Delivery]:
    """The deliveries, each with the number of the one before it."""
    numbers = [before, *(each.seq for each in batch)]
    return [replace(each, previous_seq=number) for number, each in zip(numbers, batch, strict=False)]


def gives_html(settings: ReceiverSettings) -> bool:
    """Return whether a receiver with these settings gets the HTML of documents fetched as HTML."""
    return isinstance(settings, RecordSettings) and settings.html


def html_of(frame: Frame) -> str:
    """The HTML of a cached page, decoded by the charset with which it was read; secrets in its addresses are masked.

    The copy of a large page in UTF-16 names UTF-8, as which it was read: the bytes decide.
    """
    return redacted(decoded(frame.body, utf16_of(frame.body, "") or frame.charset).text)


def _copy(row: Any, frame: Frame) -> KeptCopy:
    return KeptCopy(frame.status_line, frame.header_block, frame.body, frame.mime, row.fetched_at, frame.truncated)


def document_record(row: Any) -> dict[str, object]:
    """The Document record of the interfaces for a row with a cached copy; secrets in its addresses are masked."""
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

    If the source's own settings hide parts, the display address is used. If a rule has another address fetched than
    shown, the usual secret parameters are masked in it.
    """
    if STARS in row.url:
        return str(row.url)
    return str(row.address) if row.url == row.address else redacted(row.address)
