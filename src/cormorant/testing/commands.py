"""An installation in a folder of its own, driven by the command line, for suites."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.client import Cormorant
from cormorant.model.acl import EVERYONE, Reader
from cormorant.operate.records.explanations import Explanation
from cormorant.operate.search import search as searching
from cormorant.search.reader import MOST_HITS, Hit, Question

COMMAND_S = 180.0
"""Seconds that one command may take."""


class Commands:
    """An installation in a folder of its own, driven by the command line."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._environment = {**os.environ, **(environment or {})}

    def run(self, *words: str, fine: Sequence[int] = (0,), given: str = "") -> list[dict[str, Any]]:
        """Run a command with `--json`; returns the objects it prints. Asserts that it ends with one of `fine`."""
        ended = subprocess.run(  # noqa: S603 - our own command
            self._words(words), input=given, capture_output=True, text=True, timeout=COMMAND_S, check=False,
            env=self._environment,
        )  # fmt: skip
        assert ended.returncode in fine, f"{' '.join(words)}: {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
        return [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]

    def add(self, kind: str, name: str, chosen: Mapping[str, object]) -> None:
        """Add a source."""
        pairs = [(key, each) for key, value in chosen.items() for each in _values(value)]
        self.run("source", "add", kind, name, *(word for key, value in pairs for word in ("--set", f"{key}={value}")))

    def crawl(self, name: str, *words: str, fine: Sequence[int] = (0,)) -> dict[str, Any]:
        """Crawl a source; returns the run's report."""
        return self.run("crawl", name, *words, fine=fine)[-1]

    def documents(self, name: str) -> dict[str, dict[str, Any]]:
        """Return the indexed documents of a source, by their display address."""
        rows = [each for each in self.run("document", "list", "--source", name) if each["indexed"]]
        found = {each["url"]: each for each in rows}
        assert len(found) == len(rows), "two documents have one address"
        return found

    def found(self, texts: Iterable[str], readers: Iterable[str] = (EVERYONE,)) -> dict[str, list[Hit]]:
        """Return for each text the documents that a search by these readers finds, without word forms."""
        house = open_house(BuildPlan(self.folder, settings.load(None)))
        reader = Reader("suite", frozenset(readers))
        try:
            shelf = searching.library(house)
            questions = (Question(each, limit=MOST_HITS, fold=False, as_typed=True) for each in texts)
            return {each.text: list(searching.search(house, each, reader, shelf=shelf).hits) for each in questions}
        finally:
            house.store.close()

    def readers(self, addresses: Iterable[str]) -> dict[str, frozenset[str]]:
        """Return for each address of a document its readers: `everyone`, `user:NAME`, `group:NAME`."""
        with Cormorant.open(self.folder) as opened:
            return {each: _grants(opened.explain(each)) for each in addresses}

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Start a command in a session of its own, to be killed."""
        return subprocess.Popen(  # noqa: S603 - our own command
            self._words(words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
            env=self._environment,
        )  # fmt: skip

    def _words(self, words: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "cormorant", "--data", str(self.folder), "--json", *words]


def _grants(explained: Sequence[Explanation]) -> frozenset[str]:
    """Return the readers of a document, by the first source that knows it."""
    access = explained[0]["access"] if explained else None
    return frozenset(access["grants"] if access else ())


def _values(value: object) -> Sequence[object]:
    """The values of a setting in the form of `--set`: one for each item of a list."""
    if isinstance(value, list | tuple):
        return value
    return [str(value).lower()] if isinstance(value, bool) else [value]
