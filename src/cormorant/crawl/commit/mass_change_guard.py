"""Guard against mass changes: many documents that change to the same text at once.

The older versions then stay in use until an administrator decides.

    settled: changed alone -> in use, the older version kept beside it
             changed to what two others were changed to, all three different before -> HELD, the newer one kept beside
    swept:   most of the run's documents -> those in use are put back, the run is held -> accept: in use; refuse: gone
             some of them ----------------> in use

A maintenance page or a login page with status 200 looks like any other change, except that all pages have it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from cormorant.base.errors import CacheDamaged
from cormorant.crawl.commit import batch as batch_rows, persist
from cormorant.crawl.visit.convert import unconfirmed
from cormorant.extract.compare.fingerprint import likeness
from cormorant.frontier.policy import deletion_guard
from cormorant.frontier.staging import staged_versions, unreviewed
from cormorant.frontier.staging.staged_versions import Version
from cormorant.frontier.state import refetch, writes
from cormorant.model.outcome import Held, Ok, OutcomeKind, Unchanged
from cormorant.model.run import Mode
from cormorant.model.status import Status
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.blobs.protocol import BlobPlace
from cormorant.store.journal import runs, visits

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

    from cormorant.crawl.commit.batch import Batch, Packed, Visited
    from cormorant.frontier.state.enqueue import Admission
    from cormorant.store.blobs.protocol import Cache
    from cormorant.store.db.database import Store, Tx
    from cormorant.store.journal.runs import RunRow

SEVERAL = 3
"""Documents with the same new text and as many different older texts: from then on, newer versions wait."""
LOOKED_AT = 8
"""Older copies that are compared; if they were alike too, the change is no mass change."""
CHUNK = 500


class MassChangeGuard:
    """One retriever's knowledge of the texts to which documents of a run changed."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._known: dict[int, bool] = {}

    def sorted_out(self, tx: Tx, batch: Batch, places: Mapping[int, Sequence[int]], order: Admission) -> Batch:
        """The batch in which those changes are HELD that must wait: all changes in a run with mode examine.

        `places` are the places of the packed frames.
        Costs nothing if nothing changed; otherwise two reads and one write for all changes of the batch.
        """
        run = order.run
        if order.mode is Mode.EXAMINE:
            return _examined(tx, batch, places, run)
        changed = {packed.visited.resource.id: packed for packed in batch.packed if _key(packed)}
        if not changed:
            return batch
        before = staged_versions.in_use(tx, changed)
        swallowed = self._swallowed(tx, changed, before, run)
        wait = {number: packed for number, packed in changed.items() if _key(packed) in swallowed}
        staged_versions.keep_older(
            tx,
            [
                Version(number, packed.visited.resource.source, run, _key(packed), False, before[number])
                for number, packed in changed.items()
                if number not in wait and number in before
            ],
        )
        if not wait:
            return batch
        keep_waiting(tx, batch, list(wait.values()), places, run)
        return without(batch, list(wait.values()))

    def _swallowed(
        self, tx: Tx, changed: Mapping[int, Packed], before: Mapping[int, tuple[Any, ...]], run: int
    ) -> set[int]:
        """The likeness keys that several documents have now and that had different texts before."""
        alike = defaultdict[int, list[int]](list)
        for number, packed in changed.items():
            alike[_key(packed)].append(number)
        source = next(iter(changed.values())).visited.resource.source
        counts = staged_versions.alike(tx, source, run, alike.keys() - self._known.keys())
        for key, numbers in alike.items():
            if key in self._known or counts.get(key, 0) + len(numbers) < SEVERAL:
                continue
            places = [staged_versions.place_of(before[each]) for each in numbers[:LOOKED_AT] if each in before]
            places += staged_versions.older_places(tx, source, run, key, LOOKED_AT - len(places))
            if len({self._said(*place) for place in places}) >= SEVERAL:
                self._known[key] = True
            elif len(places) >= LOOKED_AT:
                self._known[key] = False
        return {key for key in alike if self._known.get(key)}

    def _said(self, pack: int, offset: int, length: int) -> object:
        """The likeness key of an older version; a unique one if its copy cannot be read."""
        try:
            frame = self._cache.read(BlobPlace(pack, offset, length), body=False)
        except CacheDamaged:
            return (pack, offset)
        return likeness(frame.title, frame.text, frame.access_url)


