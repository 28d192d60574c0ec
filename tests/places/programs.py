"""Programs of one's own that are sources: as a listing, as a feed, with readers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from cormorant.testing import CrawlPlace

DESK = Path(__file__).parents[1] / "sources" / "program" / "desk.py"


class ProgramPlace(CrawlPlace):
    """A program that lists everything."""

    kind = "program"
    model: ClassVar[str] = "listing"
    path: Path

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Make the folder that the program reads."""
        self.path = folder / "place"
        self.path.mkdir()
        yield

    def counterpart(self) -> str:
        """Name the language."""
        return f"a program in Python {sys.version.partition(' ')[0]}"

    def command(self) -> list[str]:
        """Return the program with its arguments."""
        return [sys.executable, str(DESK), self.model]

    def settings(self) -> Mapping[str, object]:
        """Name the program and its folder."""
        return {"command": self.command(), "parameter": [f"folder={self.path}"], "change_model": self.model}

    def put(self, name: str, word: str) -> None:
        """Write a document; its word is its version."""
        self.write(name, self.item(name, word))

    def item(self, name: str, word: str) -> dict[str, Any]:
        """Return what the program says of a document."""
        answer = {"type": "content", "text": f"The text has {word}.", "attributes": dict(self.attributes(name, word))}
        return {"version": word, "answer": answer, "display": self.url(name)}

    def remove(self, name: str) -> None:
        """Delete a document."""
        (self.path / f"{name}.json").unlink()

    def url(self, name: str) -> str:
        """Return the address that readers see."""
        return f"https://desk.example/{name}"

    def attributes(self, name: str, word: str) -> Mapping[str, str]:
        """Each text has an author of its own."""
        return {"Author": f"by {word}"}

    def take_away(self) -> None:
        """Rename the folder, so that the program reports an error."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)

    def write(self, name: str, item: Mapping[str, object]) -> None:
        """Write what the program says, in one step."""
        draft = self.path / f"{name}.draft"
        draft.write_text(json.dumps(item))
        draft.replace(self.path / f"{name}.json")


class RestrictedProgramPlace(ProgramPlace):
    """The same with the readers of each document."""

    restricts = True

    def command(self) -> list[str]:
        """Have it say who may read."""
        return [*super().command(), "rights"]

    def item(self, name: str, word: str) -> dict[str, Any]:
        """Everyone may find a new document."""
        return self._readable(super().item(name, word), ["everyone"])

    def allow(self, name: str, readers: Sequence[str]) -> None:
        """Write other readers; the version stays."""
        self.write(name, self._readable(json.loads((self.path / f"{name}.json").read_text()), list(readers)))

    def _readable(self, item: dict[str, Any], readers: list[str]) -> dict[str, Any]:
        """Name the readers in the listing, which tells that they changed, and in the content."""
        acl = {"grants": readers, "denies": []}
        return {**item, "acl": acl, "answer": {**item["answer"], "acl": acl}}


class FeedProgramPlace(ProgramPlace):
    """A program that names changes since its cursor."""

    model = "feed"

    def remove(self, name: str) -> None:
        """Have the program name it as removed."""
        self.write(name, {"removed": True})
