"""Erase the documents of a takedown from the disk, and prove by a scan that nothing of them is left.

    passages of the text, from its copies -> index, rebuilt without it -> searches that find nothing without it -> rows
    -> database, rewritten -> logs, overwritten -> scan of all files --something is left--> to be erased still
                                                    `--nothing--> kept copies, overwritten -> scan of packs: erased

The copies go last, since only they hold the passages to search for: if the process is killed, `takedown erase` repeats
all steps. A takedown counts as erased only after both scans. A crawl or `serve` may run meanwhile.

Not in reach: backups that were taken before, files of receivers, blocks that a copy-on-write file system or a solid
state disk keeps by itself, and the write-ahead log of a PostgreSQL server until that reuses it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, cast

import sqlalchemy as sa

from cormorant.base.clock import pause, rfc3339
from cormorant.base.errors import CacheDamaged, ConflictError, StoreError
from cormorant.crawl.commit.takedowns import TakedownRules
from cormorant.frontier.links import inlinks
from cormorant.operate.documents.takedowns import hidden_by
from cormorant.operate.installation import Installation
from cormorant.operate.records.takedowns import Erasure, ErasureCounts
from cormorant.operate.search import reindex, search
from cormorant.search.index.tantivy import generations
from cormorant.search.reader import Library, Question
from cormorant.store.blobs.pack_format import ERASED, EntryHeader, pack_numbers, packs_folder
from cormorant.store.blobs.protocol import BlobPlace, Cache
from cormorant.store.blobs.record import Frame
from cormorant.store.blobs.verify import walk
from cormorant.store.catalog import takedowns
from cormorant.store.catalog.takedowns import TakedownRow
from cormorant.store.journal import query_log
from cormorant.store.schema import content, outlinks, resource, tombstone, version, visit

WAIT_S: Final = 120.0
"""Seconds to wait for a backup, a compaction or another writer to end."""
AGAIN_S: Final = 0.5
CHUNK: Final = 500
MOST_COPIES: Final = 200
"""Copies whose passages are searched in files; packs and index are searched for all documents."""
PASSAGES: Final = 4
PASSAGE, SHORTEST = 40, 12
"""The number of lines of a copy that are searched, and the most and fewest bytes of a line."""
_WINDOW: Final = 4 << 20
_WORD: Final = re.compile(r"\w{3,}")
_LOGS, _INDEX = "logs", "index"


@dataclass(slots=True)
class Erased:
    """Result of an erasure: `left_in` names files that still hold a passage, and packs with a copy.

    `kept_before` are files of the database from before an upgrade, which may hold it in a compressed form.
    """

    documents: int = 0
    copies: int = 0
    searches: int = 0
    log_passages: int = 0
    files_scanned: int = 0
    bytes_scanned: int = 0
    passages: int = 0
    left_in: list[str] = field(default_factory=list)
    kept_before: list[str] = field(default_factory=list)


def erase(house: Installation, number: int, *, lent: bool, on_step: Callable[[str], None] = lambda _: None) -> Erasure:
    """Erase the documents that a takedown hides, and scan for them; returns the record of the erasure.

    `lent`: a crawl or `serve` is running. `on_step` is called with each step in a few words. The takedown counts as
    erased only if the scan found nothing. Raises NotFoundError, ConflictError if it is not in force or other processes
    do not release copies or index in time, StoreError for a database that stays busy, DataFolderError.
    """
    with house.store.read() as tx:
        row = takedowns.by_id(tx, number)
        if not row.in_force:
            raise ConflictError(f"Takedown {number} has ended, so its documents may be found; nothing was erased.")
        numbers = hidden_by(tx, row)
    done = Erased(documents=len(numbers), kept_before=_kept_before(house))
    with closing(house.cache()) as cache:
        frames = _frames(cache, _spread(_copies(house, cache, row, numbers), MOST_COPIES))
        needles, titles, words = _passages(frames), _titles(frames), _words(frames)
        del frames
    done.passages = len(needles) + len(titles)
    if house.searchable:
        on_step("Rebuilding the index from the remaining copies")
        reindex.rebuild(house, lent=lent)
        done.searches = _erase_searches(house, words)
    on_step("Erasing rows")
    _erase_rows(house, numbers)
    _patiently(house, house.store.scrub)
    _patiently(house, house.store.truncate_log)
    done.log_passages = _erase_in_logs(house, [*needles, *titles])
    on_step("Scanning the data folder")
    _scan(house, numbers, (needles, titles), done)
    if not done.left_in:
        on_step("Erasing kept copies")
        done.copies = _erase_copies(house, row, numbers)
        with closing(house.cache()) as cache:
            done.left_in += [f"pack {place.pack:016x}" for place in _copies(house, cache, row, numbers)]
    if not done.left_in:
        with house.store.begin() as tx:
            takedowns.mark_erased(tx, number)
    with house.store.read() as tx:
        erased_at = takedowns.by_id(tx, number).erased_at
    counts = cast("ErasureCounts", asdict(done))
    return {"id": number, "erased": not done.left_in, "erased_at": rfc3339(erased_at), **counts}


def pending(house: Installation) -> list[int]:
    """The takedowns in force that are still to be erased."""
    with house.store.read() as tx:
        return [row.id for row in takedowns.in_force(tx) if row.erase and row.erased_at is None]


def _copies(house: Installation, cache: Cache, row: TakedownRow, numbers: Sequence[int]) -> list[BlobPlace]:
    """Return the places of copies of these documents, and of copies of their addresses that no row knows.

    A purged address leaves its copy in a pack; the copy holds its address.
    """
    wanted, strangers = set(numbers), dict[int, list[BlobPlace]]()
    found: list[BlobPlace] = []
    for pack in pack_numbers(house.packs.directory):
        for piece in walk(house.packs.directory, pack):
            if not isinstance(piece, EntryHeader) or piece.resource == ERASED:
                continue
            if piece.resource in wanted:
                found.append(piece.place)
            else:
                strangers.setdefault(piece.resource, []).append(piece.place)
    known, compiled = _known(house, list(strangers)), TakedownRules([row], row.source)
    for number, places in strangers.items():
        if number not in known:
            found += [place for place in places if _is_of(cache, place, compiled)]
    return found


def _known(house: Installation, numbers: Sequence[int]) -> set[int]:
    """Return which of these ids still have a row."""
    found = set[int]()
    with house.store.read() as tx:
        for start in range(0, len(numbers), CHUNK):
            some = sa.select(resource.c.id).where(resource.c.id.in_(numbers[start : start + CHUNK]))
            found.update(each.id for each in tx.rows(some))
    return found


def _is_of(cache: Cache, place: BlobPlace, compiled: TakedownRules) -> bool:
    """Return whether the address in a copy is covered by the takedown; False for a damaged copy."""
    try:
        frame = cache.read(place, body=False)
    except CacheDamaged:
        return False
    return compiled.ruling(frame.url, frame.access_url) is not None


def _spread(places: Sequence[BlobPlace], most: int) -> Sequence[BlobPlace]:
    """Return at most `most` places, evenly spread."""
    return places if len(places) <= most else [places[n * len(places) // most] for n in range(most)]


def _frames(cache: Cache, places: Iterable[BlobPlace]) -> list[Frame]:
    """Read the copies, without damaged ones."""
    found: list[Frame] = []
    for place in places:
        with suppress(CacheDamaged):
            found.append(cache.read(place, body=False))
    return found


def _passages(frames: Iterable[Frame]) -> list[bytes]:
    """Passages by which texts are recognized in a file: beginnings of the longest lines, at least SHORTEST bytes."""
    found: dict[bytes, None] = {}
    for frame in frames:
        lines = sorted(map(str.strip, frame.text.splitlines()), key=len, reverse=True)[:PASSAGES]
        for line in lines:
            encoded = line.encode("utf-8", "replace")[:PASSAGE]
            if len(encoded) >= SHORTEST:
                found[encoded] = None
    return list(found)


def _titles(frames: Iterable[Frame]) -> list[bytes]:
    """Titles that are long enough to be recognized in a file."""
    found = (frame.title.strip().encode("utf-8", "replace") for frame in frames)
    return list(dict.fromkeys(each for each in found if len(each) >= SHORTEST))


def _words(frames: Iterable[Frame]) -> frozenset[str]:
    """The words of texts, in lower case."""
    return frozenset(word for frame in frames for word in _WORD.findall(f"{frame.title} {frame.text}".lower()))


def _erase_searches(house: Installation, words: frozenset[str]) -> int:
    """Delete searches from the log that use a word found only in the erased texts; returns their number."""
    shelf = search.library(house)
    with house.store.read() as tx:
        asked = query_log.wordings(tx)
    used = {word for wording in asked for word in _WORD.findall(wording)} & words
    lost = {word for word in used if not _is_found(house, shelf, word)}
    gone = [wording for wording in asked if not lost.isdisjoint(_WORD.findall(wording))]
    with house.store.begin() as tx:
        return query_log.forget(tx, gone)


def _is_found(house: Installation, shelf: Library, word: str) -> bool:
    return search.search(house, Question(word, limit=0, as_typed=True), shelf=shelf).total > 0


def _erase_rows(house: Installation, numbers: Sequence[int]) -> None:
    """Delete the data of documents from rows: versions, links, anchor texts of their links, hashes, reasons."""
    for start in range(0, len(numbers), CHUNK):
        some = numbers[start : start + CHUNK]
        with house.store.begin() as tx:
            owners: dict[int, list[int]] = {}
            for each in tx.rows(sa.select(resource.c.id, resource.c.source_id).where(resource.c.id.in_(some))):
                owners.setdefault(each.source_id, []).append(each.id)
            for source, pages in owners.items():
                inlinks.withdraw(tx, source, pages)
            for table in (content, version, outlinks):
                tx.execute(sa.delete(table).where(table.c.id.in_(some)))
            tx.execute(sa.delete(tombstone).where(tombstone.c.resource_id.in_(some)))
            takedowns.give_back(tx, some)
            bare = {"content_hash": None, "size_bytes": 0, "reason": None}
            tx.execute(sa.update(visit).where(visit.c.resource_id.in_(some)).values(**bare))


def _erase_copies(house: Installation, row: TakedownRow, numbers: Sequence[int]) -> int:
    """Overwrite every copy, including those of older versions; returns their number."""

    def at_once() -> int:
        with house.packs.held(alone=True), closing(house.cache()) as cache:
            places = _copies(house, cache, row, numbers)
            cache.erase(places)
        return len(places)

    return _patiently(house, at_once)


def _patiently(house: Installation, step: Callable[[], int | None]) -> int:
    """Repeat a step until no other process blocks it. Raises its last error after WAIT_S."""
    until = house.clock.monotonic() + WAIT_S
    while True:
        try:
            return step() or 0
        except (ConflictError, StoreError):
            if house.clock.monotonic() > until:
                raise
        pause(AGAIN_S)


def _erase_in_logs(house: Installation, needles: Sequence[bytes]) -> int:
    """Overwrite passages in logs with stars, in place, so that writers can go on; returns their number."""
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


def _scan(house: Installation, numbers: Sequence[int], sought: tuple[list[bytes], list[bytes]], done: Erased) -> None:
    """Scan every file of the installation except packs, and search the index by document ids.

    The files of the index are not scanned, since other documents may hold the same passages; it was rebuilt without
    these documents, so only older generations count. In the database, titles are ignored: the text of a link to the
    document may be the same.
    """
    if house.searchable and any(_indexed(house, numbers)):
        done.left_in.append("index")
    index, packs = house.folder / _INDEX, packs_folder(house.packs.directory)
    done.left_in += [str(each) for each in generations.others(index)]
    needles, titles = sought
    database, everything = set(house.store.files()), [*needles, *titles]
    for path in _files([house.folder, house.packs.directory, *house.store.files()]):
        done.files_scanned += 1
        done.bytes_scanned += path.stat().st_size
        if index in path.parents or packs in path.parents:
            continue
        if next(_found(path, needles if path in database else everything), None) is not None:
            done.left_in.append(str(path))


def _indexed(house: Installation, numbers: Sequence[int]) -> Iterator[int]:
    """Yield the documents that the index still has."""
    index = house.index_reader()
    index.refresh()
    for number in numbers:
        if index.ids(number - 1, 1) == [number]:
            yield number


def _files(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield every regular file below these folders, and these files themselves, each once."""
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
    """Yield the passages found in a file: offset and passage. A file removed meanwhile has none."""
    if not needles:
        return
    for start, window in _windows(path, max(map(len, needles)) - 1):
        for needle in needles:
            yield from ((start + found.start(), needle) for found in re.finditer(re.escape(needle), window))


def _windows(path: Path, overlap: int) -> Iterator[tuple[int, bytes]]:
    """Yield a file in windows with their offsets; each overlaps the one before by `overlap` bytes."""
    with suppress(FileNotFoundError), path.open("rb") as file:
        start, held = 0, b""
        while chunk := file.read(_WINDOW):
            window = held + chunk
            yield start, window
            held = window[len(window) - overlap :]
            start += len(window) - len(held)


def _kept_before(house: Installation) -> list[str]:
    """Files of the database in the data folder that an upgrade kept."""
    return [str(path) for path in sorted(house.folder.glob("*.before-*")) if path.is_file()]
