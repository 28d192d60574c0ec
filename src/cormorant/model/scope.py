"""Scopes of tokens: the rights of their bearers."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Scope(StrEnum):
    """The access that a token grants; each scope includes those before it.

    SEARCH: the pages of readers. PUSH: push documents to sources of kind push, and no more. OPERATE: see everything,
    and start, suspend and stop work. ADMIN: everything, with configuration, access and deletion. Compare scopes with
    `includes`: `<` would compare their letters.
    """

    SEARCH = "search"
    PUSH = "push"
    OPERATE = "operate"
    ADMIN = "admin"

    def includes(self, other: Scope) -> bool:
        """Return whether this scope grants everything that the other one does."""
        order = list(Scope)
        return order.index(self) >= order.index(other)


PUBLIC: Final = None
"""The scope of a route that is open to everyone, even if search requires a token; no token has it."""


def covers(granted: Scope | None, needed: Scope | None) -> bool:
    """Return whether a visitor with the scope `granted` (None: no scope) may use a route that needs `needed`."""
    return needed is PUBLIC or (granted is not None and granted.includes(needed))
