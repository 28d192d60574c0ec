"""A folder that is edited at random, and what a crawl of it must find: who may read what, by the bits alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.journeys.rounds.wiki import WORDS

FILES = 40
FOLDERS = ("", "a", "a/b", "c", "c/d e", "ä")
ENDINGS = (".txt", ".html", ".md")


class File(NamedTuple):
    """The expected index entry of a file, and whether everyone may read it."""

    text: str
    public: bool


class Tree:
    """The folder. `said` is the text of every file, by its path below the root."""

    def __init__(self, root: Path, chance: Random) -> None:
        self.root, self.chance, self.written, self.count = root, chance, 0, 0
        self.said: dict[str, str] = {}
        for _ in range(FILES):
            self.add()

    def truth(self) -> dict[str, File]:
        """The files that must be found."""
        return {name: File(text, self._public(name)) for name, text in self.said.items()}

    def _public(self, name: str) -> bool:
        path = self.root / name
        open_ways = (each.stat().st_mode & 0o001 for each in path.parents if each.is_relative_to(self.root))
        return bool(path.stat().st_mode & 0o004) and all(open_ways)

    def edit(self, times: int) -> list[str]:
        """Edit so often; returns what was done."""
        edits: tuple[Callable[[], str], ...] = (
            self.add, self.change, self.change, self.touch, self.move, self.delete, self.bits, self.bits_of_folder,
            self.again, self.secretly, self.move_folder,
        )  # fmt: skip
        chosen = [self.chance.choice(edits) for _ in range(times)]
        return [f"{each.__name__}: {each()}" for each in chosen]

    def _words(self) -> str:
        self.written += 1
        return " ".join([f"own{self.written:05}", *self.chance.choices(WORDS, k=20)])

    def _some(self) -> str:
        return self.chance.choice(sorted(self.said))

    def _write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<html><body><p>{text}</p></body></html>" if name.endswith(".html") else text)
        self.said[name] = text

    def add(self) -> str:
        """A new file."""
        self.count += 1
        folder = self.chance.choice(FOLDERS)
        name = f"{folder}/" * bool(folder) + f"f{self.count}{self.chance.choice(ENDINGS)}"
        self._write(name, self._words())
        return name

    def change(self) -> str:
        """Another text."""
        name = self._some()
        self._write(name, self._words())
        return name

    def secretly(self) -> str:
        """Another text as long, and the time set back."""
        name = self._some()
        path, text = self.root / name, self._words()
        before = path.stat()
        length = len(self.said[name])
        self._write(name, text.ljust(length, "x")[: length - 1] + "x")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        return name

    def touch(self) -> str:
        """Nothing but the time."""
        name = self._some()
        at = self.chance.randrange(10**9, 2 * 10**9)
        os.utime(self.root / name, (at, at))
        return name

    def again(self) -> str:
        """Write a file again with the same text, as editors do: it gets another inode."""
        name = self._some()
        path = self.root / name
        mode = path.stat().st_mode
        copy = path.with_name(f"{path.name}~")
        shutil.copy(path, copy)
        copy.chmod(mode)
        copy.replace(path)
        return name

    def move(self) -> str:
        """To another folder or name."""
        name = self._some()
        self.count += 1
        folder = self.chance.choice(FOLDERS)
        new = f"{folder}/" * bool(folder) + f"m{self.count}{Path(name).suffix}"
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).rename(self.root / new)
        self.said[new] = self.said.pop(name)
        return f"{name} {new}"

    def delete(self) -> str:
        """Gone."""
        name = self._some()
        (self.root / name).unlink()
        del self.said[name]
        return name

    def move_folder(self) -> str:
        """A folder gets another name, with all in it."""
        folders = sorted({name.partition("/")[0] for name in self.said if "/" in name})
        if not folders or self.chance.random() < 0.6:
            return "none"
        old = self.chance.choice(folders)
        self.count += 1
        new = f"d{self.count}"
        (self.root / old).rename(self.root / new)
        for name in [each for each in self.said if each.startswith(f"{old}/")]:
            self.said[new + name[len(old) :]] = self.said.pop(name)
        return f"{old} {new}"

    def bits(self) -> str:
        """Other people may read it."""
        name, mode = self._some(), self.chance.choice((0o644, 0o640, 0o600, 0o604))
        (self.root / name).chmod(mode)
        return f"{name} {mode:o}"

    def bits_of_folder(self) -> str:
        """Other people may come as far as what is in it."""
        name = self._some()
        folder = (self.root / name).parent
        if folder == self.root:
            return "none"
        folder.chmod(mode := self.chance.choice((0o755, 0o755, 0o750, 0o711)))
        return f"{folder.name} {mode:o}"
