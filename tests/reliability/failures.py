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
    Found(
        "power cuts",
        "An index whose commit had been confirmed could be the one before it: the engine renames its table of contents "
        "last and does not sync the folder. Search then lacked documents until a person rebuilt the index.",
        "The folder is synced before a commit is told of (`index/writing.py`).",
    ),
    Found(
        "power cuts",
        "Of a batch that a JSON Lines receiver had not synced, later lines could be there without earlier ones. They "
        "were taken for all of it, so its file kept a hole and had other events twice; one that began with a hole was "
        "refused.",
        "What has a hole is cut off when its events come again (`receivers/jsonlines.py`, `receivers/tail.py`).",
    ),
    Found(
        "failing calls",
        "A crawl of files hung for good when its retriever could not write while a file had just been read: "
        "`asyncio.wait_for` of Python 3.11 swallows then that the visit is to end.",
        "What is to end is told so until it does (`crawl/slots.py`), and nothing waits in that way.",
    ),
    Found(
        "failing calls",
        "A disk's refusal in places that seldom fail, as when a lock is taken, was told as a fault of the program.",
        "It is told as what it is, with what to do (`base/disk.py`).",
    ),
)
