"""Names of files below one root as addresses: path bytes, percent-encoded, so that any name survives there and back."""

from __future__ import annotations

import mimetypes
import os
from collections.abc import Sequence
from urllib.parse import quote_from_bytes, unquote_to_bytes

_KEPT = "/!$&'()*+,;=:@"
"""Beside letters, digits and `_.-~`: what the URL standard leaves alone in a path, so that addresses are canonical."""
_TYPES = mimetypes.MimeTypes().types_map[True]


class TreeNaming:
    """Addresses of the files below one root.

    `root` is the address of the folder with a slash at its end; `site` is the key of its site.
    """

    def __init__(self, root: str, site: str, display_prefix: str = "") -> None:
        self.root, self.site = root, site
        self._shown = display_prefix + "/" if display_prefix else ""

    def address(self, parts: Sequence[bytes]) -> str:
        """Return the address of the file or folder with these names from the root down."""
        return self.root + quoted(b"/".join(parts))

    def parts(self, address: str) -> list[bytes] | None:
        """Return the names from the root down, None for what is no address of a file below the root."""
        if not address.startswith(self.root) or "?" in address or "#" in address:
            return None
        parts = [unquote_to_bytes(part) for part in address[len(self.root) :].split("/")]
        strange = any(part in (b"", b".", b"..") or b"/" in part or b"\0" in part for part in parts)
        return None if strange else parts

    def access(self, shown: str) -> str | None:
        """Return the address of the file that readers are shown as this, None when none is."""
        if not self._shown or not shown.startswith(self._shown):
            return None
        address = self.root + shown[len(self._shown) :]
        return address if self.parts(address) else None

    def display(self, address: str) -> str:
        """Return what readers are shown: the display prefix in place of the root, where there is one."""
        if self._shown and address.startswith(self.root):
            return self._shown + address[len(self.root) :]
        return address


def quoted(name: bytes) -> str:
    """Percent-encode a name, or several with slashes between."""
    return quote_from_bytes(name, _KEPT)


def mime_of(name: bytes) -> str:
    """Return the type that a file's name stands for; "" for none."""
    return _TYPES.get(os.path.splitext(os.fsdecode(name))[1].lower(), "")  # noqa: PTH122 - it is no path


def readable(name: bytes) -> str:
    """Return a name as text that can be shown: bytes and characters that cannot be printed are escaped."""
    text = name.decode("utf-8", "backslashreplace")
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
