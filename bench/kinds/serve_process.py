"""`cormorant serve` as a process of its own, which can be killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

_LIMIT_S: Final = 120.0


class ServeProcess:
    """The server of an installation. `address` is where it answers, "" while it does not run."""

    def __init__(self, data: Path, **environment: str) -> None:
        self._data, self._environment = data, environment
        self._errors = data.with_name(f"{data.name}.serve.err")
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    def start(self) -> None:
        """Start it, at a free port. Raises AssertionError with its words when it does not begin to answer."""
        words = [sys.executable, "-m", "cormorant", "--data", str(self._data), "--json", "serve", "--port", "0"]
        with self._errors.open("ab") as errors:
            self._process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, text=True,
                env={**os.environ, **self._environment}, start_new_session=True,
            )  # fmt: skip
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._errors.read_text()
        self.address = str(json.loads(line)["address"]).rstrip("/")

    def kill(self) -> None:
        """End all its processes at once (`kill -9`)."""
        self.address = ""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate(timeout=_LIMIT_S)

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        self.address = ""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.communicate(timeout=_LIMIT_S)
