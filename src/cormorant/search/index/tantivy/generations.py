"""Generations of the index, and which of them is in use.

    (no CURRENT) --writer--> 1.building -> 1, CURRENT = 1
    CURRENT = 1  --rebuild-> 2.building -> 2, CURRENT = 2, 1 removed

A generation is a folder with a whole index. Readers look at CURRENT before every question (one `stat`), so a rebuild is
switched in between two questions; what they still have open of the old one stays readable to them. An interrupted
rebuild leaves only a folder, which whoever writes next removes.
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
    """Make room for a generation that is not in use yet, and remove what an interrupted one left.

    The caller has made sure that nobody else is building.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    numbers = [int(each.name) for each in folder.iterdir() if each.name.isdecimal()]
    aside = folder / f"{max(numbers, default=0) + 1}{_BUILDING}"
    aside.mkdir()
    return aside


def sweep(folder: Path) -> None:
    """Remove what an interrupted rebuild left. The caller has made sure that nobody is building."""
    for left in folder.glob(f"*{_BUILDING}"):
        shutil.rmtree(left)


def switch(folder: Path, aside: Path) -> Path:
    """Put a finished generation in use, durably, and remove the others."""
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
    """Have no generation in use, durably: whoever writes next has to fill another. What readers have open they keep."""
    (folder / _CURRENT).unlink(missing_ok=True)
    if folder.exists():
        sync_folder(folder)
    for each in folder.glob("*"):
        if each.is_dir():
            shutil.rmtree(each)
