"""Keys of objects as addresses and back. A key is any text: slashes in a row and parts like `..` are of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from cormorant.sources.trees.tree_urls import TreeNaming, quoted

_DOTS: Final = (b".", b"..")


class KeyNaming(TreeNaming):
    """Addresses of the objects below a prefix; the parts of a key are what stands between its slashes.

    A part of dots alone, which an address cannot have, is written behind a tilde, and so is one that begins with one.
    """

    def address(self, parts: Sequence[bytes]) -> str:
        """Return the address of the object with this key below the prefix."""
        return self.root + quoted(b"/".join(b"~" + each if _is_marked(each) else each for each in parts))

    def parts(self, address: str) -> list[bytes] | None:
        """Return the parts of the key below the prefix, None for what is no address of an object there."""
        if not address.startswith(self.root) or "?" in address or "#" in address:
            return None
        parts = [unquote_to_bytes(part) for part in address[len(self.root) :].split("/")]
        if any(part in _DOTS or b"/" in part for part in parts) or not parts[-1]:
            return None
        return [part.removeprefix(b"~") for part in parts]


def strictly_quoted(text: bytes, safe: str = "/") -> str:
    """Percent-encode all but letters, digits and `-._~`, as signatures want it."""
    return quote_from_bytes(text, safe)


def _is_marked(part: bytes) -> bool:
    return part in _DOTS or part.startswith(b"~")
