"""Names of IMAP folders: modified UTF-7 (RFC 3501 5.1.3), and the patterns that choose among them."""

from __future__ import annotations

import binascii
import re
from collections.abc import Sequence
from fnmatch import translate
from typing import Final

_SHIFTED: Final = re.compile(r"&([A-Za-z0-9+,]*)-")
MAX_PATTERN: Final = 500


def readable_folder(name: str) -> str:
    """Return a folder's name as people read it; a part that is no modified UTF-7 stays as it is."""
    return _SHIFTED.sub(_unshifted, name)


def _unshifted(match: re.Match[str]) -> str:
    if not match[1]:
        return "&"
    letters = match[1].replace(",", "/")
    try:
        return binascii.a2b_base64(letters + "=" * (-len(letters) % 4)).decode("utf-16-be")
    except (binascii.Error, UnicodeDecodeError):
        return match[0]


class FolderChoice:
    """Chooses folders by patterns like INBOX, Archive/* or *; a folder is chosen with all that lie in it."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include, self._exclude = _compiled(include), _compiled(exclude)

    def takes(self, path: str) -> bool:
        """Say whether a folder is taken; `path` is its readable name with slashes between its levels."""
        return (self._include is None or _matches(self._include, path)) and not (
            self._exclude is not None and _matches(self._exclude, path)
        )

    def enters(self, path: str) -> bool:
        """Say whether a folder on disk may lead to one that is taken."""
        return self._exclude is None or not _matches(self._exclude, path)

    def names(self, path: str) -> bool:
        """Say whether a pattern asks for a folder, and not merely none leaves it out."""
        return self._include is not None and _matches(self._include, path)


def _compiled(patterns: Sequence[str]) -> re.Pattern[str] | None:
    found = "|".join(translate(each.strip().strip("/").casefold()) for each in patterns)
    return re.compile(found) if found else None


def _matches(pattern: re.Pattern[str], path: str) -> bool:
    levels = path.casefold().split("/")
    return any(pattern.match("/".join(levels[:count])) for count in range(1, len(levels) + 1))