def _examined(tx: Tx, batch: Batch, places: Mapping[int, Sequence[int]], run: int) -> Batch:
    """The batch of a run with mode examine: new versions of all indexed documents wait.

    A changed text is HELD. A document that was refetched by force without a change is UNCHANGED; its new copy waits.
    """
    known = [packed for packed in batch.packed if packed.visited.resource.indexed]
    same = [each for each in known if batch_rows.says_the_same(each.visited.resource, each.visited.report.outcome)]
    fresh = {id(each.visited) for each in same}
    other = [each for each in known if id(each.visited) not in fresh]
    keep_waiting(tx, batch, other, places, run)
    keep_waiting(tx, replace(batch, links={}), same, places, run)
    rest = without(batch, other, unreviewed.WAITS) if other else batch
    return replace(
        rest,
        visited=[_unchanged(each) if id(each) in fresh else each for each in rest.visited],
        packed=[each for each in rest.packed if id(each.visited) not in fresh],
    )


def _unchanged(visited: Visited) -> Visited:
    """The visit as Unchanged, without validators, so that the next run does not confirm the copy that is in use."""
    outcome = visited.report.outcome
    if not isinstance(outcome, Ok) or outcome.document is None:
        raise AssertionError("only what was read says the same")
    document = structs.replace(outcome.document, content_hash=b"")
    same = Unchanged(int(Status.OK), unconfirmed(outcome.content), document)
    fate = visited.fate._replace(outcome=same.kind, status=same.status)
    return visited._replace(report=visited.report._replace(outcome=same), fate=fate)


def _key(packed: Packed) -> int:
    outcome = packed.visited.report.outcome
    return outcome.likeness if isinstance(outcome, Ok) else 0


def keep_waiting(tx: Tx, batch: Batch, wait: Sequence[Packed], places: Mapping[int, Sequence[int]], run: int) -> None:
    """Keep these newer versions beside those in use. `places` are the places of the packed frames."""
    found = ((each, batch.links.get(each.visited.resource.id)) for each in wait)
    staged_versions.keep_waiting(tx, [_waiting(each, places[id(each)], run, links) for each, links in found])


def _waiting(packed: Packed, place: Sequence[int], run: int, links: bytes | None) -> Version:
    pack, offset, length = place
    row = writes.storable(batch_rows.content_of(packed, (pack, offset, length), lambda _: 0))
    values = tuple(getattr(row, name) for name in staged_versions.COLUMNS)
    likeness = _key(packed) or -row.id  # unchanged texts are like no other
    return Version(row.id, row.source_id, run, likeness, True, values, links)


def without(batch: Batch, wait: Sequence[Packed], reason: str = "") -> Batch:
    """The batch in which these visits end HELD for this reason; by default, that other documents changed alike."""
    held = {id(packed.visited): _held(packed.visited, reason) for packed in wait}
    return replace(
        batch,
        visited=[held.get(id(each), each) for each in batch.visited],
        packed=[each for each in batch.packed if id(each.visited) not in held],
        links={n: blob for n, blob in batch.links.items() if n not in {p.visited.resource.id for p in wait}},
    )


def _held(visited: Visited, reason: str) -> Visited:
    document = visited.report.outcome.document if isinstance(visited.report.outcome, Ok) else None
    outcome = Held(reason or _reason(document.title if document else ""))
    if document is not None:
        outcome = structs.replace(outcome, acl=document.acl, original=document.original)
    fate = visited.fate._replace(outcome=OutcomeKind.HELD, status=outcome.status, reason=outcome.reason)
    return visited._replace(report=visited.report._replace(outcome=outcome), fate=fate)


def _reason(title: str) -> str:
    return f"It would say {title!r}, as others would that said something else before; what it said stays."


def begin(store: Store, source: int, run: int) -> None:
    """Begin a run: put undecided changes of an earlier, stopped run back to the older versions."""
    with store.read() as tx:
        found = staged_versions.groups(tx, source, None, 1)
    for key, _ in found:
        _put_back(store, source, run, key)
    with store.begin() as tx:
        unreviewed.recall_changed(tx, source)
        staged_versions.forget(tx, source)


