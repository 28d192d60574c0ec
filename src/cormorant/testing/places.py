"""The place of the suite of whole crawls: whatever holds the documents of a source, made and changed by its tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from cormorant.testing.commands import Commands


class CrawlPlace:
    """A place with documents that tests make, change and take away, each with a name and a text of one word.

    A subclass has to have the methods that raise NotImplementedError. The others say what this place has besides:
    names that change (`renames`), readers of single documents (`restricts`), attributes, changes that have to be sent.
    """

    kind: ClassVar[str]
    renames: ClassVar[bool] = False
    """Whether `rename` does something."""
    restricts: ClassVar[bool] = False
    """Whether `allow` does something."""
    sends: ClassVar[bool] = False
    """Whether changes come by `deliver`, so that a place that is away looks like one without changes."""

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:  # noqa: ARG002 - a subclass keeps its files there
        """Have whatever the place needs for the length of a block: servers, and files in a folder of its own."""
        yield

    def made(self) -> None:
        """Set up the place, without documents."""

    def counterpart(self) -> str:
        """Return the name and the version of the program that answers here."""
        return "a fake of its interface"

    def settings(self) -> Mapping[str, object]:
        """Return the settings of a source of the place."""
        raise NotImplementedError

    def prepare(self, commands: Commands) -> None:
        """Keep secrets, or whatever else the source needs, before it is added."""

    def deliver(self, commands: Commands) -> None:
        """Send the changes to the installation, before each crawl; for a kind that does not fetch them."""

    def put(self, name: str, word: str) -> None:
        """Make a document whose text has this word, or replace the text of the one with that name."""
        raise NotImplementedError

    def put_all(self, words: Mapping[str, str]) -> None:
        """Make many documents, by their names; a place that is quicker with many at once says how."""
        for name, word in words.items():
            self.put(name, word)

    def remove(self, name: str) -> None:
        """Take a document away."""
        raise NotImplementedError

    def rename(self, name: str, other: str) -> None:
        """Give a document another name, or another folder, without a change of its text."""
        raise NotImplementedError

    def allow(self, name: str, readers: Sequence[str]) -> None:
        """Let these find a document, and nobody else: `everyone`, `user:NAME` or `group:NAME`."""
        raise NotImplementedError

    def readers(self, number: int) -> Sequence[str]:
        """Return some readers that this place can name, others for each number; 0 are those of a new document."""
        return ("everyone",) if number == 0 else (f"group:team{number % 5}",)

    def url(self, name: str) -> str:  # noqa: ARG002 - a subclass may know it
        """Return the address that readers see of a document; "" where the place chooses it."""
        return ""

    def attributes(self, name: str, word: str) -> Mapping[str, str]:  # noqa: ARG002 - as above
        """Return attributes that the document has to have; it may have others."""
        return {}

    def take_away(self) -> None:
        """Have the place as a whole not answer, or not be there."""
        raise NotImplementedError

    def bring_back(self) -> None:
        """Have it be there as before."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the server, in the midst of what it does; where there is none, take the place away."""
        self.take_away()

    def start(self) -> None:
        """Start it again, at the same address, with the same documents."""
        self.bring_back()
