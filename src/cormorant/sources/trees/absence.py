"""Why a listing of folders names neither a folder nor a file, by the settings of its source alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cormorant.model.ruling import Ruling
from cormorant.sources.kind import OWNER, Unlisted
from cormorant.sources.trees.filters import TreeGates
from cormorant.sources.trees.tree_urls import TreeNaming

UNREAD: Final = "No file below this folder is read."
_UNNAMED: Final = "There is no such file, it was added after the last crawl, or its folder could not be listed."


def of_folder(ruling: Ruling) -> Unlisted:
    """Return why a folder is no document, given the ruling on whether it is listed."""
    if not ruling.admitted:
        return Unlisted(ruling, UNREAD)
    return Unlisted(ruling, "It is a folder, and only files are documents.", "Ask for a file in it.")


def of_address(gates: TreeGates, naming: TreeNaming, address: str) -> Unlisted | None:
    """Return why no listing names an address, without a request; None for what is not below the root.

    A slash at the end marks a folder. Without one, a rule that leaves out a whole folder still decides: it would not
    keep a file of that name from being listed.
    """
    if not (address + "/").startswith(naming.root):
        return None
    bare = address.rstrip("/")
    parts: Sequence[bytes] | None = naming.parts(bare) if len(bare) >= len(naming.root) else []
    if parts is not None and (not parts or bare != address):
        return of_folder(gates.enter(parts))
    ruling = gates.follow(address, 0)
    if ruling.admitted and (rule := gates.left_out(parts or ())):
        return Unlisted(rule, UNREAD)
    if not ruling.admitted:
        return Unlisted(ruling)
    return Unlisted(ruling, _UNNAMED, f"Check its spelling; run `cormorant crawl {OWNER}` if it was added since.")
