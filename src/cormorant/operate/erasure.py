"""Erase what was taken down from the disk, and prove by a scan that nothing of it is left.

    passages of its text noted -> rows -> kept copies, overwritten in place -> index, made from the rest -> searches
    that find nothing without it -> database, rewritten -> logs, overwritten -> scan: nothing is left

Nothing is reported as erased before that scan. Killed anywhere, the takedown is still in force and still to be erased:
`takedown erase` goes through all of it again. A crawl or `serve` may be at work meanwhile.

Not in reach: backups that were taken before, what receivers keep, blocks that a copy-on-write file system or a solid
state disk keeps by itself, and the write-ahead log of a PostgreSQL server until that reuses it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from cormorant.base.clock import pause, rfc3339
from cormorant.base.errors import CacheDamaged, ConflictError, StoreError
from cormorant.cache.check import walk
from cormorant.cache.frame import Frame
from cormorant.cache.packs import ERASED, Head, pack_numbers, packs_folder
from cormorant.cache.protocol import Cache, Place
from cormorant.catalog import takedowns
from cormorant.catalog.takedowns import TakedownRow
from cormorant.crawl.takedowns import Takedowns
from cormorant.frontier import inversion
from cormorant.index import generations
from cormorant.journal import queries
from cormorant.operate import indexing, searching
from cormorant.operate.house import House
from cormorant.operate.takedowns import matching
from cormorant.search.reader import Question
from cormorant.store.database import Tx
from cormorant.store.schema import content, inlinks, outlinks, resource, version, visit

WAIT_S: Final = 120.0
"""How long it waits for a backup, a compaction or another writer to end."""
AGAIN_S: Final = 0.5
CHUNK: Final = 500
MOST_DOCUMENTS: Final = 200
"""Copies whose passages are looked for in files; packs and index are looked through for all documents."""
PASSAGES: Final = 4
PASSAGE: Final = 40
"""How many passages are looked for of a document, those of its longest lines, and how many bytes each has."""
_WINDOW: Final = 4 << 20
_WORD: Final = re.compile(r"\w{3,}")
_LOGS, _INDEX = "logs", "index"


@dataclass(slots=True)
class Erased:
    """What an erasure did, and what its scan found. `left_in` names files that still hold a passage."""

    documents: int = 0
    copies: int = 0
    searches: int = 0
    log_passages: int = 0
    files_scanned: int = 0
    bytes_scanned: int = 0
    passages: int = 0
    left_in: list[str] = field(default_factory=list)

    @property
    def proven(self) -> bool:
        """Whether the scan found nothing."""
        return not self.left_in


def erase(house: House, number: int, *, lent: bool, told: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Erase what a takedown hides, and scan for it; returns the record of what was done.

    `lent`: a crawl or `serve` is at work. `told` is given each step in a few words. The takedown counts as erased only
    if the scan found nothing. Raises NotFoundError, ConflictError where it is not in force or others do not let go of
    copies or index in time, StoreError for a database that stays busy, DataFolderError.
    """
    with house.store.read() as tx:
        row = takedowns.by_id(tx, number)
        if not row.in_force:
            raise ConflictError(f"Takedown {number} has ended, so its documents may be found; nothing was erased.")
        numbers = _numbers(tx, row)
    done = Erased()
    with closing(house.cache()) as cache:
        places, strays = _copies(house, cache, row, numbers)
        frames = list(islice(_frames(cache, (*places, *strays)), MOST_DOCUMENTS))
        needles, words = _passages(frames), _words(frames)
    del frames
    done.documents, done.passages = len(numbers), len(needles)
    told("Erasing rows")
    _erase_rows(house, numbers)
    told("Erasing kept copies")
    done.copies = _erase_copies(house, row, numbers)
    if house.searchable:
        told("Making the index from what is left")
        indexing.rebuild(house, lent=lent)
        done.searches = _erase_searches(house, words)
    told("Rewriting the database")
    _patiently(house, house.store.scrub)
    done.log_passages = _erase_in_logs(house, needles)
    told("Scanning the data folder")
    _scan(house, row, numbers, needles, done)
    if done.proven:
        with house.store.begin() as tx:
            takedowns.mark_erased(tx, number)
    with house.store.read() as tx:
        erased_at = takedowns.by_id(tx, number).erased_at
    return {
        "id": number, "erased": done.proven, "erased_at": rfc3339(erased_at), "documents": done.documents,
        "copies": done.copies, "searches": done.searches, "log_passages": done.log_passages,
        "files_scanned": done.files_scanned, "bytes_scanned": done.bytes_scanned, "passages": done.passages,
        "left_in": done.left_in,
    }  # fmt: skip


