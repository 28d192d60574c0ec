"""What can be done about a status at this address? A file has no server that could be asked."""

from __future__ import annotations

from typing import Final

from cormorant.model.status import Status, describe

_OF_FILES: Final = {
    Status.NOT_HTML: "Exclude the type if it is not wanted; if it is a text, save it anew as one.",
    Status.BINARY_AS_TEXT: "Open the file in its own program and save it anew, or exclude it.",
    Status.EMPTY: "Look whether that is meant: when the next crawl finds it empty too, it is found by its name.",
    Status.READ_TIMEOUT: "Look at the disk or the mount that holds it; if it is slow, raise the source's time limits.",
}


def advice(status: int, address: str) -> str:
    """What to do about a status of this address, in a sentence."""
    if address.startswith("file:") and status in _OF_FILES:
        return _OF_FILES[Status(status)]
    return describe(status).advice
