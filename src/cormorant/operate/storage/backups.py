"""Take a backup while others work, and come back from one; the same without copies, for another kind of database.

    backup    rows of one moment -> packs up to what these rows name -> read again -> in its place
    restore   read to its end -> packs staged, installed -> index removed -> rows, in one transaction -> index rebuilt

Killed before the transaction commits, a restore has changed no row, and the next crawl rebuilds the index;
killed after it, the same. What is restored is as it was: pages that changed since are found by conditional requests,
and nothing leaves because it was not in the backup.
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
    """Write all rows, and the kept copies that they name, to a file; whoever crawls goes on.

    The file is read again before it takes its place. Raises ConflictError when something else is there or copies are
    being moved, DataFolderError and NotPermitted where it cannot be written or a pack is shorter than its rows say.
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
    return {**_told(target, Checked(about, writer.manifest, {})), "took_s": _since(house, began)}


def _packs(house: Installation, writer: Writer, ends: dict[int, int]) -> None:
    for pack, end in sorted(ends.items()):
        writer.pack(pack, end, house.packs.chunks(pack, end))


def _since(house: Installation, began: float) -> float:
    return round(house.clock.monotonic() - began, 3)


def _told(path: Path, found: Checked) -> ArchiveRecord:
    """Return the record of an archive and its contents."""
    about, manifest = found.about, found.manifest
    return {
        "file": str(path), "made_at": timestamp(about.made_at), "schema": about.schema, "program": about.program,
        "store": about.store, "documents": manifest.documents, "rows": sum(manifest.tables.values()),
        "copies": about.copies, "packs": len(manifest.packs), "packs_bytes": sum(manifest.packs.values()),
        "size_bytes": path.stat().st_size, "sha256": manifest.sha256,
    }  # fmt: skip


def checked(path: Path) -> Checked:
    """Read an archive to its end. Raises ArchiveDamaged unless it is whole, and for one of a newer schema."""
    about = archive.begun(path)  # a newer program may count its checksum otherwise
    if about.schema > SCHEMA_VERSION:
        raise ArchiveDamaged(
            f"{path} is of version {about.schema}, and this program knows {SCHEMA_VERSION}. "
            "Install a newer version of cormorant."
        )
    return archive.check(path)


def holdings(tx: Tx) -> tuple[int, int]:
    """Return the number of sources and of documents that search may find, which a restore would replace."""
    every = sources.every(tx)
    return len(every), sum(pending_deletes.indexed_count(tx, each.id) for each in every)


def restore(house: Installation, path: Path, found: Checked, *, copies: bool = True) -> RestoredArchive:
    """Have the rows of an archive, and its copies, in the place of what there is. Whoever calls owns the folder.

    `found` is what `checked` said of it. A pack that is there already, and begins as the archive's, stays. Documents
    whose copy is not there are fetched again by the next crawl, and only they. Takedowns that are in force stay so,
    whatever the archive knows of them; those that erase are to be erased again. Raises ConflictError when somebody
    reads or writes index or packs, DataFolderError where there is no room.
    """
    began = house.clock.monotonic()
    with house.packs.held(alone=True):
        if copies:
            _bring_packs(house, path, found)
        place = _place(house)
        with house.store.begin() as tx:
            hidden = takedown_rows.in_force(tx)
            _unplace(tx)  # cut off from here on, whoever delivers next fills an index
        house.index_forget()
        with house.store.begin() as tx:
            passed = max(place, _head(tx))
            _bring_rows(tx, path, found)
            _begin_anew(house, tx, passed)
    if hidden:
        takedowns.reapply(house, [row._replace(erased_at=None) for row in hidden])
    lost = _renew(house)
    indexed = _fill(house)
    return {
        **_told(path, found),
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
    """The last number of the stream that is about to go; a database that has lost it has none."""
    return max(stream.head_or_none(tx) or 0, 0)


def _bring_packs(house: Installation, path: Path, found: Checked) -> None:
    """Write the packs that are not there, or otherwise, beside their places; then put all of them there."""
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
    """Put the rows in the place of those there are, in the transaction that is under way."""
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


def _begin_anew(house: Installation, tx: Tx, passed: int) -> None:
    """Reset the momentary state: no site is leased, and the index has nothing yet.

    Numbers of events go on behind those that were delivered before.
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
    """The index is about to have nothing, so it has come nowhere."""
    tx.execute(sa.update(receiver).where(receiver.c.kind == receivers.INDEX).values(place=0))


def _renew(house: Installation) -> int:
    """Have the documents fetched again whose copy is not there. Sizes are compared, bytes are not."""
    sizes = house.packs.sizes()
    with house.store.read() as tx:
        lost = [number for number, place in check.places(tx) if sizes.get(place.pack, -1) < sum(place[1:])]
    renew(house, lost)
    return len(lost)


def renew(house: Installation, numbers: Sequence[int]) -> None:
    """Have these documents fetched and kept again by the next crawl of their source, and no others."""
    for start in range(0, len(numbers), MENDED):
        with house.store.begin() as tx:
            refetch.renew(tx, numbers[start : start + MENDED])


def _fill(house: Installation) -> int | None:
    """Make the index of what is kept; None without one. Where no copy can be read it comes with the next crawl."""
    if not house.searchable:
        return None
    try:
        return int(reindex.fill(house)["documents"])
    except CacheDamaged:
        return 0
