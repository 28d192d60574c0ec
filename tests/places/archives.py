"""Web archives, and git repositories: histories of documents in files."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cormorant.testing import Commands, CrawlPlace
from tests.sources.git.repositories import Repository
from tests.sources.warc.written import response, zipped


class WarcPlace(CrawlPlace):
    """A folder with an archive for each address, to which captures are appended."""

    kind = "warc"
    path: Path

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Make the folder."""
        self.path, self.turn = folder / "place", 0
        self.path.mkdir()
        yield

    def counterpart(self) -> str:
        """Name the format."""
        return "WARC 1.1, written by its rules"

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        return {"path": self.path}

    def put(self, name: str, word: str) -> None:
        """Write a newer capture."""
        with (self.path / f"{name}.warc.gz").open("ab") as file:
            file.write(self._capture(name, word))

    def put_all(self, words: Mapping[str, str]) -> None:
        """Write an archive for each address, but one of all for those that are never removed."""
        for name, word in words.items():
            archive = "many" if name.startswith("many") else name
            with (self.path / f"{archive}.warc.gz").open("ab") as file:
                file.write(self._capture(name, word))

    def remove(self, name: str) -> None:
        """Delete an archive."""
        (self.path / f"{name}.warc.gz").unlink()

    def url(self, name: str) -> str:
        """Return the address that was captured."""
        return f"https://site.example/{name}"

    def take_away(self) -> None:
        """Rename the folder."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)

    def _capture(self, name: str, word: str) -> bytes:
        self.turn += 1
        clock = f"{self.turn // 3600 % 24:02}:{self.turn // 60 % 60:02}:{self.turn % 60:02}"
        moment = f"2026-01-{2 + self.turn // 86_400:02}T{clock}Z"
        return zipped(response(self.url(name), f"The text has {word}.".encode(), moment))


class GitPlace(CrawlPlace):
    """A repository of this machine, with a commit for each edit."""

    kind = "git"
    renames = True
    path: Path

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Choose where the repository is."""
        self.path, self.mirrors = folder / "place", folder / "mirrors"
        yield

    def made(self) -> None:
        """Make the repository."""
        self.repository = Repository(self.path)

    def counterpart(self) -> str:
        """Ask for its version."""
        return subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()

    def prepare(self, commands: Commands) -> None:
        """Have a new installation make a mirror of its own."""
        shutil.rmtree(self.mirrors, ignore_errors=True)

    def settings(self) -> Mapping[str, object]:
        """Name the repository."""
        return {
            "url": self.path, "mirror_folder": self.mirrors, "display_url": "https://git.example/r/{branch}/{path}",
        }  # fmt: skip

    def put(self, name: str, word: str) -> None:
        """Commit a file."""
        self.put_all({name: word})

    def put_all(self, words: Mapping[str, str]) -> None:
        """Commit files, all at once."""
        for name, word in words.items():
            self.repository.put(self.file(name), f"The text has {word}.")
        self._commit()

    def remove(self, name: str) -> None:
        """Commit that a file is gone."""
        (self.path / self.file(name)).unlink()
        self._commit()

    def rename(self, name: str, other: str) -> None:
        """Commit that a file has another name."""
        (self.path / self.file(name)).rename(self.path / self.file(other))
        self._commit()

    def file(self, name: str) -> str:
        """Return the path of a file; many are in a folder for each hundred."""
        number = name.removeprefix("many")
        return f"part{int(number) // 100}/{name}.txt" if number != name else f"{name}.txt"

    def url(self, name: str) -> str:
        """Return the page of a file."""
        return f"https://git.example/r/main/{self.file(name)}"

    def attributes(self, name: str, word: str) -> Mapping[str, str]:
        """The author is that of the last commit."""
        return {"Author": "Ada"}

    def take_away(self) -> None:
        """Rename the repository."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)

    def _commit(self) -> None:
        self.repository.git("add", "--all")
        self.repository.git("commit", "--quiet", "-m", "Change")
