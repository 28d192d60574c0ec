"""Exceptions for documents that cannot be read.

The readers of this package raise them; `convert` catches them all.
"""

from __future__ import annotations


class Unreadable(Exception):
    """The document is damaged, dangerous or not what it claims to be. The message says which, for an administrator.

    `detail` is the message of a converter, for the log.
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class Protected(Exception):
    """The document cannot be opened without a password. It is stored under its name, without text."""
