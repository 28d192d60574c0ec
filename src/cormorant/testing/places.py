"""The place of the suite of whole crawls: it holds the documents of a source, and tests change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from cormorant.testing.commands import Commands


class CrawlPlace:
    """A place with documents that tests create, change and remove, each with a name and a text of one word.

    A subclass has to define the methods that raise NotImplementedError. The others declare further features of the
    place: names that change (`renames`), readers of single documents (`restricts`), attributes, changes that are sent.
    """

    kind: ClassVar[str]
    renames: ClassVar[bool] = False
    """Whether `rename` is supported."""
    restricts: ClassVar[bool] = False
    """Whether `allow` is supported."""
    sends: ClassVar[bool] = False
    """Whether changes are sent by `deliver`, so that an unavailable place looks like one without changes."""

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:  # noqa: ARG002 - a subclass keeps its files there
        """Provide servers and files of the place for the length of a block, in a folder of its own."""
        yield

    def made(self) -> None:
        """Set up the place, without documents."""

    def counterpart(self) -> str:
        """Return the name and the version of the server program."""
        return "a fake of its interface"

    def settings(self) -> Mapping[str, object]:
        """Return the settings of a source of the place."""
        raise NotImplementedError

    def prepare(self, commands: Commands) -> None:
        """Store secrets and other data that the source needs, before it is added."""

    def deliver(self, commands: Commands) -> None:
        """Send the changes to the installation, before each crawl; for a kind that does not fetch them."""

    def put(self, name: str, word: str) -> None:
        """Create a document whose text has this word, or replace the text of the document with that name."""
        raise NotImplementedError

    def put_all(self, words: Mapping[str, str]) -> None:
        """Create many documents, by their names; override it for a place with a faster way."""
        for name, word in words.items():
            self.put(name, word)

    def remove(self, name: str) -> None:
        """Remove a document."""
        raise NotImplementedError

    def rename(self, name: str, other: str) -> None:
        """Give a document another name, or another folder, without changing its text."""
        raise NotImplementedError

    def allow(self, name: str, readers: Sequence[str]) -> None:
        """Allow only these readers to find a document: `everyone`, `user:NAME` or `group:NAME`."""
        raise NotImplementedError

    def readers(self, number: int) -> Sequence[str]:
        """Return some readers that this place can name, others for each number; 0: those of a new document."""
        return ("everyone",) if number == 0 else (f"group:team{number % 5}",)

    def url(self, name: str) -> str:  # noqa: ARG002 - a subclass may know it
        """Return the display address of a document; "" if the place chooses it."""
        return ""

    def attributes(self, name: str, word: str) -> Mapping[str, str]:  # noqa: ARG002 - as above
        """Return attributes that the document has to have; it may have others."""
        return {}

    def take_away(self) -> None:
        """Make the whole place unavailable."""
        raise NotImplementedError

    def bring_back(self) -> None:
        """Make the place available again, unchanged."""
        raise NotImplementedError

    def stop(self) -> None:
        """Stop the server in the middle of its work; without a server, make the place unavailable."""
        self.take_away()

    def start(self) -> None:
        """Start the server again, at the same address, with the same documents."""
        self.bring_back()
