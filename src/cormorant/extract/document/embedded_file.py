"""A file inside another one: an attachment of a mail, a member of an archive, a file embedded in a document."""

from __future__ import annotations

from typing import NamedTuple


class EmbeddedFile(NamedTuple):
    """A file within a document.

    `path` is its name there, folders separated by "/", "" if it has none; `body` its bytes, decoded from any transfer
    coding. `mime` is the declared media type, "" if none is declared, `modified_at` its date in epoch seconds.
    `refusal` is the reason for missing bytes ("it needs a password"); "" for most.
    """

    path: str
    body: bytes
    mime: str = ""
    modified_at: float | None = None
    refusal: str = ""
