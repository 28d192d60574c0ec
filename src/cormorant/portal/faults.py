"""Where a fault of the pages is written down, so that who looks after them can find it by its reference."""

from __future__ import annotations

import traceback
from pathlib import Path

from cormorant.base.clock import Clock, random_token, rfc3339

MOST_BYTES = 5_000_000
"""A log that has grown to this is put aside, in place of the one put aside before."""


class FaultLog:
    """Appends to one file; says nothing to anybody else."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path, self._clock = path, clock

    def note(self, path: str, error: Exception) -> str:
        """Write a fault down, with where it came from; returns its reference."""
        reference = random_token(4)
        lines = [f"{rfc3339(self._clock.now())} web.fault reference={reference} path={path}"]
        lines += "".join(traceback.format_exception(error)).splitlines()
        try:
            if self._path.exists() and self._path.stat().st_size > MOST_BYTES:
                self._path.replace(self._path.with_suffix(".old.log"))
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write("\n".join(lines) + "\n")
        except OSError:
            return f"{reference}, which could not be written down"
        return reference
