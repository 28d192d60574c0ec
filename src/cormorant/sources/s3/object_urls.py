"""Keys of objects as addresses and back. A key is any text: slashes in a row and parts like `..` are of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

from cormorant.sources.trees.tree_urls import TreeNaming, quoted

_DOTS: Final = (b".", b"..")
_VERSION: Final = "/~version="
"""Separator of a key and its version; no key is written so."""


class VersionedName(bytes):
    """The last part of a key whose object is meant in an older version, by the number that the store gives it."""

    version: str

    @classmethod
    def of(cls, name: bytes, version: str) -> VersionedName:
        """Return a name with its version."""
        made = cls(name)
        made.version = version
        return made


class KeyNaming(TreeNaming):
    """Addresses of the objects below a prefix; the parts of a key are what stands between its slashes.

    A part of dots alone, which an address cannot have, is written behind a tilde, and so is one that begins with one.
    An older version stands below its object, like docs/a.txt/~version=3HL4kq; readers see docs/a.txt?versionId=3HL4kq.
    """

    def address(self, parts: Sequence[bytes]) -> str:
        """Return the address of the object with this key below the prefix, or of the version that its last part has."""
        plain = self.root + quoted(b"/".join(b"~" + each if _is_marked(each) else each for each in parts))
        version = version_of(parts)
        return f"{plain}{_VERSION}{strictly_quoted(version.encode(), '')}" if version else plain

    def parts(self, address: str) -> list[bytes] | None:
        """Return the parts of the key below the prefix, None for what is no address of an object there."""
        if not address.startswith(self.root) or "?" in address or "#" in address:
            return None
        plain, mark, version = address[len(self.root) :].partition(_VERSION)
        parts = [unquote_to_bytes(part) for part in plain.split("/")]
        if any(part in _DOTS or b"/" in part for part in parts) or not parts[-1]:
            return None
        parts = [part.removeprefix(b"~") for part in parts]
        if mark:
            parts[-1] = VersionedName.of(parts[-1], unquote_to_bytes(version).decode("utf-8", "replace"))
        return parts

    def display(self, address: str) -> str:
        """Return what readers are shown: a version as stores write it."""
        plain, mark, version = super().display(address).partition(_VERSION)
        return f"{plain}?versionId={version}" if mark else plain

    def access(self, shown: str) -> str | None:
        """Return the address of the object or version that readers are shown as this, None when none is."""
        plain, mark, version = shown.partition("?versionId=")
        if not mark:
            return super().access(shown)
        address = super().access(plain) or (plain if self.parts(plain) else None)
        return f"{address}{_VERSION}{version}" if address else None


def version_of(parts: Sequence[bytes]) -> str:
    """Return the older version that the parts of a key mean, "" for the newest."""
    return parts[-1].version if parts and isinstance(parts[-1], VersionedName) else ""


def strictly_quoted(text: bytes, safe: str = "/") -> str:
    """Percent-encode all but letters, digits and `-._~`, as signatures want it."""
    return quote_from_bytes(text, safe)


def _is_marked(part: bytes) -> bool:
    return part in _DOTS or part.startswith(b"~")
