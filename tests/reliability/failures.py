"""What the proofs of reliability have found in the program: by what, what went wrong, how it was mended."""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """A failure of the program: which proof found it, what went wrong, and what is otherwise now."""

    by: str
    wrong: str
    mended: str


FOUND = (
    Found(
        "interleavings",
        "A robots.txt that had been put off was asked for twice under one lease: once in front of the document that "
        "needs it, once behind the documents, where it waited as well.",
        "What comes in front is taken out of what waits (`crawl/manners.py`).",
    ),
)
