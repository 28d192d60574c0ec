"""An installation as a person has it, with a small site and a folder beside it; commands are run as processes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cormorant.base.clock import pause
from cormorant.cli import error_boundary
from tests.cli import kept
from tests.clocks import HANG_S
from tests.threaded import Asked, Said, served

PROCESSES = re.compile(r"\b(crawl|quickstart|serve|accept|refuse|resume|watch|resend)\b")


@dataclass
class Answer:
    """The response to a path, `wait_s` later, and not before `held` is set (or the test has failed anyway)."""

    body: str = ""
    status: int = 200
    mime: str = "text/html; charset=utf-8"
    location: str = ""
    wait_s: float = 0.0
    held: threading.Event | None = None

    @property
    def fields(self) -> dict[str, str]:
        """Its header."""
        return {"Content-Type": self.mime} | ({"Location": self.location} if self.location else {})


@dataclass
class Site:
    """Pages on a port of this machine; tests change `answers` while it runs. `asked` are paths in order.

    With `confirms` every response has an ETag, and a conditional request gets a 304.
    """

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    address: str = ""
    confirms: bool = False

    def page(self, path: str, title: str, text: str = "", links: tuple[str, ...] = ()) -> None:
        """Put a page there."""
        anchors = "".join(f'<p><a href="{link}">to {link}</a></p>' for link in links)
        body = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{anchors}</body></html>"
        self.answers[path] = Answer(body)


def small_site() -> Site:
    """A handful of pages about a harbour."""
    site = Site()
    site.page(
        "/",
        "Harbour office",
        "All about the harbour and its ferries.",
        ("/ferries", "/tides", "/missing", "/private/x"),
    )
    site.page("/ferries", "Ferry timetable", "The quixotic ferry leaves at eight.", ("/tides",))
    site.page("/tides", "Tide tables", "High water in the harbour at noon.", ("/ferries",))
    site.page("/private/x", "Private", "Not for robots.")
    site.answers["/robots.txt"] = Answer("User-agent: *\nDisallow: /private/\n", mime="text/plain")
    return site


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    """Serve a site for the length of a block."""

    def say(asked: Asked) -> Said:
        site.asked.append(asked.path)
        answer = site.answers.get(asked.path, Answer("no such page", 404))
        pause(answer.wait_s)
        if answer.held is not None:
            answer.held.wait(HANG_S / 2)
        if not (site.confirms and answer.status == 200):
            return Said(answer.status, answer.body, answer.fields)
        tag = f'"{sha256(answer.body.encode()).hexdigest()}"'
        same = asked.fields.get("if-none-match") == tag
        return Said(304 if same else 200, "" if same else answer.body, answer.fields | {"ETag": tag})

    with served(say) as server:
        site.address = f"{server.origin}/"
        yield site


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[Any]:
        """Standard output as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def object(self) -> Any:
        """Standard output as one object."""
        (only,) = self.objects
        return only

    @property
    def problem(self) -> Any:
        """Standard error as a problem object; it is the last line."""
        return json.loads(self.err.splitlines()[-1])


@dataclass(frozen=True)
class InstalledCli:
    """A data folder that commands are run on."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def start(self, *words: str, **more: Any) -> kept.Begun:
        """Start a command in a session of its own, so that it has no terminal, forked with the program loaded."""
        return kept.Begun(kept.PROGRAM, ["--data", str(self.folder), *words], self._given, Path.cwd(), **more)

    def start_fresh(self, *words: str) -> subprocess.Popen[str]:
        """Start it as a person does: the program is loaded, and what this process ignores is ignored."""
        return subprocess.Popen(
            [sys.executable, "-m", "cormorant", "--data", str(self.folder), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True, env=self._given,
        )  # fmt: skip

    def run(self, *words: str) -> Done:
        """Run a command to its end: in a process when it starts others, else in this one, which is quicker."""
        if PROCESSES.search(" ".join(words)):
            return Done(*kept.run(["--data", str(self.folder), *words], self._given, HANG_S))
        with patch.dict(os.environ, self.environment):
            return here("--data", str(self.folder), *words)

    @property
    def _given(self) -> dict[str, str]:
        return {**os.environ, "CORMORANT_RETRIEVERS": "1", **self.environment}

    def fine(self, *words: str) -> Done:
        """Run a command that must end well."""
        done = self.run(*words)
        assert done.code == 0, f"cormorant {' '.join(words)} ended {done.code}\n{done.out}{done.err}"
        return done


def here(*words: str) -> Done:
    """Run a command in this process, through the same function as a process does."""
    with StringStream() as out, StringStream() as err, redirect_stdout(out), redirect_stderr(err):
        code = error_boundary.run(words)
        return Done(code, out.text, err.text)


class StringStream(io.TextIOWrapper):
    """Standard output that remembers."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding="utf-8")

    @property
    def text(self) -> str:
        """The written lines."""
        self.flush()
        return self._bytes.getvalue().decode()


def ended(process: kept.Begun | subprocess.Popen[str], limit_s: float = HANG_S) -> Done:
    """Wait for the end of a command; one that hangs is killed with all its children's group."""
    try:
        out, err = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        kept.kill_group(process.pid)
        process.communicate()
        raise
    return Done(process.wait(), out, err)
