"""The base of a simulated world: an empty installation to begin with, and the record of its history."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cormorant.app import build
from cormorant.app.build import BuildPlan
from cormorant.app.settings import InstallationSettings

INSTALLATION = InstallationSettings(index="none", retrievers=2, width=4)


@dataclass(slots=True)
class History:
    """The result of a seed: faults, counts of events, and a digest of all requests."""

    seed: int
    wrong: list[str] = field(default_factory=list)
    world_s: float = 0.0
    turns: int = 0
    commits: int = 0
    requests: int = 0
    without_lease: int = 0
    too_soon: int = 0
    runs: int = 0
    launches: int = 0
    edits: int = 0
    kills: int = 0
    stops: int = 0
    events: int = 0
    digest: str = ""


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="template-", dir=fast())
    build.open_house(BuildPlan(Path(folder.name) / "data", INSTALLATION), first=True).store.close()
    return folder


def template() -> Path:
    """A data folder in which there is nothing yet, made once; it goes with this process."""
    return Path(_made().name) / "data"


def fast() -> str | None:
    """Where a sync costs nothing: nobody crashes this machine."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def let_go(path: Path) -> None:
    """Close what a killed process had open of a file, as the system would."""
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if link.readlink() == path:
                os.close(int(link.name))


@contextmanager
def faults(note: Callable[[str], None]) -> Iterator[None]:
    """Note what the program logs as a fault of its own."""

    class Noting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.ERROR:
                error = record.exc_info[1] if record.exc_info else ""
                note(f"logged: {record.getMessage()} {error!r}")

    handler, log = Noting(), logging.getLogger("cormorant")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