def pending(house: House) -> list[int]:
    """The takedowns in force that are still to be erased."""
    with house.store.read() as tx:
        return [row.id for row in takedowns.in_force(tx) if row.erase and row.erased_at is None]


def _numbers(tx: Tx, row: TakedownRow) -> list[int]:
    """The known documents that a takedown hides."""
    return [each.id for chunk in matching(tx, [row.rule], row.source) for each in chunk]


def _copies(house: House, cache: Cache, row: TakedownRow, numbers: Sequence[int]) -> tuple[list[Place], list[Place]]:
    """Where copies lie of these documents, and copies of their addresses that no row knows any more.

    A purged address leaves its copy in a pack; the copy says itself which address it is of.
    """
    wanted, strangers = set(numbers), dict[int, list[Place]]()
    mine: list[Place] = []
    for pack in pack_numbers(house.packs.directory):
        for piece in walk(house.packs.directory, pack):
            if not isinstance(piece, Head) or piece.resource == ERASED:
                continue
            if piece.resource in wanted:
                mine.append(piece.place)
            else:
                strangers.setdefault(piece.resource, []).append(piece.place)
    known = _known(house, list(strangers))
    compiled = Takedowns([row], row.source)
    lost: list[Place] = []
    for number, places in strangers.items():
        if number not in known:
            lost += [place for place in places if _is_of(cache, place, compiled)]
    return mine, lost


def _known(house: House, numbers: Sequence[int]) -> set[int]:
    """Those of these numbers that a row has."""
    found = set[int]()
    with house.store.read() as tx:
        for start in range(0, len(numbers), CHUNK):
            some = sa.select(resource.c.id).where(resource.c.id.in_(numbers[start : start + CHUNK]))
            found.update(each.id for each in tx.rows(some))
    return found


def _is_of(cache: Cache, place: Place, compiled: Takedowns) -> bool:
    """Does a copy say that it is of an address that the takedown means? One that cannot be read says nothing."""
    try:
        frame = cache.read(place, body=False)
    except CacheDamaged:
        return False
    return compiled.ruling(frame.url, frame.access_url) is not None


def _frames(cache: Cache, places: Iterable[Place]) -> Iterator[Frame]:
    for place in places:
        try:
            yield cache.read(place, body=False)
        except CacheDamaged:
            continue


def _passages(frames: Iterable[Frame]) -> list[bytes]:
    """Passages by which texts are known again in a file: some of each text, none that is too short to tell."""
    found: dict[bytes, None] = {}
    for frame in frames:
        lines = [line for line in (each.strip() for each in frame.text.splitlines()) if len(line.encode()) >= PASSAGE]
        for line in sorted(lines, key=len, reverse=True)[:PASSAGES]:
            found[line.encode("utf-8", "replace")[:PASSAGE]] = None
    return list(found)


def _words(frames: Iterable[Frame]) -> frozenset[str]:
    """The words of texts, in small letters."""
    return frozenset(word for frame in frames for word in _WORD.findall(f"{frame.title} {frame.text}".lower()))


def _erase_searches(house: House, words: frozenset[str]) -> int:
    """Delete searches from the log that use words of the texts and find nothing without them; returns how many."""
    shelf, gone = searching.library(house), list[str]()
    with house.store.read() as tx:
        asked = queries.wordings(tx)
    for wording in asked:
        if words.isdisjoint(_WORD.findall(wording)):
            continue
        if not searching.search(house, Question(wording, limit=0), shelf=shelf).total:
            gone.append(wording)
    with house.store.begin() as tx:
        return queries.forget(tx, gone)


