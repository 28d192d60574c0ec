"""Hyperlinks of a document that is no web page."""

from __future__ import annotations

from collections.abc import Iterable

from cormorant.extract.html.links import MAX_ANCHOR, MAX_LINKS, SCHEMES
from cormorant.extract.sanitize import one_line
from cormorant.model.content import PageLink
from cormorant.model.url import join


def page_links(address: str, found: Iterable[tuple[str, str]]) -> tuple[tuple[PageLink, ...], int]:
    """Return the links that can be followed, each address once, and how many references there were.

    `found` are pairs of a reference and its text; a reference without a scheme leads beside the document at `address`.
    """
    labels: dict[str, str] = {}
    seen = 0
    for reference, label in found:
        seen += 1
        if reference and not reference.startswith("#"):
            labels.setdefault(reference, one_line(label, MAX_ANCHOR))
    links: dict[str, PageLink] = {}
    for reference, target in join(address, labels):
        if target.startswith(SCHEMES) and len(links) < MAX_LINKS:
            links.setdefault(target, PageLink(target, labels[reference]))
    return tuple(links.values()), seen
