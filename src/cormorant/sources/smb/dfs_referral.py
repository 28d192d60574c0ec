"""Referrals of a DFS namespace ([MS-DFSC] 2.2): the question, and the targets of an answer. Strict about lengths."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

MAX_TARGETS: Final = 100
"""Targets of one answer that are looked at."""
MAX_PATH: Final = 4_096
"""Characters of a path in an answer."""
_LEVEL: Final = 4
"""The highest version of entries that is asked for ([MS-DFSC] 2.2.2)."""
_HEADER: Final = struct.Struct("<HHI")
_ENTRY: Final = struct.Struct("<HHHH")
_NAME_LIST: Final = 0x0002
_OFFSETS: Final = {2: struct.Struct("<12xIHHH"), 3: struct.Struct("<8xIHHH"), 4: struct.Struct("<8xIHHH")}
"""Time to live and the offsets of three paths, the last of which is the target (2.2.5.2 to 2.2.5.4)."""


class SharePlace(NamedTuple):
    """A folder of a share of a server, by its names from the share down."""

    host: str
    share: str
    folder: tuple[bytes, ...] = ()

    @property
    def root(self) -> tuple[str, str]:
        """The server and the share, as they are compared: case does not count."""
        return self.host.casefold(), self.share.casefold()

    def holds(self, other: SharePlace) -> bool:
        """Return whether another place is this folder, or lies below it."""
        own = [each.lower() for each in self.folder]
        return self.root == other.root and own == [each.lower() for each in other.folder[: len(own)]]


class Referral(NamedTuple):
    """The characters of the path that was asked for that stand for the link, its targets, and how long they hold."""

    consumed: int
    targets: tuple[SharePlace, ...]
    lives_s: int


def referral_request(path: str) -> bytes:
    r"""Return the question for a path like \server\share\folder (2.2.2)."""
    return struct.pack("<H", _LEVEL) + path.encode("utf-16-le") + b"\0\0"


def referral_of(answer: bytes) -> Referral:
    """Return what an answer says (2.2.4); a target that is no path of a share is left out. Raises ValueError."""
    try:
        consumed, count, _ = _HEADER.unpack_from(answer)
        targets, lives_s, at = list[SharePlace](), 0, _HEADER.size
        for _ in range(min(count, MAX_TARGETS)):
            version, size, _, flags = _ENTRY.unpack_from(answer, at)
            if version not in _OFFSETS or size < _ENTRY.size:
                raise ValueError("an entry of an unknown form")
            if not flags & _NAME_LIST:
                lives_s, _, _, offset = _OFFSETS[version].unpack_from(answer, at)
                targets += _places(answer, at + offset)
            at += size
    except struct.error as error:
        raise ValueError("a referral that is cut") from error
    return Referral(consumed // 2, tuple(targets), lives_s)


def _places(answer: bytes, start: int) -> list[SharePlace]:
    """Return the place that the text at an offset names, none where it names no share."""
    end = start
    while answer[end : end + 2] not in (b"\0\0", b""):
        end += 2
        if end - start > 2 * MAX_PATH:
            raise ValueError("a path without end")
    names = [each for each in answer[start:end].decode("utf-16-le", "strict").split("\\") if each]
    if len(names) < 2 or not all(each.isprintable() and "/" not in each and each not in (".", "..") for each in names):
        return []
    host, share, *folder = names
    return [SharePlace(host, share, tuple(each.encode() for each in folder))]
