"""Detection of moved files in a listing: a known file at a new URL.

Renaming a folder brings no new documents.

named for the first time -> held back until the listing has ended -> a document is absent that had its version? moved
                                                                `-> else admitted as new

A copy or a hard link is not a move: the old address must be gone. Data that depends on the address is reread: titles
and types that come from names, links, which are relative to their document, and every document of a source whose
attributes depend on the place, like the folder of a message. Receivers get one event for a move:
at once, or after rereading if the document is reread; the index alone gets an event at once in both cases.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from cormorant.frontier.links import codec
from cormorant.frontier.staging import member_rows, staged_versions
from cormorant.frontier.state import enqueue, relocate
from cormorant.frontier.state.relocate import Absent, Move
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import WITHHELD
from cormorant.model.url import fingerprint, is_below
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.sources.protocol import Discovery
from cormorant.store.catalog import receivers
from cormorant.store.journal import tombstones, visits
from cormorant.store.journal.tombstones import Tombstone

if TYPE_CHECKING:
    from cormorant.crawl.commit.batch import Visited
    from cormorant.frontier.state.enqueue import Admission, NewUrl, SiteNumbers
    from cormorant.model.resource import DiscoveredUrl
    from cormorant.sources.protocol import Source
    from cormorant.store.db.database import Store, Tx

CHUNK = 1_000
MOST = 100_000
"""Addresses held back (40 MB); later ones are admitted at once, so renamed files among them count as new."""


class Newcomers:
    """Files that a complete listing has named for the first time so far.

    Nothing is held back for a source without known files.
    """

    def __init__(self, store: Store, source: Source, order: Admission, sites: SiteNumbers) -> None:
        self._source, self._order, self._sites = source, order, sites
        self._held = defaultdict[str, list["DiscoveredUrl"]](list)
        with store.read() as tx:
            lists = source.tracks_moves and source.discovery is Discovery.LISTING and order.mode not in WITHHELD
            self._room = MOST if lists and relocate.absent(tx, source.number, order.run, 1, 0) else 0

    def hold(self, tx: Tx, arrivals: Sequence[NewUrl]) -> list[DiscoveredUrl]:
        """Hold back new files. Returns the known files, and new ones for which there is no room."""
        new = enqueue.unknown(tx, self._sites, arrivals)[: self._room] if self._room else []
        held = {key: found for found, key in new if found.validator}
        for found in held.values():
            self._held[found.validator].append(found)
        self._room -= len(held)
        return [found for found, key in arrivals if key not in held]

    def move(self, tx: Tx, behind: int) -> tuple[int, int | None]:
        """Match the next absent documents with new files: the number moved, and where to continue (None at the end)."""
        absent = relocate.absent(tx, self._order.source, self._order.run, CHUNK, behind) if self._held else []
        blobs = staged_versions.links_of(tx, [each.id for each in absent])
        linking = {number for number, blob in blobs.items() if codec.unpack(blob)}
        linking |= member_rows.of_containers(tx, [each.id for each in absent]).keys()  # members' URLs begin with it
        moves = list[Move]()
        for was in absent:
            found = None if is_below(was.address, self._source.unlisted) else self._taken(was)
            if found is not None:
                again = self._source.rereads_moved or was.id in linking or not _namesakes(was, found)
                shown = self._source.display(found.display or found.address)
                moves.append(Move(was, found, shown, again))
        moved = self._carried(tx, moves) if moves else 0
        return moved, absent[-1].id if len(absent) == CHUNK else None

    def _taken(self, was: Absent) -> DiscoveredUrl | None:
        """Return the new URL of an absent document, one with the same file name if there are several."""
        alike = self._held.get(was.validator)
        if not alike:
            return None
        return alike.pop(next((n for n, found in enumerate(alike) if _namesakes(was, found)), 0))

    def _carried(self, tx: Tx, moves: Sequence[Move]) -> int:
        """Move documents and append events: the old address is deleted, and the document is at the new one."""
        run, now = self._order.run, tx.now()
        taken = relocate.carry(tx, self._sites, self._order, moves, now)
        index = receivers.index(tx)
        entries, rows = list[NewEvent](), list[visits.VisitRow]()
        for was, _, _, again in taken:
            moved = NewEvent(self._order.source, was.id, run, Event.MOVED)
            entries.append(NewEvent(self._order.source, was.id, run, Event.DELETED, was.url))
            entries.append(moved._replace(event=Event.CHANGED, receiver=index) if again else moved)
            said = int(OutcomeKind.UNCHANGED), 200, 0, None, visits.RENAMED if again else "address"
            rows.append(visits.VisitRow(was.id, run, now, *said, f"It was moved here from {was.address}."))
        if taken:
            relocate.show(tx, taken, stream.append(tx, entries))
            visits.write(tx, rows)
            tombstones.write(tx, [self._tombstone(was, now) for was, *_ in taken])
        for each in set(moves).difference(taken):
            self._held[each.found.validator].append(each.found)
        return len(taken)

    def _tombstone(self, was: Absent, now: float) -> Tombstone:
        source, run = self._order.source, self._order.run
        key = fingerprint(was.address, source)
        return Tombstone(source, key, was.address, was.id, run, now, tombstones.MOVED, None)

    def left(self) -> Iterator[list[DiscoveredUrl]]:
        """Return the files that are new in fact, in batches."""
        found = [each for alike in self._held.values() for each in alike]
        self._held.clear()
        return (found[start : start + CHUNK] for start in range(0, len(found), CHUNK))


def unread(tx: Tx, visited: Sequence[Visited]) -> set[int]:
    """Return the moved documents that were now visited at their new URL for the first time.

    Receivers get the event of the move now.
    """
    some = [each.resource.id for each in visited if each.resource.indexed and not each.resource.content_hash]
    return visits.renamed(tx, some) if some else set()


def _namesakes(was: Absent, found: DiscoveredUrl) -> bool:
    return was.address.rpartition("/")[2] == found.address.rpartition("/")[2]
