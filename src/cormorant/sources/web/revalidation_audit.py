"""Revalidation audit: whether a server's 304 responses are true.

Now and then the page is asked for without conditions, to see (fault N19).

A few servers confirm what has changed since: an ETag made from a template's version, a cache that never looks again.
Nobody would notice, since a page that is always confirmed is never read. Whose turn it is: `model/text/sampling.py`.
"""

from __future__ import annotations

import hashlib

from msgspec.structs import replace
from pydantic import Field

from cormorant.model.content import Content
from cormorant.model.settings.source import Settings


class AuditSettings(Settings):
    """The settings of the revalidation audit."""

    hash_audit: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="The share of 304 answers that are checked by asking again without conditions, like 0.01. 0: none.",
    )


def differing(content: Content, content_hash: bytes) -> Content | None:
    """Return the content if the server confirmed it wrongly, without its useless validators; else None."""
    if hashlib.sha256(content.body).digest() == content_hash:
        return None
    return replace(content, etag="", modified="")
