"""Remedies for a file, which has no server that could be asked."""

from __future__ import annotations

from typing import Final

from cormorant.model.status import Status

_AWAY: Final = "Check that its disk or share is there; after five such runs the document is removed."
ADVICE: Final[dict[int, str]] = {
    Status.FORBIDDEN: "Let the account that crawls read the file, or exclude it.",
    Status.NOT_FOUND: "Nothing to do if it was removed or moved on purpose; otherwise put it back where it was.",
    Status.OUTSIDE_BOUNDARY: "Check the rule shown: include, exclude, hidden, symlinks or depth of the source.",
    Status.TOO_DEEP: "Raise depth, or add a source whose path is a folder nearer to it.",
    Status.HELD: "Answer the held run with `cormorant run accept` or `cormorant run refuse`.",
    Status.DUPLICATE_IGNORED: "Nothing to do; search with --all to see every document of that content.",
    Status.UNREACHABLE_1: _AWAY,
    Status.UNREACHABLE_2: _AWAY,
    Status.UNREACHABLE_3: _AWAY,
    Status.UNREACHABLE_4: "Check that its disk or share is there before the next crawl.",
    Status.UNREACHABLE_5: "Bring its disk or share back; the next crawl that finds the file indexes it again.",
    Status.NOT_HTML: "Exclude the type if you do not want it; if it is a text, save it again as text.",
    Status.BINARY_AS_TEXT: "Open the file in its own program and save it again, or exclude it.",
    Status.EMPTY: "Check that this is correct: if the next crawl finds it empty too, search finds it by its name.",
    Status.READ_TIMEOUT: "Check the disk or the mount; if it is slow, raise the time limits of the source.",
}
"""Advice on a status, by its number."""
