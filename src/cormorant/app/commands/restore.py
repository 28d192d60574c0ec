"""Restore a backup into an empty folder, or over an existing installation, also one that can no longer be opened.

archive whole? -> folder ours? -> owner -> database opens? -no, --yes-> put aside, a new one
                                             | yes
                                     something in it? -yes-> only with --yes
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from cormorant.app import data_dir as folders
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.commands.open import owned
from cormorant.base.clock import SystemClock
from cormorant.base.errors import ConflictError, DataFolderError
from cormorant.operate.documents import erasure
from cormorant.operate.storage import backups, check, upgrade_backup
from cormorant.store.blobs.pack_format import packs_folder
from cormorant.store.db import heartbeats, migrate
from cormorant.store.db.database import Store

BESIDE = ("", "-wal", "-shm")
"""The files of a database of SQLite."""


def restore(plan: BuildPlan, path: Path, *, yes: bool, copies: bool = True) -> dict[str, Any]:
    """Restore a backup; `copies=False` restores its rows alone. `yes` allows to replace existing data.

    Raises ArchiveDamaged before anything is changed, ConflictError if the installation is in use, or has data and
    `yes` is False, and the errors of `data_dir.prepare`.
    """
    found = backups.checked(path)
    folders.prepare(plan.folder)
    with owned(plan):
        aside = _openable(plan, yes=yes)
        folders.prepare_cache(plan.cache)
        house = open_house(plan)
        try:
            _alone(house.store, plan)
            with house.store.read() as tx:
                sources, documents = backups.holdings(tx)
            if sources and not yes:
                raise ConflictError(
                    f"There are {sources:,} sources and {documents:,} documents in {plan.folder}, which would be "
                    "replaced. Take a backup of them, then pass --yes, or name another folder with --data."
                )
            record = backups.restore(house, path, found, copies=copies and found.about.copies)
            erased = [erasure.erase(house, number, lent=False) for number in erasure.pending(house)]
            packs_folder(plan.cache).mkdir(mode=0o700, exist_ok=True)
            folders.put_copies_at(plan.folder, plan.cache)
        finally:
            house.store.close()
    left = [path for each in erased for path in each["left_in"]]
    return record | {"set_aside": str(aside) if aside else None, "erased_again": len(erased), "not_erased_in": left}


def _alone(store: Store, plan: BuildPlan) -> None:
    """Raise ConflictError while processes of another folder work on the same database."""
    with store.read() as tx:
        others = [each for each in heartbeats.alive(tx) if each.name.rpartition("@")[2] != folders.node(plan.folder)]
    if others:
        raise ConflictError(f"{others[0].name} uses the same database, from {others[0].node}. Stop it first.")


def _openable(plan: BuildPlan, *, yes: bool) -> Path | None:
    """Ensure that there is a database of the current schema; returns the new path of one that cannot be opened.

    Raises DataFolderError if there is such a database and `yes` is False.
    """
    try:
        _prepare(plan)
    except DataFolderError as error:
        file = Path(plan.store_url.removeprefix("sqlite:///"))
        if not plan.store_url.startswith("sqlite:") or not file.exists():
            raise
        if not yes:
            raise DataFolderError(f"{error.sentence} To move it aside before the restore, pass --yes.") from error
        aside = _put_aside(file)
        _prepare(plan)
        return aside
    return None


def _prepare(plan: BuildPlan) -> None:
    store = Store.open(plan.store_url, SystemClock())
    try:
        migrate.prepare(store, partial(upgrade_backup.keep, plan.folder))
        with store.read() as tx:
            found = check.integrity(tx)
        if found.ok is False:
            raise DataFolderError(f"The database is damaged: {found.said}.")
    finally:
        store.close()


def _put_aside(file: Path) -> Path:
    """Rename an unusable database and its companion files, so that an expert may examine it."""
    stamp = f"{SystemClock().now():.0f}"
    aside = file.with_name(f"{file.stem}.damaged-{stamp}{file.suffix}")
    for end in BESIDE[::-1]:  # the log goes first: without it the file is older, never mixed with a new one's
        part = file.with_name(f"{file.name}{end}")
        if part.exists():
            part.rename(aside.with_name(f"{aside.name}{end}"))
    return aside
