"""Exposed files: everyone may find them although their rights deny access to others.

Their number, and the first of them.
"""

from __future__ import annotations

import json
from typing import Final, NamedTuple, Self

NAMED: Final = 3
"""Files that a message names."""


class Closure(NamedTuple):
    """The reason why other users of its machine may not read a file.

    `above`: a folder above the source's own denies it.

    `by` is the path of the file or folder whose rights deny it.
    """

    why: str
    by: str = ""
    above: bool = False


class ExposedFiles(NamedTuple):
    """The number of files that everyone finds and that their rights close to others.

    `inside` of them are closed by their own rights, or by those of the source's folder or one in it; the others by the
    folder `above`. `first` are some of them, with the reasons. `at_least`: not all of the folder was read. `blind` is a
    kind of file system whose rights come from its mount, so that they mean nothing.
    """

    files: int = 0
    inside: int = 0
    above: str = ""
    first: tuple[tuple[str, str], ...] = ()
    at_least: bool = False
    blind: str = ""

    def as_text(self) -> str:
        """Return the stored form."""
        return json.dumps(self)

    @classmethod
    def read(cls, text: str | bytes) -> Self:
        """Return the value of a stored form."""
        files, inside, above, first, at_least, blind = json.loads(text)
        return cls(files, inside, above, tuple((name, why) for name, why in first), at_least, blind)

    def as_record(self) -> dict[str, object]:
        """Return the record for programs."""
        return {
            "files": self.files, "at_least": self.at_least, "above": self.above or None, "blind": self.blind or None,
            "first": [{"address": address, "why": why} for address, why in self.first],
        }  # fmt: skip


class ExposureTally:
    """Counts exposed files while a folder is listed. Files that the source's own folder closes are named first."""

    def __init__(self) -> None:
        self._files, self._inside, self._above = 0, 0, ""
        self._first: list[tuple[str, str]] = []
        self._others: list[tuple[str, str]] = []

    def add(self, address: str, closure: Closure) -> None:
        """Count a file that everyone may find."""
        self._files += 1
        self._inside += not closure.above
        self._above = self._above or (closure.by if closure.above else "")
        named = self._others if closure.above else self._first
        if len(named) < NAMED:
            named.append((address, closure.why))

    def total(self, *, at_least: bool = False, blind: str = "") -> ExposedFiles:
        """Return the counts so far."""
        first = tuple([*self._first, *self._others][:NAMED])
        return ExposedFiles(self._files, self._inside, self._above, first, at_least, blind)
