"""Open the installation for one command, without importing modules of its processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from os import close as close_descriptor

from cormorant.app import data_dir
from cormorant.app.build import BuildPlan, open_house
from cormorant.base.errors import ConflictError, NotFoundError
from cormorant.operate.installation import Installation
from cormorant.store.db.migrate import Upgraded


@contextmanager
def opened(
    plan: BuildPlan, *, new: bool = False, on_upgrade: Callable[[Upgraded], None] | None = None
) -> Iterator[Installation]:
    """Open the installation for the length of a block; `new` creates it if there is none.

    `on_upgrade` is called if its database was of an older version.

    Raises NotFoundError if there is none, and the errors of `open_house`.
    """
    if not new and not data_dir.is_prepared(plan.folder):
        if plan.folder.exists() and not plan.folder.is_dir():
            data_dir.prepare(plan.folder)
        data_dir.refuse_remains(plan.folder)
        raise NotFoundError(
            f"There is nothing in {plan.folder} yet. `cormorant quickstart` begins with a sample, `cormorant source "
            "add` with a source of yours; --data names another folder."
        )
    house = open_house(plan, first=True, on_upgrade=on_upgrade)
    try:
        yield house
    finally:
        house.store.close()


@contextmanager
def alone(plan: BuildPlan, on_upgrade: Callable[[Upgraded], None] | None = None) -> Iterator[Installation]:
    """Open the installation as its owner, so that no other process crawls or delivers meanwhile.

    Raises ConflictError if one does, and the errors of `opened`.
    """
    with opened(plan, on_upgrade=on_upgrade) as house, owned(plan):
        yield house


@contextmanager
def beside(
    plan: BuildPlan, on_upgrade: Callable[[Upgraded], None] | None = None
) -> Iterator[tuple[Installation, bool]]:
    """Open the installation as its owner, or beside the crawl or `serve` that owns it; yields whether one does.

    Raises ConflictError while another command has to be alone, and the errors of `opened`.
    """
    with opened(plan, on_upgrade=on_upgrade) as house, ExitStack() as held:
        lock = data_dir.take_lock(plan.folder)
        if lock is not None:
            data_dir.note_alone(lock)
            held.callback(close_descriptor, lock)
        elif data_dir.is_alone(plan.folder):
            raise ConflictError(f"Another command needs {plan.folder} for itself. Wait until it ends.")
        yield house, lock is None


@contextmanager
def owned(plan: BuildPlan) -> Iterator[None]:
    """Own the data folder for the length of a block. Raises ConflictError while a process crawls or delivers."""
    lock = data_dir.take_lock(plan.folder)
    if lock is None:
        raise ConflictError(f"A crawl or `serve` is running on {plan.folder}. Wait until it ends, or stop it.")
    try:
        data_dir.note_alone(lock)
        yield
    finally:
        close_descriptor(lock)
