"""Scopes of tokens: how much the bearer of a token may do."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Scope(StrEnum):
    """The access that a token grants; each scope includes those before it.

    SEARCH: what readers see. PUSH: hand documents to sources of kind push, and no more. OPERATE: look at everything,
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
"""The need of a route that is open to everybody, also where search asks for a token; nobody's scope."""


def covers(granted: Scope | None, needed: Scope | None) -> bool:
    """Return whether a visitor with the scope `granted` (None: no scope) may use a route that needs `needed`."""
    return needed is PUBLIC or (granted is not None and granted.includes(needed))
