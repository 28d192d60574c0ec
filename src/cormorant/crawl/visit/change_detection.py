"""Change detection: compares a document that was read with its previous version.

By what its source names as the condition. Pure.

    checksum  what it says, by change_by     date  Last-Modified, or another version by the listing
    etag      as sent                        acl   who may read it

One of them has to differ, or all that are named. What is not known, before or now, is not asked; where nothing is, what
it says decides. Who may read a document holds at once and is told in any case; the condition says whether that alone is
a change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cormorant.sources.protocol import Discovery

if TYPE_CHECKING:
    from collections.abc import Callable

    from cormorant.model.acl import ACL
    from cormorant.model.content import Content, Document
    from cormorant.model.resource import Resource
    from cormorant.sources.protocol import Source

BY_TEXT = ("checksum",)
"""The usual condition, for which equal bytes need not be read."""


def is_modified(
    source: Source, resource: Resource, content: Content, document: Document, rights: Callable[[int], ACL]
) -> bool:
    """Say so of a document that can be found. `rights` tells who may read it by the number of its access list."""
    settings = source.settings
    if resource.before:  # a forced run takes nothing for unchanged
        return True
    text = document.text_hash != resource.text_hash
    if settings.modified_by == BY_TEXT:
        return text
    looks: dict[str, Callable[[], bool | None]] = {
        "checksum": lambda: text,
        "date": lambda: _is_of_another_date(source, resource, content),
        "etag": lambda: content.etag != resource.etag if content.etag and resource.etag else None,
        "acl": lambda: document.acl != rights(resource.acl),
    }
    known = [said for each in settings.modified_by if (said := looks[each]()) is not None] or [text]
    return any(known) if settings.modified_when == "any" else all(known)


def _is_of_another_date(source: Source, resource: Resource, content: Content) -> bool | None:
    """None when nobody knows: a listing names only another version as one to be visited."""
    if resource.modified and content.modified:
        return content.modified != resource.modified
    return True if source.discovery is not Discovery.SEEDS and resource.validator else None