def _erase_rows(house: House, numbers: Sequence[int]) -> None:
    """Delete what rows say of the documents: versions, links, anchor texts that they gave others, hashes, reasons."""
    for start in range(0, len(numbers), CHUNK):
        some = numbers[start : start + CHUNK]
        with house.store.begin() as tx:
            owners: dict[int, list[int]] = {}
            for each in tx.rows(sa.select(resource.c.id, resource.c.source_id).where(resource.c.id.in_(some))):
                owners.setdefault(each.source_id, []).append(each.id)
            for source, pages in owners.items():
                inversion.withdraw(tx, source, pages)
            for table in (content, version, outlinks, inlinks):
                tx.execute(sa.delete(table).where(table.c.id.in_(some)))
            bare = {"content_hash": None, "size_bytes": 0, "reason": None}
            tx.execute(sa.update(visit).where(visit.c.resource_id.in_(some)).values(**bare))


def _erase_copies(house: House, row: TakedownRow, numbers: Sequence[int]) -> int:
    """Overwrite every copy, also those of versions before; returns how many there were."""

    def at_once() -> int:
        with house.packs.held(alone=True), closing(house.cache()) as cache:
            mine, lost = _copies(house, cache, row, numbers)
            cache.erase([*mine, *lost])
        return len(mine) + len(lost)

    return _patiently(house, at_once)


def _patiently(house: House, step: Callable[[], int | None]) -> int:
    """Take a step as soon as others let it be taken. Raises what it raised last once WAIT_S are over."""
    until = house.clock.monotonic() + WAIT_S
    while True:
        try:
            return step() or 0
        except (ConflictError, StoreError):
            if house.clock.monotonic() > until:
                raise
        pause(AGAIN_S)


def _erase_in_logs(house: House, needles: Sequence[bytes]) -> int:
    """Put stars over passages in logs, in place, so that whoever appends goes on; returns how many there were."""
    count = 0
    for path in _files([house.folder / _LOGS]):
        for offset, needle in _found(path, needles):
            descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
            try:
                os.pwrite(descriptor, b"*" * len(needle), offset)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            count += 1
    return count


def _scan(house: House, row: TakedownRow, numbers: Sequence[int], needles: Sequence[bytes], done: Erased) -> None:
    """Read every file of the installation; look into packs by entries, and into the index by documents.

    Both hold other documents too, which may say the same in places. The index was made from what is left, so there it
    matters that no older one is beside it.
    """
    with closing(house.cache()) as cache:
        mine, lost = _copies(house, cache, row, numbers)
    done.left_in += sorted({f"pack {place.pack:016x}" for place in (*mine, *lost)})
    if house.searchable and numbers and set(_indexed(house, numbers)):
        done.left_in.append("index")
    index, packs = house.folder / _INDEX, packs_folder(house.packs.directory)
    done.left_in += [str(each) for each in generations.others(index)]
    for path in _files([house.folder, house.packs.directory, *house.store.files()]):
        done.files_scanned += 1
        done.bytes_scanned += path.stat().st_size
        is_looked_into = index in path.parents or packs in path.parents
        if not is_looked_into and next(_found(path, needles), None) is not None:
            done.left_in.append(str(path))


def _indexed(house: House, numbers: Sequence[int]) -> Iterator[int]:
    """Those of these documents that the index still has."""
    index = house.index_reader()
    index.refresh()
    for number in numbers:
        if index.ids(number - 1, 1) == [number]:
            yield number


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    """Every regular file below these folders, or named itself, each once."""
    seen = set[tuple[int, int]]()
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
            if path.is_symlink() or not path.is_file():
                continue
            about = path.stat()
            if (about.st_dev, about.st_ino) not in seen:
                seen.add((about.st_dev, about.st_ino))
                yield path


def _found(path: Path, needles: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Where passages stand in a file: offset and passage. A file that is gone meanwhile has none."""
    if not needles:
        return
    for start, window in _windows(path, max(map(len, needles)) - 1):
        for needle in needles:
            yield from ((start + found.start(), needle) for found in re.finditer(re.escape(needle), window))


def _windows(path: Path, overlap: int) -> Iterator[tuple[int, bytes]]:
    """A file in pieces, each with its offset, that have so many bytes in common with the piece before."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        start, held = 0, b""
        while chunk := file.read(_WINDOW):
            window = held + chunk
            yield start, window
            held = window[len(window) - overlap :]
            start += len(window) - len(held)


def kept_before(house: House) -> list[str]:
    """Files in the data folder that an upgrade kept of the database, and which may hold what was erased."""
    return [str(path) for path in sorted(house.folder.glob("*.before-*")) if path.is_file()]
