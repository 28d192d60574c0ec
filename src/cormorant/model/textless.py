"""Why has a document no text, and what can be done about it? Told wherever people ask what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

REMARK: Final = "It has no text: "
"""How the remark on such a document begins, by which those of a source are found and counted."""


class Why(StrEnum):
    """The reasons, as they stand in a sentence."""

    PROTECTED = "it is protected by a password"
    EMPTY = "it is empty"
    PICTURES = "it holds only pictures, like a scan"
    NO_WORDS = "nothing in it is text"


_ADVICE: Final = {
    Why.PROTECTED: "Save a copy without the password where readers may find it, or exclude it.",
    Why.EMPTY: "Look whether that is meant; exclude it if it is.",
    Why.PICTURES: "Have the text in its pictures recognised by a scanner's program and save that, or exclude it.",
    Why.NO_WORDS: "Open it: if there is text to be seen, it is drawn as a picture or made by a script.",
}


def why(mime: str, size_bytes: int, text: str, attributes: Mapping[str, object]) -> Why | None:
    """Say why there is no text, None when there is some."""
    if text:
        return None
    if attributes.get("Protection") == "password":
        return Why.PROTECTED
    if not size_bytes:
        return Why.EMPTY
    return Why.PICTURES if mime == "application/pdf" else Why.NO_WORDS


def sentence(reason: Why) -> str:
    """What is kept beside its status, and told."""
    return f"{REMARK}{reason}; only its name and address can be found."


def advice(reason: Why) -> str:
    """What to do about it."""
    return _ADVICE[reason]


def reason_in(remark: str) -> Why | None:
    """The reason that a kept remark gives, None when it is about something else."""
    said = remark.removeprefix(REMARK).partition(";")[0]
    return next((each for each in Why if each == said), None) if remark.startswith(REMARK) else None
