"""Remedies for a message, by the status of its visit."""

from __future__ import annotations

from typing import Final

from cormorant.model.status import Status

ADVICE: Final[dict[int, str]] = {
    Status.NOT_FOUND: "Nothing to do if it was deleted or moved on purpose.",
    Status.FORBIDDEN: "Let the account read the folder or the file, or leave it out by exclude_folders.",
    Status.TOO_BIG: "Raise max_size_bytes, or set too_big to cut to index its beginning.",
    Status.TYPE_EXCLUDED: "Add the address it was sent to behind its list in lists, if it belongs to one.",
    Status.IO_ERROR: "Look at the reason given: a login, or a disk that is away.",
    Status.CONNECTION_REFUSED: "Check that the mail server runs and that this machine reaches it.",
    Status.BROKEN_STREAM: "Wait for the next try; if it stays, lower per_host: servers limit connections.",
    Status.READ_TIMEOUT: "Raise timeout_s if the message is large or its server slow.",
    Status.NOT_UNIQUE: "Nothing to do if it is a copy in another folder; else put {folder} in display_url.",
}
"""Advice on a status, by its number."""
