"""An installation that was given secrets to keep, and everything in which they might be read."""

from __future__ import annotations

import base64
import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from cormorant.base import secret_masking
from cormorant.base.clock import SystemClock
from cormorant.store.blobs.local import LocalCache
from tests.cli.world import PROCESSES, here
from tests.journeys.proofs import record

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
    """An installation as a person uses it; everything it prints is kept.

    A command that starts others is a process, any other only while `apart`, for who looks at what processes are given.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.printed, self.commands = folder, b"", 0
        self.apart = False

    def run(self, *words: str, given: str = "", code: int = 0) -> str:
        """Run a command, with something on its standard input."""
        own = {"CORMORANT_LOG": "debug"}
        command = ["--data", str(self.folder), *words]
        if self.apart or PROCESSES.search(" ".join(words)):
            done = subprocess.run(
                [sys.executable, "-m", "cormorant", *command],
                input=given.encode(), capture_output=True, env=os.environ | own, timeout=120, check=False,
            )  # fmt: skip
            ended, printed = done.returncode, done.stdout + done.stderr
        else:
            entered = io.TextIOWrapper(io.BytesIO(given.encode()))
            forgotten = patch.object(
                secret_masking, "_hidden", ()
            )  # what earlier commands opened, each a process of its own
            with patch.dict(os.environ, own), patch.object(sys, "stdin", entered), forgotten:
                said = here(*command)
            ended, printed = said.code, f"{said.out}{said.err}".encode()
        self.printed, self.commands = self.printed + printed, self.commands + 1
        assert ended == code, (words, printed.decode())
        return printed.decode()

    def leaks(self) -> list[str]:
        """Files of the data folder, and whether printed, in which a secret can be read."""
        found = [str(path) for path in self.files() if shows(path.read_bytes())]
        return [*found, *(["printed"] if shows(self.printed) else [])]

    def files(self) -> list[Path]:
        """Every file of the data folder."""
        return [path for path in self.folder.rglob("*") if path.is_file()]

    def prove(self, story: str, lines: Sequence[bytes] = ()) -> None:
        """Find no secret in the data folder, in what was printed, nor in these command lines; leave figures of it."""
        leaked = self.leaks() + ["a command line" for each in lines if shows(each)]
        tried = {"commands": self.commands, "forms of secrets looked for": len(FORMS), "leaked": len(leaked)}
        read = {"files": len(self.files()), "command lines and environments": len(lines)}
        record("secrets", tried, part=story, measured=read)
        assert leaked == []


def kept_heads(folder: Path) -> list[bytes]:
    """The header blocks of all kept copies of an installation, as they were received."""
    cache = LocalCache(folder / "cache", SystemClock())
    try:
        return [cache.read(each.place).header_block for each in cache.entries()]
    finally:
        cache.close()


def shows(data: bytes) -> bool:
    """Can a secret be read in these bytes, in any of its forms?"""
    return any(form in data for form in FORMS)


@contextmanager
def command_lines() -> Iterator[list[bytes]]:
    """Command lines and environments of our processes, sampled continuously."""
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
