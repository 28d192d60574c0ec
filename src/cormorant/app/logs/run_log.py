"""Run log: each process writes its log lines about a run to `logs/runs/RUN/PROCESS.log`, a JSON object a line.

Each process has a file of its own, so that none waits for another; `operate/runs/log.py` reads them as one. A disk that
refuses a line stops no work.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Final

from cormorant.base import run_context
from cormorant.base.run_context import RunLogSettings

FOLDER: Final = "runs"
"""Folder below `logs`."""


class RunFiles(logging.Handler):
    """Writes each line about a followed run into the file of that run."""

    def __init__(self, folder: Path, process: str) -> None:
        super().__init__()
        self._folder, self._process = folder, process
        self._files: dict[int, tuple[RunLogSettings, RotatingFileHandler]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, if its run wants it."""
        number = record.__dict__.get("run") or run_context.current()
        wish = run_context.followed().get(number) if isinstance(number, int) else None
        for gone in [each for each in self._files if each not in run_context.followed()]:
            self._files.pop(gone)[1].close()
        if wish is None or record.levelno < wish.level:
            return
        try:
            self._file(number, wish).handle(record)
        except OSError:
            self.handleError(record)

    def _file(self, number: int, wish: RunLogSettings) -> RotatingFileHandler:
        known = self._files.get(number)
        if known is not None and known[0] == wish:
            return known[1]
        if known is not None:
            known[1].close()
        folder = self._folder / str(number)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        made = RotatingFileHandler(
            folder / f"{self._process}.log", maxBytes=wish.most_bytes, backupCount=wish.backlog, encoding="utf-8",
            delay=True,
        )  # fmt: skip
        made.setFormatter(self.formatter)
        self._files[number] = wish, made
        return made

    def close(self) -> None:
        """Close all files."""
        for _, each in self._files.values():
            each.close()
        self._files.clear()
        super().close()


def tidy(logs: Path, kept: Collection[int]) -> None:
    """Remove the logs of all runs but these."""
    folder = logs / FOLDER
    for each in folder.iterdir() if folder.is_dir() else ():
        if each.name.isdecimal() and int(each.name) not in kept:
            shutil.rmtree(each, ignore_errors=True)
