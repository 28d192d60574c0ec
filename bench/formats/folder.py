"""Which words of real documents does another reader find, and ours does not?

Nobody knows what such documents say, so a difference is a hint to look at, and no fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from bench.formats.process import ReaderProcess
from bench.formats.readers.loop import Answer

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_PICTURE: Final = re.compile(r"\.(?:emf|wmf|png|jpe?g|gif|bmp|tiff?|pict?)$", re.IGNORECASE)
_SHOWN: Final = 15
_SIZE: Final = 30_000_000
"""Bytes of a file that is read at most."""


class Difference(NamedTuple):
    """A document, the numbers of words of each reader, the words that ours lacks, and the readers' errors."""

    path: Path
    ours: int
    theirs: int
    missing: tuple[str, ...]
    errors: tuple[str, str]

    def __str__(self) -> str:
        """Return a row of a table, with some of the words."""
        errors = " / ".join(error[:120] or "-" for error in self.errors) if any(self.errors) else ""
        cells = (str(self.path), self.ours, self.theirs, len(self.missing), " ".join(self.missing[:_SHOWN]), errors)
        return "| " + " | ".join(map(str, cells)) + " |"


def differences(folder: Path, ours: ReaderProcess, theirs: ReaderProcess) -> Iterator[Difference]:
    """Yield what ours lacks of each file below a folder, in order."""
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and each.stat().st_size <= _SIZE):
        mine, other = ours.read(path) | {"own": True}, theirs.read(path)
        known, found = _words(mine), _words(other)
        missing = tuple(word for word in found if word not in known)
        yield Difference(path.relative_to(folder), len(known), len(found), missing, (_error(mine), _error(other)))


def _error(answer: Answer) -> str:
    return str(answer.get("error", "")).replace("|", "/").replace("\n", " ")


def _words(answer: Answer) -> dict[str, None]:
    """Return the words of texts in their order, each once, without soft hyphens; pictures and previews apart."""
    embedded = (each["text"] for each in answer.get("embedded", ()) if not _PICTURE.search(each["name"]))
    attributes = chain.from_iterable(answer.get("attributes", {}).values()) if answer.get("own") else ()
    texts = (answer.get("text", ""), answer.get("title", ""), *embedded, *attributes)
    return dict.fromkeys(_WORD.findall("\n".join(texts).replace("\xad", "").lower()))
