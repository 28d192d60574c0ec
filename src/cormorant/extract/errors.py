"""Exceptions for documents that cannot be read.

What the readers of this package raise for one another; nothing of it leaves `convert`.
"""

from __future__ import annotations


class Unreadable(Exception):
    """The document is damaged, dangerous or not what it claims to be. The message says which, for an administrator.

    `detail` is what a converter said of that, for the log.
    """

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail


class Protected(Exception):
    """The document cannot be opened without a password. It is kept under its name, without text (fault B6)."""
