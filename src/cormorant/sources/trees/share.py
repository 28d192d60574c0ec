"""Paths of network shares, as people write them, as addresses."""

from __future__ import annotations

import os
import re

from cormorant.base.errors import BadAddress
from cormorant.model.url import canonical
from cormorant.sources.trees.tree_urls import quoted

_SLASHES = re.compile(r"file:/{4,5}(?=[^/])", re.IGNORECASE)
"""How an address begins in which a share is written as a path, as some programs do (RFC 8089 appendix E.3.2)."""
_SERVER = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-fA-F:.]+\]")


def of_share(text: str) -> str | None:
    r"""Return the address that a path of a share means, like `\\server\share\a b`; None for what is no such path.

    `//server/share` means the same, and so does an address with all four or five of its slashes, whose path is escaped
    already. Raises BadAddress for a path that names no server.
    """
    bare = text.strip()
    escaped = _SLASHES.match(bare)
    rest = bare[escaped.end() :] if escaped else bare.replace("\\", "/")
    if not escaped and not rest.startswith("//"):
        return None
    server, _, path = rest.lstrip("/").partition("/")
    path = path if escaped else quoted(os.fsencode("/".join(filter(None, path.split("/")))))
    if not _SERVER.fullmatch(server):
        raise BadAddress(f"{bare} names no server. Write a share like \\\\server\\share\\folder.")
    return canonical(f"file://{server}/{path}")
