"""Lookup of documents in other documents by the forms in which people write their addresses.

file:///srv/a.zip#/b/c.txt  as results show it       /srv/a.zip#/b/c.txt  as a path
file:///srv/a.zip!/b/c.txt  as other programs do     /srv/a.zip/b/c.txt   as a folder
"""

from __future__ import annotations

import os
from typing import Final

from cormorant.frontier.staging import member_rows
from cormorant.model.member import INNER, MEMBER, canonical_member, is_member, member_address
from cormorant.model.url import try_canonical
from cormorant.operate.documents.address_lookup import AddressLookup
from cormorant.sources.trees.tree_urls import quoted

MOST_FOLDERS: Final = 64
"""Folders above a file that are looked at."""
MOST_CONTAINERS: Final = 8
"""Those with a dot in their name that are looked up as its container, from the inside out."""


def of_text(rows: AddressLookup, text: str) -> str | None:
    """Return the member that an address or a full path means: a known one, or one of a known container; else None."""
    for mark in (MEMBER, INNER):
        outer, _, path = text.partition(mark)
        if path and (found := _in_container(rows, outer, path)):
            return found
    return None


def of_path(rows: AddressLookup, path: str) -> str | None:
    """Return the member that a path means in which its container is written like a folder; else None.

    A container farther from the file than MOST_CONTAINERS folders with a dot is not found so.
    """
    outer, inner, tried = path, "", 0
    for _ in range(MOST_FOLDERS):
        outer, _, name = outer.rpartition("/")
        inner = f"{name}/{inner}" if inner else name
        if not outer or tried == MOST_CONTAINERS:
            return None
        if "." in outer.rpartition("/")[2]:
            tried += 1
            if found := _in_container(rows, outer, inner):
                return found
    return None


def _in_container(rows: AddressLookup, outer: str, path: str) -> str | None:
    """Return the address of a known member, or of any in a known container; escapes are read where it has them.

    A member has a row or a tombstone only if its container has one, so the container is looked up first.
    """
    container = try_canonical(outer if ":/" in outer else "file://" + quoted(os.fsencode(outer)))
    if container is None:
        return None
    around = rows.at(container)
    if not around and not rows.was_at(container):
        return None
    member = canonical_member(f"{container}{MEMBER}{path}")
    literal = _literal(container, path)
    for each in dict.fromkeys((literal, member)):
        if each is not None and (rows.at(each) or rows.was_at(each)):
            return each
    known = [row.id for row in around if not is_member(row.address)]
    holds = known and (container.startswith("file:") or member_rows.of_containers(rows.tx, known))
    return (member if ":/" in outer else literal) if holds else None


def _literal(container: str, path: str) -> str:
    """Return the address of a member whose path has no escapes."""
    for part in path.split(INNER):
        container = member_address(container, part)
    return container
