"""Change detection: compares a document that was read with its previous version.

Its source's settings name the conditions. Pure.

    checksum  the text, by change_by         date  Last-Modified, or another version in the listing
    etag      as sent                        acl   the access rights

One of the named conditions has to differ, or all of them. A condition with an unknown value, old or new, is skipped; if
none is left, the text decides. Access rights take effect and are delivered in any case; the condition decides whether
they alone are a change.
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
"""The default condition, for which unchanged bytes need not be read."""


def is_modified(
    source: Source, resource: Resource, content: Content, document: Document, rights: Callable[[int], ACL]
) -> bool:
    """Return whether an indexed document has changed. `rights` gives the access list by its number."""
    settings = source.settings
    if resource.before:  # a forced run takes no document for unchanged
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
    """None if unknown: a listing has a document visited only for another version."""
    if resource.modified and content.modified:
        return content.modified != resource.modified
    return True if source.discovery is not Discovery.SEEDS and resource.validator else None
