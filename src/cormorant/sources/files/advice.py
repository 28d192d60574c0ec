"""Remedies for a file, which has no server that could be asked."""

from __future__ import annotations

from typing import Final

from cormorant.model.status import Status

_AWAY: Final = "Look whether its disk or share is there; it is removed after five such runs."
ADVICE: Final[dict[int, str]] = {
    Status.FORBIDDEN: "Let the account that crawls read the file, or exclude it.",
    Status.NOT_FOUND: "Nothing to do if it was removed or moved on purpose; otherwise put it back where it was.",
    Status.OUTSIDE_BOUNDARY: "Look at the rule shown: include, exclude, hidden, symlinks or depth of the source.",
    Status.TOO_DEEP: "Raise depth, or add a source whose path is a folder nearer to it.",
    Status.HELD: "Answer the held run with `cormorant run accept` or `cormorant run refuse`.",
    Status.DUPLICATE_IGNORED: "Nothing to do; search with --all to see every document of that content.",
    Status.UNREACHABLE_1: _AWAY,
    Status.UNREACHABLE_2: _AWAY,
    Status.UNREACHABLE_3: _AWAY,
    Status.UNREACHABLE_4: "Look whether its disk or share is there before the next crawl.",
    Status.UNREACHABLE_5: "Bring its disk or share back; the next crawl that finds it takes it in again.",
    Status.NOT_HTML: "Exclude the type if it is not wanted; if it is a text, save it anew as one.",
    Status.BINARY_AS_TEXT: "Open the file in its own program and save it anew, or exclude it.",
    Status.EMPTY: "Look whether that is meant: when the next crawl finds it empty too, it is found by its name.",
    Status.READ_TIMEOUT: "Look at the disk or the mount that holds it; if it is slow, raise the source's time limits.",
}
"""What to do about a status, by its number."""
