"""An installation that was given secrets to keep, and everything in which they might be read."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PASSWORD, TOKEN = "canary-Ä-4713 &%", "canary-token-4714"
BASIC = base64.b64encode(f"anna:{PASSWORD}".encode()).decode()
FORMS = (
    PASSWORD.encode(),
    TOKEN.encode(),
    BASIC.encode(),
    b"canary-%C3%84-4713",
    b"canary-\\u00c4-4713",
    b"canary-\\xc4-4713",
)


class Canary:
    """An installation as a person uses it; everything it prints is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.printed = folder, b""

    def run(self, *words: str, given: str = "", code: int = 0) -> str:
        """Run a command, with something on its standard input."""
        command = [sys.executable, "-m", "cormorant", "--data", str(self.folder), *words]
        environment = {**os.environ, "CORMORANT_LOG": "debug"}
        done = subprocess.run(
            command, input=given.encode(), capture_output=True, env=environment, timeout=120, check=False
        )
        self.printed += done.stdout + done.stderr
        assert done.returncode == code, (words, done.stdout.decode(), done.stderr.decode())
        return (done.stdout + done.stderr).decode()

    def leaks(self) -> list[str]:
        """Files of the data folder, and whether printed, in which a secret can be read."""
        found = [str(path) for path in self.folder.rglob("*") if path.is_file() and shows(path.read_bytes())]
        return [*found, *(["printed"] if shows(self.printed) else [])]


def shows(data: bytes) -> bool:
    """Can a secret be read in these bytes, in any of its forms?"""
    return any(form in data for form in FORMS)


@contextmanager
def command_lines() -> Iterator[list[bytes]]:
    """What processes of ours are called and given by environment, looked at all the while."""
    seen: list[bytes] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            for place in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    seen.append(place.read_bytes())
                    seen.append(place.with_name("environ").read_bytes())
                except OSError:
                    continue
            ended.wait(0.05)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()
