"""Builder of an installation: the only module that wires the parts together."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cormorant.app import data_dir as folders, egress_guard
from cormorant.app.settings import InstallationSettings
from cormorant.base.clock import Clock, SystemClock
from cormorant.base.errors import ConflictError, DataFolderError, IndexDamaged
from cormorant.operate.delivery import receivers as of_receivers
from cormorant.operate.installation import Installation
from cormorant.operate.sources.secrets import Opened
from cormorant.operate.storage import check, upgrade_backup
from cormorant.plugins import SOURCES, Tools, make_source
from cormorant.receivers import stream
from cormorant.search.index.tantivy import folder as index_folder
from cormorant.store.blobs.local import LocalCache
from cormorant.store.blobs.pack_folder import PackFolder
from cormorant.store.blobs.pack_format import pack_path, packs_folder
from cormorant.store.catalog import receivers
from cormorant.store.db import migrate
from cormorant.store.db.database import Store
from cormorant.store.journal.item_shelf import ItemShelf

if TYPE_CHECKING:
    from collections.abc import Callable

    from cormorant.net.egress.guard import Egress
    from cormorant.net.http.client import Fetcher
    from cormorant.sources.protocol import Source
    from cormorant.store.catalog.sources import SourceRow
    from cormorant.store.db.migrate import Upgraded
    from cormorant.store.journal.runs import RunRow


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """The data that a process needs to open its own installation: picklable, made before any process is forked."""

    folder: Path
    installation: InstallationSettings

    @property
    def store_url(self) -> str:
        """Database URL of the store."""
        return self.installation.store or f"sqlite:///{self.folder / 'cormorant.db'}"

    @property
    def cache(self) -> Path:
        """Folder of the cached copies."""
        return Path(self.installation.cache or self.folder / "cache")


def open_house(
    plan: BuildPlan, *, first: bool = False, on_upgrade: Callable[[Upgraded], None] | None = None
) -> Installation:
    """Open the installation for this process; `first` prepares the folder and the schema.

    `on_upgrade` is called if the schema was upgraded. With `first` it raises DataFolderError if the folder has been in
    use and its database is missing or empty.
    """
    clock: Clock = SystemClock()
    if first:
        folders.prepare(plan.folder)
        folders.refuse_lost(plan.folder, plan.store_url)
    store = Store.open(plan.store_url, clock, made=not first)
    if first:
        try:
            _prepare(plan, store, on_upgrade)
        except BaseException:
            store.close()
            raise
    return Installation(
        folder=plan.folder,
        store=store,
        clock=store.clock,
        kinds=SOURCES,
        cache=lambda: LocalCache(plan.cache, clock),
        index_reader=lambda: index_folder.open_reader(plan.folder / "index"),
        index_writer=lambda: index_folder.open_writer(plan.folder / "index", plan.installation.index_threads),
        index_rebuild=lambda wait_s: index_folder.rebuild(
            plan.folder / "index", wait_s, plan.installation.index_threads
        ),
        index_forget=lambda: index_folder.forget(plan.folder / "index"),
        packs=PackFolder(plan.cache),
        searchable=plan.installation.index != "none",
        query_days=plan.installation.query_days,
        excluded_days=plan.installation.excluded_days,
        old_copies_bytes=plan.installation.old_copies_bytes,
        node=plan.installation.node_name,
        runs_at_once=plan.installation.runs_at_once,
        egress=partial(egress_guard.way_out, plan.folder, plan.installation.port, plan.store_url, store, clock),
    )


def _prepare(plan: BuildPlan, store: Store, on_upgrade: Callable[[Upgraded], None] | None) -> None:
    new = partial(folders.refuse_new, plan.folder, plan.store_url)
    upgraded = migrate.prepare(store, partial(upgrade_backup.keep, plan.folder), new)
    if upgraded is not None and on_upgrade is not None:
        on_upgrade(upgraded)
    _copies(plan, store)
    _index_receiver(store, plan.installation)
    _name(plan, store)
    folders.note_store(plan.folder, plan.store_url)


def _copies(plan: BuildPlan, store: Store) -> None:
    """Prepare the folder of the cached copies. Refuses a new folder unless the copies were moved there.

    Raises DataFolderError, also if no copies are where they should be, ConflictError while a running process keeps
    them elsewhere, and NotPermitted.
    """
    known, cache = folders.copies_at(plan.folder), plan.cache
    with store.read() as tx:
        kept = check.keeps_copies(tx)
        behind = kept and known != cache and _left_behind(known, cache, check.packs(tx))
    if kept and not folders.is_there(packs := packs_folder(known if behind else cache)):
        raise DataFolderError(
            f"The kept copies are not in {packs.parent}. Is its disk mounted? If they are elsewhere, name that folder "
            f"with CORMORANT_CACHE; if they are lost, make the folder {packs}, and `cormorant crawl --force` fetches "
            "the documents again."
        )
    way = "Unset CORMORANT_CACHE" if known == plan.folder / "cache" else f"Set CORMORANT_CACHE={known}"
    if behind:
        raise DataFolderError(f"The kept copies are in {known} and not in {cache}. {way}, or move them along.")
    if known == cache:
        folders.prepare_cache(cache)
        return
    lock = folders.take_lock(plan.folder)
    if lock is None:
        raise ConflictError(f"The command running on {plan.folder} keeps copies in {known}. {way}, or stop it first.")
    try:
        folders.prepare_cache(cache)
        folders.put_copies_at(plan.folder, cache)
    finally:
        os.close(lock)


def _left_behind(known: Path, cache: Path, needed: set[int]) -> bool:
    """Return whether no needed pack was moved along, or a needed pack is still at its known place."""
    moved = {pack for pack in needed if pack_path(cache, pack).exists()}
    return not moved or any(pack_path(known, pack).exists() for pack in needed - moved)


def _index_receiver(store: Store, installation: InstallationSettings) -> None:
    """Add the receiver of the index, unless the installation runs without an index."""
    with store.begin() as tx:
        names = [row.name for row in receivers.every(tx)]
        if installation.index != "none" and receivers.INDEX not in names:
            receivers.add(tx, receivers.INDEX, receivers.INDEX, None, {}, 0)


def _name(plan: BuildPlan, store: Store) -> None:
    """Name a database that has no name yet, so that it is no longer taken for a new one.

    A database with rows but no name is of an older version, or lost its name: it takes the name that the index has.
    """
    with store.read() as tx:
        if stream.named(tx) is not None or stream.head_or_none(tx) is None:
            return
    origin = None
    with suppress(IndexDamaged):
        origin = index_folder.open_reader(plan.folder / "index").origin
    with store.begin() as tx:
        stream.installation(tx, origin)


def source_of(
    row: RunRow, kind: str, fetcher: Fetcher | None, house: Installation, egress: Callable[[], Egress] | None = None
) -> Source:
    """The source of a run, with the settings as of its start. Raises errors of the settings or their secrets."""
    veto = of_receivers.veto(house, row.source_id) if fetcher is None else None
    tools = Tools(fetcher, house.clock, Opened(house), row.id, veto, egress, ItemShelf(house.store, row.source_id))
    return make_source(kind, row.source_id, row.settings, tools)


def watched_source(row: SourceRow, house: Installation, egress: Callable[[], Egress]) -> Source:
    """The source with its current settings, to be watched for changes. Raises errors of the settings."""
    tools = Tools(None, house.clock, Opened(house), egress=egress, items=ItemShelf(house.store, row.id))
    return make_source(row.kind, row.id, row.settings, tools)
