"""Mailboxes on disk pass the suite of whole crawls."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from cormorant.testing import CrawlSuite


def message_of(name: str, word: str) -> bytes:
    """Return a message with a Message-ID of that name and a text of that word."""
    head = f"From: ada@example.org\nMessage-ID: <{name}@example.org>\nDate: Thu, 12 Nov 2026 09:30:04 +0000"
    return f"{head}\nSubject: A note\n\nThe text has {word}.\n".encode()


class _MailPlace(CrawlSuite):
    """A place on disk whose messages are in memory as well."""

    kind = "mail"

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        """Choose where it is."""
        self.path = tmp_path / "place"

    def settings(self) -> Mapping[str, object]:
        """Name it."""
        return {"path": self.path}

    def take_away(self) -> None:
        """Rename it."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)


class TestMbox(_MailPlace):
    """Messages of one file, which is written again by each edit."""

    def made(self) -> None:
        """Make it, with nothing in it."""
        self.words: dict[str, str] = {}
        self.path.write_bytes(b"")

    def put(self, name: str, word: str) -> None:
        """Put a message where the one with that name was, else at the end."""
        self.words[name] = word
        self._write()

    def remove(self, name: str) -> None:
        """Take a message out."""
        del self.words[name]
        self._write()

    def _write(self) -> None:
        mark = b"From ada@example.org Thu Nov 12 09:30:04 2026\n"
        self.path.write_bytes(b"".join(mark + message_of(*each) + b"\n" for each in self.words.items()))


class TestMaildir(_MailPlace):
    """Messages of a Maildir, some of them with flags."""

    def made(self) -> None:
        """Make it, with nothing in it."""
        for each in ("cur", "new", "tmp"):
            (self.path / each).mkdir(parents=True)

    def put(self, name: str, word: str) -> None:
        """Deliver a message, in place of the one that was delivered before under that name."""
        self.remove(name)
        (self.path / "tmp" / name).write_bytes(message_of(name, word))
        (self.path / "tmp" / name).rename(self.path / "cur" / f"{name}:2,{'S' * (len(word) % 2)}")

    def remove(self, name: str) -> None:
        """Delete a message."""
        for each in (self.path / "cur").glob(f"{name}:*"):
            each.unlink()
