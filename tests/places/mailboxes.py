"""Mailboxes: an mbox file, a Maildir, an account of Dovecot."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from cormorant.testing import Commands, CrawlPlace
from tests.sources.mail import dovecot

MARK = b"From ada@example.org Thu Nov 12 09:30:04 2026\n"


def message_of(name: str, word: str) -> bytes:
    """Return a message with a Message-ID of that name, and a subject and a text of that word."""
    head = f"From: ada@example.org\nMessage-ID: <{name}@example.org>\nDate: Thu, 12 Nov 2026 09:30:04 +0000"
    return f"{head}\nSubject: A note of {word}\n\nThe text has {word}.\n".encode()


class MailPlace(CrawlPlace):
    """A mailbox on disk."""

    kind = "mail"
    path: Path

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Choose where it is."""
        self.path = folder / "place"
        yield

    def settings(self) -> Mapping[str, object]:
        """Name it."""
        return {"path": self.path}

    def attributes(self, name: str, word: str) -> Mapping[str, str]:
        """The subject has the word too."""
        return {"Subject": f"A note of {word}"}

    def take_away(self) -> None:
        """Rename it."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)


class MboxPlace(MailPlace):
    """Messages of one file, which is written again by each edit."""

    def made(self) -> None:
        """Make it, with nothing in it."""
        self.words: dict[str, str] = {}
        self.path.write_bytes(b"")

    def counterpart(self) -> str:
        """Name the format."""
        return "an mbox file"

    def put(self, name: str, word: str) -> None:
        """Put a message where the one with that name was, else at the end."""
        self.put_all({name: word})

    def put_all(self, words: Mapping[str, str]) -> None:
        """Put messages."""
        self.words.update(words)
        self._write()

    def remove(self, name: str) -> None:
        """Take a message out."""
        del self.words[name]
        self._write()

    def _write(self) -> None:
        self.path.write_bytes(b"".join(MARK + message_of(*each) + b"\n" for each in self.words.items()))


class MaildirPlace(MailPlace):
    """Messages of a Maildir, some of them with flags."""

    renames = True

    def made(self) -> None:
        """Make it, with nothing in it."""
        self.files: dict[str, Path] = {}
        self._number = 0
        for each in ("cur", "new", "tmp", ".Archive/cur", ".Archive/new", ".Archive/tmp"):
            (self.path / each).mkdir(parents=True)

    def counterpart(self) -> str:
        """Name the format."""
        return "a Maildir"

    def put(self, name: str, word: str) -> None:
        """Deliver a message, in place of the one that was delivered before under that name."""
        if name in self.files:
            self.remove(name)
        self._number += 1
        draft = self.path / "tmp" / name
        draft.write_bytes(message_of(name, word))
        self.files[name] = draft.rename(self.path / "cur" / f"{self._number}.{name}:2,{'S' * (len(word) % 2)}")

    def remove(self, name: str) -> None:
        """Delete a message."""
        self.files.pop(name).unlink()

    def rename(self, name: str, other: str) -> None:
        """Move a message into the other folder."""
        before = self.files.pop(name)
        folder = "cur" if ".Archive" in before.parts else ".Archive/cur"
        self.files[other] = before.rename(self.path / folder / before.name)


class ImapPlace(CrawlPlace):
    """Messages of an account of Dovecot."""

    kind = "mail"
    renames = True

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Run a server."""
        self._again: subprocess.Popen[bytes] | None = None
        with dovecot.dovecot(folder) as self.dovecot:
            try:
                yield
            finally:
                self._end()

    def made(self) -> None:
        """Begin without messages."""
        self.files: dict[str, tuple[str, Path]] = {}
        self._number = 0
        for each in (".Archive/cur", ".Archive/new", ".Archive/tmp"):
            (self.dovecot.mail / each).mkdir(parents=True)
        dovecot.own(self.dovecot.mail)

    def counterpart(self) -> str:
        """Ask for its version."""
        said = subprocess.run(["dovecot", "--version"], capture_output=True, text=True, check=True).stdout
        return f"Dovecot {said.split()[0]}"

    def prepare(self, commands: Commands) -> None:
        """Keep the password."""
        commands.run("secret", "add", "mail", given=dovecot.PASSWORD)

    def settings(self) -> Mapping[str, object]:
        """Name the server."""
        return {"url": f"imap://127.0.0.1:{self.dovecot.port}", "user": "ada", "password": "secret:mail"}

    def put(self, name: str, word: str) -> None:
        """Deliver a message in place of the one of that name."""
        if name in self.files:
            self.remove(name)
        self._deliver(name, message_of(name, word), "")

    def put_all(self, words: Mapping[str, str]) -> None:
        """Deliver messages."""
        folder = self.dovecot.mail / "new"
        folder.mkdir(exist_ok=True)
        for name, word in words.items():
            self._number += 1
            path = folder / f"{self._number}.{name}"
            path.write_bytes(message_of(name, word))
            self.files[name] = "", path
        dovecot.own(self.dovecot.mail)

    def remove(self, name: str) -> None:
        """Delete a message, whatever name the server has given its file."""
        self._file(name).unlink()
        del self.files[name]

    def rename(self, name: str, other: str) -> None:
        """Move a message into the other folder, where it has a number of its own."""
        folder, message = self.files[name][0], self._file(name).read_bytes()
        self.remove(name)
        self._deliver(other, message, "" if folder else ".Archive")

    def attributes(self, name: str, word: str) -> Mapping[str, str]:
        """The subject has the word too."""
        return {"Subject": f"A note of {word}"}

    def take_away(self) -> None:
        """Stop the server, which keeps its port."""
        self._signal(signal.SIGSTOP)

    def bring_back(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """End the server and its connections."""
        self._signal(signal.SIGKILL)
        (self._again or self.dovecot.process).wait()

    def start(self) -> None:
        """Start it at the same port."""
        command = ["dovecot", "-F", "-c", str(self.dovecot.folder / "dovecot.conf")]
        self._again = subprocess.Popen(command, start_new_session=True)
        dovecot.wait_for(self.dovecot.port, self._again, self.dovecot.folder)

    def _end(self) -> None:
        if self._again is not None:
            self._signal(signal.SIGTERM)
            self._again.wait()

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.killpg((self._again or self.dovecot.process).pid, number)

    def _deliver(self, name: str, message: bytes, folder: str) -> None:
        self._number += 1
        self.files[name] = folder, self.dovecot.put(f"{self._number}.{name}", message, folder)

    def _file(self, name: str) -> Path:
        folder, path = self.files[name]
        there = self.dovecot.mail / folder if folder else self.dovecot.mail
        return next(each for part in ("cur", "new") for each in (there / part).glob(f"{path.name}*"))
