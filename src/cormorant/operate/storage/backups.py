"""Backup while other processes run, and restore; exports without copies move rows to another kind of database.

    backup    rows of one moment -> packs up to the last byte that these rows name -> verified -> moved to its place
    restore   verified to its end -> packs staged, installed -> index removed -> rows, in one transaction -> index
    rebuilt

If a restore is killed before the transaction commits, no row has changed, and the next crawl rebuilds the index; if it
is killed later, the next crawl rebuilds the index too. Restored documents are as they were: conditional requests find
pages that changed since, and no document is deleted because it was not in the backup.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import sqlalchemy as sa

from cormorant.base.clock import timestamp
from cormorant.base.errors import ArchiveDamaged, CacheDamaged, IndexDamaged
from cormorant.frontier.staging import pending_deletes
from cormorant.frontier.state import refetch
from cormorant.operate.documents import takedowns
from cormorant.operate.installation import Installation
from cormorant.operate.records.storage import ArchiveRecord, BackupRecord, RestoredArchive
from cormorant.operate.search import reindex
from cormorant.operate.storage import archive, check
from cormorant.operate.storage.archive import About, ArchiveChunk, Checked, Manifest, Pack, Writer
from cormorant.receivers import stream
from cormorant.store.catalog import receivers, sources, takedowns as takedown_rows
from cormorant.store.db import dump
from cormorant.store.db.database import Tx
from cormorant.store.schema import SCHEMA_VERSION, receiver, site

MENDED = 1000


def backup(house: Installation, target: Path, *, copies: bool = True) -> BackupRecord:
    """Write all rows, and the kept copies that they name, to a file; crawls go on.

    The file is verified before it is moved to `target`. Raises ConflictError if `target` is another file or copies are
    being moved, DataFolderError and NotPermitted if it cannot be written or a pack is shorter than its rows say.
    """
    began = house.clock.monotonic()
    target = target.absolute()
    kind = "sqlite" if house.store.sqlite else "postgresql"
    about = About(SCHEMA_VERSION, version("cormorant"), house.clock.now(), copies, kind)
    with house.packs.held(alone=False), archive.writing(target, about) as writer:
        with dump.snapshot(house.store, target.with_name(f"{target.name}.part.db")) as tx:
            for table, some in dump.every(tx):
                writer.rows(table.name, table.columns.keys(), some)
            writer.manifest.counters = dump.counters(tx)
            ends = check.ends(tx) if copies else {}
        _packs(house, writer, ends)
    return {**_archive_record(target, Checked(about, writer.manifest, {})), "took_s": _since(house, began)}


def _packs(house: Installation, writer: Writer, ends: dict[int, int]) -> None:
    for pack, end in sorted(ends.items()):
        writer.pack(pack, end, house.packs.chunks(pack, end))


def _since(house: Installation, began: float) -> float:
    return round(house.clock.monotonic() - began, 3)


def _archive_record(path: Path, found: Checked) -> ArchiveRecord:
    """Return the record of an archive and its contents."""
    about, manifest = found.about, found.manifest
    return {
        "file": str(path), "made_at": timestamp(about.made_at), "schema": about.schema, "program": about.program,
        "store": about.store, "documents": manifest.documents, "rows": sum(manifest.tables.values()),
        "copies": about.copies, "packs": len(manifest.packs), "packs_bytes": sum(manifest.packs.values()),
        "size_bytes": path.stat().st_size, "sha256": manifest.sha256,
    }  # fmt: skip


def checked(path: Path) -> Checked:
    """Verify an archive to its end. Raises ArchiveDamaged for a damaged one, and for one of a newer schema."""
    about = archive.begun(path)  # a newer program may compute the checksum in another way
    if about.schema > SCHEMA_VERSION:
        raise ArchiveDamaged(
            f"{path} is of version {about.schema}, and this program knows {SCHEMA_VERSION}. "
            "Install a newer version of cormorant."
        )
    return archive.check(path)


def holdings(tx: Tx) -> tuple[int, int]:
    """Return the number of sources and of indexed documents, which a restore would replace."""
    every = sources.every(tx)
    return len(every), sum(pending_deletes.indexed_count(tx, each.id) for each in every)


def restore(house: Installation, path: Path, found: Checked, *, copies: bool = True) -> RestoredArchive:
    """Replace all rows by those of an archive, and install its copies. The caller owns the folder.

    `found` is the result of `checked`. An existing pack that begins like the archive's stays. The next crawl refetches
    only documents whose copy is missing. Takedowns in force stay in force, whether or not the archive has them; those
    that erase have to be erased again. Raises ConflictError if another process reads or writes index or packs,
    DataFolderError if there is no space.
    """
    began = house.clock.monotonic()
    with house.packs.held(alone=True):
        if copies:
            _bring_packs(house, path, found)
        place = _place(house)
        with house.store.begin() as tx:
            hidden = takedown_rows.in_force(tx)
            _unplace(tx)  # after a kill from here on, the next provider fills the index
        house.index_forget()
        with house.store.begin() as tx:
            passed = max(place, _head(tx))
            _bring_rows(tx, path, found)
            _reset_state(house, tx, passed)
    if hidden:
        takedowns.reapply(house, [row._replace(erased_at=None) for row in hidden])
    lost = _renew(house)
    indexed = _fill(house)
    return {
        **_archive_record(path, found),
        "taken": copies and found.about.copies, "fetched_anew": lost, "indexed": indexed,
        "took_s": _since(house, began),
    }  # fmt: skip


def _place(house: Installation) -> int:
    """Return the stream position of the index that is about to be replaced; numbers up to there are not reused."""
    if house.searchable:
        with suppress(IndexDamaged):
            return house.index_reader().place
    return 0


def _head(tx: Tx) -> int:
    """The last number of the stream that is about to be replaced; 0 if the database has lost it."""
    return max(stream.head_or_none(tx) or 0, 0)


def _bring_packs(house: Installation, path: Path, found: Checked) -> None:
    """Stage the packs that are missing or differ, then install all of them."""
    staged: list[int] = []
    for part in archive.parts(path, Manifest()):
        if not isinstance(part, Pack):
            continue
        if house.packs.begins_with(part.number, part.size, found.digests[part.number]):
            for _ in part.chunks:
                continue
        else:
            house.packs.stage(part.number, part.chunks)
            staged.append(part.number)
    for number in staged:
        house.packs.install(number)


def _bring_rows(tx: Tx, path: Path, found: Checked) -> None:
    """Replace all rows by those of the archive, in the present transaction."""
    coming = dump.replaced(tx, found.about.schema)
    again = Manifest()
    for part in archive.parts(path, again):
        if isinstance(part, ArchiveChunk):
            coming.put(part.table, part.columns, part.rows)
        else:
            for _ in part.chunks:
                continue
    if again != found.manifest or coming.counts != found.manifest.tables:
        raise ArchiveDamaged(f"{path} was changed while it was read. Nothing was changed; try again.")
    coming.settle(found.manifest.counters)


def _reset_state(house: Installation, tx: Tx, passed: int) -> None:
    """Reset transient state: no site is leased, and the index has no place yet.

    Numbers of events continue after those that receivers got before the restore.
    """
    columns = site.c
    tx.execute(sa.update(site).values(owner=None, lease_until=0.0, epoch=columns.epoch + 1))
    stream.ensure_head(tx)
    stream.pass_over(tx, passed)
    stream.installation(tx)
    names = [row.kind for row in receivers.every(tx)]
    if house.searchable and receivers.INDEX not in names:
        receivers.add(tx, receivers.INDEX, receivers.INDEX, None, {}, 0)
    _unplace(tx)


def _unplace(tx: Tx) -> None:
    """Reset the place of the index, which is about to be emptied."""
    tx.execute(sa.update(receiver).where(receiver.c.kind == receivers.INDEX).values(place=0))


def _renew(house: Installation) -> int:
    """Have documents with a missing copy refetched. Only sizes of packs are compared, not bytes."""
    sizes = house.packs.sizes()
    with house.store.read() as tx:
        lost = [number for number, place in check.places(tx) if sizes.get(place.pack, -1) < sum(place[1:])]
    renew(house, lost)
    return len(lost)


def renew(house: Installation, numbers: Sequence[int]) -> None:
    """Have these documents refetched and stored by the next crawl of their source."""
    for start in range(0, len(numbers), MENDED):
        with house.store.begin() as tx:
            refetch.renew(tx, numbers[start : start + MENDED])


def _fill(house: Installation) -> int | None:
    """Build the index from the kept copies; None without an index, 0 if no copy can be read until the next crawl."""
    if not house.searchable:
        return None
    try:
        return int(reindex.fill(house)["documents"])
    except CacheDamaged:
        return 0
