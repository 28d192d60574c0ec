"""What is found in which language: forms of words, stop words in phrases, scripts without spaces."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple


class Asked(NamedTuple):
    """A question to the documents of a language, counted from 1, and which of them should be found.

    `found` is what is found instead, where that is known to be something else; the documentation shows it.
    """

    query: str
    expected: tuple[int, ...]
    shows: str
    found: tuple[int, ...] | None = None


class Spoken(NamedTuple):
    """A language or script: its name, its tag, documents, questions."""

    name: str
    tag: str
    documents: tuple[str, ...]
    asked: tuple[Asked, ...]


def _asked(query: str, expected: list[int], shows: str, found: list[int] | None = None) -> Asked:
    return Asked(query, tuple(expected), shows, None if found is None else tuple(found))


LANGUAGES = tuple(
    Spoken(each["name"], each["tag"], tuple(each["documents"]), tuple(_asked(**one) for one in each["asked"]))
    for each in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["language"]
)
