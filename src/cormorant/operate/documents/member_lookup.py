"""Lookup of documents in other documents by the forms in which people write their addresses.

file:///srv/a.zip#/b/c.txt  as results show it       /srv/a.zip#/b/c.txt  as a path
file:///srv/a.zip!/b/c.txt  as other programs do     /srv/a.zip/b/c.txt   as a folder
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final

from cormorant.frontier.staging import member_rows
from cormorant.model.member import INNER, MEMBER, canonical_member, is_member, member_address
from cormorant.model.url import try_canonical
from cormorant.sources.trees.tree_urls import quoted
from cormorant.store.catalog import sources
from cormorant.store.db.database import Tx
from cormorant.store.journal import tombstones

MOST_FOLDERS: Final = 64
"""Folders above a file that are tried as its container."""

Rows = Callable[[Tx, str], Sequence[Any]]
"""The rows of an address, `lookup.at`."""


def of_text(tx: Tx, text: str, rows: Rows) -> str | None:
    """Return the member that an address or a full path means: a known one, or one of a known container; else None."""
    for mark in (MEMBER, INNER):
        outer, _, path = text.partition(mark)
        if path and (found := _in_container(tx, outer, path, rows)):
            return found
    return None


def of_path(tx: Tx, path: str, rows: Rows) -> str | None:
    """Return the member that a path means in which its container is written like a folder; else None."""
    outer, inner = path, ""
    for _ in range(MOST_FOLDERS):
        outer, _, name = outer.rpartition("/")
        inner = f"{name}/{inner}" if inner else name
        if not outer:
            return None
        if "." in outer.rpartition("/")[2] and (found := _in_container(tx, outer, inner, rows)):
            return found
    return None


def _in_container(tx: Tx, outer: str, path: str, rows: Rows) -> str | None:
    """Return the address of a known member, or of any in a known container; escapes are read where it has them."""
    container = try_canonical(outer if ":/" in outer else "file://" + quoted(os.fsencode(outer)))
    if container is None:
        return None
    member = canonical_member(f"{container}{MEMBER}{path}")
    literal = _literal(container, path)
    for each in (literal, member):
        if each is not None and (rows(tx, each) or _was_there(tx, each)):
            return each
    known = [row for row in rows(tx, container) if not is_member(row.address)]
    holds = known and (container.startswith("file:") or member_rows.of_containers(tx, [row.id for row in known]))
    return (member if ":/" in outer else literal) if holds else None


def _literal(container: str, path: str) -> str:
    """Return the address of a member whose path has no escapes."""
    for part in path.split(INNER):
        container = member_address(container, part)
    return container


def _was_there(tx: Tx, address: str) -> bool:
    """Return whether a source had a document at an address."""
    return any(tombstones.at(tx, each.id, address) for each in sources.every(tx))