def settle(store: Store, row: RunRow) -> str:
    """Settle the changes after all visits of a run: returns why the run must be held, or "" and uses waiting versions.

    Versions that an administrator accepted are used as well.
    """
    source, run, held = row.source_id, row.id, None
    with store.begin() as tx:
        found = staged_versions.groups(tx, source, run, deletion_guard.SMALLEST) if row.asked != runs.ACCEPT else []
        visited = staged_versions.visited(tx, source, run) if found else 0
        if found and deletion_guard.is_mass_change(found[0][1], visited):
            held = found[0][0]
    if held is not None:
        _put_back(store, source, run, held)
    while _let_in(store, source, run, held):
        pass
    while _renew(store, source, run):
        pass
    with store.begin() as tx:
        staged_versions.forget(tx, source, held)
        said = staged_versions.of_group(tx, source, held, 1, waiting=True) if held is not None else []
    if not said:
        return ""
    title = staged_versions.title_of(said[0].values)
    return f"{found[0][1]} of {visited} documents would all say the same now: {title!r}."


def _put_back(store: Store, source: int, run: int, key: int) -> None:
    """Put documents with this likeness key back to their older versions; the newer versions wait."""
    while True:
        with store.begin() as tx:
            older = staged_versions.of_group(tx, source, key, CHUNK, waiting=False)
            if not older:
                return
            numbers = [each.id for each in older]
            newer, links = staged_versions.in_use(tx, numbers), staged_versions.links_of(tx, numbers)
            _use(tx, older, run)
            staged_versions.links_back(tx, numbers)
            staged_versions.keep_waiting(
                tx, [e._replace(waiting=True, values=newer[e.id], links=links.get(e.id)) for e in older]
            )
            reason = _reason(staged_versions.title_of(newer[numbers[0]]))
            _mark(tx, numbers, run, (OutcomeKind.HELD, int(Status.HELD), reason))
            _recount(tx, run, held=sum(each.run == run for each in older))


def _let_in(store: Store, source: int, run: int, but: int | None) -> bool:
    """Use some of the waiting versions from now on. Returns whether more may be waiting."""
    with store.begin() as tx:
        some = staged_versions.waiting(tx, source, CHUNK, but)
        if not some:
            return False
        numbers = [each.id for each in some]
        _use(tx, some, run)
        writes.links(tx, [(each.id, run, False, each.links) for each in some if each.links is not None])
        _mark(tx, numbers, run, (OutcomeKind.OK, int(Status.OK), None))
        staged_versions.drop(tx, numbers)
        _recount(tx, run, held=-len(some))
    return True


def _renew(store: Store, source: int, run: int) -> bool:
    """Use fresh copies of some documents and deliver them again. Returns whether more may be waiting."""
    with store.begin() as tx:
        some = staged_versions.fresh(tx, source, CHUNK)
        _use(tx, some, run, refetch.awaited(tx, [each.id for each in some]))
        staged_versions.drop(tx, [each.id for each in some])
    return bool(some)


def _use(tx: Tx, some: Sequence[Version], run: int, known: Container[int] = ()) -> None:
    """Use these versions. Receivers get an event for a change; if only the copy differs, the index alone gets one."""
    events = ((each, Event.FOUND if each.id in known else Event.CHANGED) for each in some)
    entries = [NewEvent(each.source, each.id, run, event) for each, event in events]
    staged_versions.use(tx, some, stream.append(tx, persist.aimed(tx, entries)))


def _mark(tx: Tx, numbers: Sequence[int], run: int, end: tuple[OutcomeKind, int, str | None]) -> None:
    outcome, status, reason = end
    staged_versions.mark(tx, numbers, outcome, status, reason)
    changed = "outcome" if outcome is OutcomeKind.HELD else "content"
    now = tx.now()
    visits.write(
        tx, [visits.VisitRow(number, run, now, int(outcome), status, 0, None, changed, reason) for number in numbers]
    )


def _recount(tx: Tx, run: int, held: int) -> None:
    """Move this number of documents from the count of changed to the count of held (back, if negative)."""
    counters = runs.counted_by(tx, run, runs.ITSELF)
    counters.held += held
    counters.changed -= held
    runs.count(tx, run, runs.ITSELF, counters)
