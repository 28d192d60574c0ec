"""Generations of the index, and which of them is in use.

    (no CURRENT) --writer--> 1.building -> 1, CURRENT = 1
    CURRENT = 1  --rebuild-> 2.building -> 2, CURRENT = 2, 1 removed

A generation is a folder with a whole index. Readers check CURRENT before every search (one `stat`), so a rebuild is
switched in between two searches; files of the old one that they have open stay readable. An interrupted rebuild leaves
only a folder, which the next writer removes.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from cormorant.base.durability import sync_folder

_CURRENT = "CURRENT"
_BUILDING = ".building"


def current(folder: Path) -> Path | None:
    """Return the generation in use, or None before the first. It may have been removed when it is opened."""
    try:
        name = (folder / _CURRENT).read_text("ascii").strip()
    except FileNotFoundError:
        return None
    return folder / name


def others(folder: Path) -> list[Path]:
    """Folders of generations that are not in use: older ones, and one that is being made."""
    now = current(folder)
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(each for each in found if each.is_dir() and each != now)


def stamp(folder: Path) -> tuple[int, ...]:
    """Return numbers that change when another generation is switched in."""
    return file_stamp(folder / _CURRENT)


def file_stamp(path: Path) -> tuple[int, ...]:
    """Return numbers that change when the file is replaced; none when there is no file."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return ()
    return about.st_ino, about.st_mtime_ns, about.st_size


def begin(folder: Path) -> Path:
    """Create the folder of a generation that is not in use yet, and remove leftovers of an interrupted rebuild.

    The caller holds the writer's lock, so no other rebuild is running.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    numbers = [int(each.name) for each in folder.iterdir() if each.name.isdecimal()]
    aside = folder / f"{max(numbers, default=0) + 1}{_BUILDING}"
    aside.mkdir()
    return aside


def sweep(folder: Path) -> None:
    """Remove leftovers of an interrupted rebuild. The caller holds the writer's lock, so no rebuild is running."""
    for left in folder.glob(f"*{_BUILDING}"):
        shutil.rmtree(left)


def switch(folder: Path, aside: Path) -> Path:
    """Switch durably to a finished generation, and remove the others."""
    chosen = aside.with_suffix("")
    aside.rename(chosen)
    sync_folder(folder)
    fresh = folder / f"{_CURRENT}.new"
    with fresh.open("w", encoding="ascii") as file:
        file.write(f"{chosen.name}\n")
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(folder / _CURRENT)
    sync_folder(folder)
    for other in folder.iterdir():
        if other.name.isdecimal() and other != chosen:
            shutil.rmtree(other)
    return chosen


def forget(folder: Path) -> None:
    """Remove all generations, durably; the next writer has to fill a new one. Readers keep the files they have open."""
    (folder / _CURRENT).unlink(missing_ok=True)
    if folder.exists():
        sync_folder(folder)
    for each in folder.glob("*"):
        if each.is_dir():
            shutil.rmtree(each)
