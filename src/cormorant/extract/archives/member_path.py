r"""Names of members of an archive, made harmless, readable and distinct.

..\..\Windows\a.txt  ->  Windows/a.txt        C:/plans/a.txt  ->  C/plans/a.txt        a.txt, a.txt  ->  a (2).txt
"""

from __future__ import annotations

import re
from typing import Final

MAX_NAME: Final = 255
"""Characters of a file or folder name, as file systems have it."""
MAX_FOLDERS: Final = 60
"""Folders of a path; of a deeper one the last ones are kept."""
MAX_CHARACTERS: Final = 900
"""Characters of a path; a longer one loses folders at its beginning."""

_DRIVE: Final = re.compile(r"([A-Za-z]):(?=/|$)")
# Control characters, lone surrogates, and marks that turn the direction of what follows: "exe.txt" for "txt.exe".
_HARMFUL: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_NOISE: Final = frozenset((".ds_store", "thumbs.db", "desktop.ini"))
"""Files that operating systems add, in lower case."""
_MAC_FOLDER: Final = "__macosx"
_MAC_PREFIX: Final = "._"


def harmless_path(name: str) -> str:
    """Return a name without parts that lead out of the archive or cannot be displayed, folders separated by "/".

    "" if nothing is left.
    """
    name = _DRIVE.sub(r"\1/", name[: 8 * MAX_CHARACTERS].replace("\\", "/"), count=1)
    parts = [_harmless_name(part) for part in name.split("/")]
    kept = [part for part in parts if part not in ("", ".", "..")][-MAX_FOLDERS:]
    while len(kept) > 1 and sum(map(len, kept)) + len(kept) > MAX_CHARACTERS:
        del kept[0]
    return "/".join(kept)


def is_noise(path: str) -> bool:
    """Return whether a harmless path is that of a file that a system adds: .DS_Store, Thumbs.db, __MACOSX."""
    folder, _, name = path.lower().rpartition("/")
    return name in _NOISE or name.startswith(_MAC_PREFIX) or _MAC_FOLDER in folder.split("/")


class DistinctPaths:
    """Makes the paths of one archive distinct: the second of one name gets " (2)" before its extension."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def distinct(self, path: str) -> str:
        """Return `path`, with a number when it was there before."""
        made = path
        while made in self._taken:
            number = self._next.get(path, 2)
            self._next[path] = number + 1
            made = _numbered(path, number)
        self._taken.add(made)
        return made


def _numbered(path: str, number: int) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not stem:
        stem, dot, extension = name, "", ""
    return f"{folder}{slash}{stem} ({number}){dot}{extension}"


def _harmless_name(name: str) -> str:
    name = _HARMFUL.sub("_", name).strip(" ")
    if len(name) <= MAX_NAME:
        return name
    stem, dot, extension = name.rpartition(".")
    kept = f"{dot}{extension}" if stem and len(extension) <= 16 else ""
    return name[: MAX_NAME - len(kept)] + kept
