"""Display directives of a page for those who show it to others: no cached copy, no snippet.

Kept as an attribute of it.

https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag has the directives. `nocache` is an older
name of `noarchive`; a snippet of at most 0 characters is none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from cormorant.model.content import Value

ATTRIBUTE: Final = "Robots"
"""The attribute of a document that holds what its page asks for: `noarchive`, `nosnippet`."""
CANONICAL: Final = "Canonical"
"""The attribute of a document that says of itself that it stands for its equals (rel=canonical): its own address."""
FILE_NAME: Final = "FileName"
"""The attribute of a document that holds the name its server gives it beside its address (Content-Disposition)."""
NO_COPY: Final = "noarchive"
NO_SNIPPET: Final = "nosnippet"
QUOTES: Final = frozenset(("Description", "Headline1", "Headline2"))
"""Attributes that are pieces of a page's text."""
_MEANS: Final = {
    "noarchive": NO_COPY, "nocache": NO_COPY, "nosnippet": NO_SNIPPET, "max-snippet:0": NO_SNIPPET,
}  # fmt: skip


def asked(*directives: Collection[str]) -> tuple[str, ...]:
    """Return what these directives, in lower case, ask of those who show the page; () for nearly every page."""
    if not any(directives):
        return ()
    return tuple(
        sorted({_MEANS[bare] for some in directives for each in some if (bare := each.replace(" ", "")) in _MEANS})
    )


def forbids(attributes: Mapping[str, Value], what: str) -> bool:
    """Return whether a document with these attributes asks that `what` is not shown."""
    said = attributes.get(ATTRIBUTE)
    return said is not None and not isinstance(said, float | int) and what in said


def unquoted(attributes: Mapping[str, Value]) -> dict[str, Value]:
    """Return what may be told of a document that asks that no piece of its text is shown."""
    return {name: value for name, value in attributes.items() if name not in QUOTES}
