"""Orphan policy, as an administrator writes it, for a document that no link leads to any more.

keep              it is visited and searchable as before
delete_after:3    it is deleted after three whole runs in a row have found no link to it
"""

from __future__ import annotations

import re

KEEP = "keep"
MOST = 100
_DELETED = re.compile(r"delete_after[: ](\d{1,3})")


def runs_until_deleted(text: str) -> int | None:
    """Return the number of runs until a deletion, None for `keep`. Raises ValueError for any other text."""
    deleted = _DELETED.fullmatch(text)
    if text == KEEP:
        return None
    if deleted is None or not 1 <= int(deleted[1]) <= MOST:
        raise ValueError(f"{text!r} is not known. Write {KEEP}, or delete_after:N with a number of runs up to {MOST}.")
    return int(deleted[1])
