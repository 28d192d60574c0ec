"""Access control lists (ACLs) that decide who may read a document.

Every document has grants and denies, every reader has principals.

A principal is a string as the source names it, with a prefix for its kind: `user:ada`, `group:staff`, `owner:1000`, or
`everyone`, which all readers have. A document is visible to a reader if one of its grants is among the reader's
principals and none of its denies is. A document without an ACL of its own has the source's, by default `everyone`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

EVERYONE = "everyone"


@dataclass(frozen=True, slots=True)
class ACL:
    """Grants and denies, sorted and without repeats, so that equal rights are equal values."""

    grants: tuple[str, ...]
    denies: tuple[str, ...] = ()

    @classmethod
    def of(cls, grants: Iterable[str], denies: Iterable[str] = ()) -> ACL:
        """Make an ACL from principals in any order. No grants means visible to nobody."""
        return cls(tuple(sorted(set(grants))), tuple(sorted(set(denies))))


PUBLIC = ACL((EVERYONE,))
"""For everyone."""

NOBODY = ACL(())
"""The ACL of a document whose rights could not be read."""


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader who searches: a name for the log, and every principal that the reader has."""

    name: str
    principals: frozenset[str]

    def may_read(self, acl: ACL) -> bool:
        """Return whether this reader sees a document with that ACL.

        The index evaluates the same rule in its own terms.
        """
        return not self.principals.isdisjoint(acl.grants) and self.principals.isdisjoint(acl.denies)


ANYONE = Reader("everyone", frozenset((EVERYONE,)))
"""The only reader until users exist."""
