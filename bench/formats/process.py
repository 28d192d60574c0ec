"""The process of a reader: started when it is first asked, ended by its id, started again after a fault."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Final

from bench.formats.readers.loop import Answer
from bench.places import ROOT

_LIMIT_S: Final = 90.0
"""Seconds for a document, and for the start of a process."""


class ReaderProcess:
    """A reader that is asked for one document after another, each within a time limit."""

    def __init__(self, command: tuple[str, ...], log: Path) -> None:
        self._command = command
        self._log = log
        self._running: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ReaderProcess:
        """Return the reader; nothing is started yet."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def read(self, path: Path, rounds: int = 1) -> Answer:
        """Return the answer for a document; one that takes too long or ends the process is an error like any other."""
        running = self._running or self._start()
        assert running.stdin
        try:
            running.stdin.write((json.dumps({"path": str(path), "rounds": rounds}) + "\n").encode())
            running.stdin.flush()
            line = self._line(running, _LIMIT_S * max(1, rounds // 4))
        except (BrokenPipeError, EOFError):
            self._end()
            return {"error": "its process ended"}
        except TimeoutError:
            self._end()
            return {"error": f"not done after {_LIMIT_S:.0f} seconds"}
        answer: Answer = json.loads(line)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                self._command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0
            )
        return self._running

    def _line(self, running: subprocess.Popen[bytes], limit_s: float) -> bytes:
        """Read a line. Raises TimeoutError, and EOFError when the process ends first."""
        assert running.stdout
        until = time.monotonic() + limit_s
        pieces: list[bytes] = []
        while not pieces or not pieces[-1].endswith(b"\n"):
            ready, _, _ = select.select([running.stdout], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError
            piece = os.read(running.stdout.fileno(), 1 << 20)
            if not piece:
                raise EOFError
            pieces.append(piece)
        return b"".join(pieces)

    def _end(self) -> None:
        if self._running:
            self._running.kill()
            self._running.wait()
            self._running = None
