"""Display directives of a page: no cached copy, no snippet.

They are stored as an attribute of the document.

https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag has the directives. `nocache` is an older
name of `noarchive`; a snippet of at most 0 characters is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from cormorant.model.content import Value

ATTRIBUTE: Final = "Robots"
"""The attribute of a document with the directives of its page: `noarchive`, `nosnippet`."""
CANONICAL: Final = "Canonical"
"""The attribute of a document that names itself as the canonical one (rel=canonical): its own address."""
FILE_NAME: Final = "FileName"
"""The attribute of a document with the name that its server gives it (Content-Disposition)."""
NO_COPY: Final = "noarchive"
NO_SNIPPET: Final = "nosnippet"
QUOTES: Final = frozenset(("Description", "Headline1", "Headline2"))
"""Attributes that are pieces of a page's text."""
_MEANS: Final = {
    "noarchive": NO_COPY, "nocache": NO_COPY, "nosnippet": NO_SNIPPET, "max-snippet:0": NO_SNIPPET,
}  # fmt: skip


def asked(*directives: Collection[str]) -> tuple[str, ...]:
    """Return the display directives among these directives, in lower case; () for nearly every page."""
    if not any(directives):
        return ()
    return tuple(
        sorted({_MEANS[bare] for some in directives for each in some if (bare := each.replace(" ", "")) in _MEANS})
    )


def forbids(attributes: Mapping[str, Value], what: str) -> bool:
    """Return whether a document with these attributes forbids the display of `what`."""
    stored = attributes.get(ATTRIBUTE)
    return stored is not None and not isinstance(stored, float | int) and what in stored


def unquoted(attributes: Mapping[str, Value]) -> dict[str, Value]:
    """Return the attributes that may be displayed of a document that forbids snippets."""
    return {name: value for name, value in attributes.items() if name not in QUOTES}
