"""Addresses of documents that lie in other documents: attachments, members of archives, embedded files.

    https://example.org/report.zip#/2024/a.eml          a member of an archive
    https://example.org/report.zip#/2024/a.eml!/b.docx  an attachment of the mail in it

A browser that opens such an address gets the container. A canonical address has no fragment, so it never looks like a
member; a `!` within a path is percent-encoded.
"""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from cormorant.model.url import try_canonical

MEMBER: Final = "#/"
"""Separates a container from the path of a document in it."""
INNER: Final = "!/"
"""Separates a member that is a container itself from the path of a document in it."""
ARROW: Final = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


class MemberEntry(NamedTuple):
    """A document that a container lists: its path, its version in hex, and its size in bytes."""

    path: str
    version: str
    size_bytes: int


def member_address(container: str, path: str) -> str:
    """Return the address of the document at `path` in the document at `container`."""
    return (
        f"{container}{INNER if is_member(container) else MEMBER}{quote(path.lstrip('/'), safe='/', errors='replace')}"
    )


def is_member(address: str) -> bool:
    """Return whether an address is that of a document in another one."""
    return MEMBER in address


def container_of(address: str) -> str:
    """Return the address of the document that contains a member; "" if it is no member."""
    outer, _, path = address.partition(MEMBER)
    if not path:
        return ""
    above, inner, _ = path.rpartition(INNER)
    return f"{outer}{MEMBER}{above}" if inner else outer


def outermost(address: str) -> str:
    """Return the address of a member's outermost container, or of a document that is no member."""
    return address.partition(MEMBER)[0] if MEMBER in address else address


def depth_of(address: str) -> int:
    """Return the number of containers around a document."""
    _, mark, path = address.partition(MEMBER)
    return 1 + path.count(INNER) if mark else 0


def path_within(address: str) -> str:
    """Return the path of a member in its container, as the container names it; "" if it is no member."""
    path = address.partition(MEMBER)[2]
    return unquote(path.rpartition(INNER)[2] if INNER in path else path)


def display_path(address: str) -> str:
    """Return the names that lead to a member, from `report.zip` on, with arrows between; "" if it is no member."""
    outer, mark, path = address.partition(MEMBER)
    if not mark:
        return ""
    names = [outer.partition("?")[0].rstrip("/").rpartition("/")[2], *path.replace(INNER, "/").split("/")]
    return ARROW.join(unquote(name) for name in names if name)


def canonical_member(text: str) -> str | None:
    """Return the canonical form of a member's address, None for any other text."""
    outer, mark, path = text.strip().partition(MEMBER)
    container = try_canonical(outer) if mark and path else None
    if container is None:
        return None
    inner = INNER.join(quote(unquote(part), safe="/", errors="replace") for part in path.split(INNER))
    return f"{container}{MEMBER}{inner}"
