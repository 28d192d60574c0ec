"""Document metadata in the header of an HTTP response.

It covers links, refresh targets and the content location.

Link fields are RFC 8288, Refresh is read as a meta refresh is, Content-Location (RFC 9110 section 8.7) names the same
document once more and so counts only by choice.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec.structs import replace

from cormorant.extract.html.head import REFRESH_MAX_S
from cormorant.extract.html.links import MAX_LINKS, SCHEMES, absolute, parse_refresh
from cormorant.model.content import Content, Extraction, LinkKind, PageLink

CONTENT_LOCATION: Final = "content-location"
"""The `rel` of a link that was such a field."""
# Of https://www.iana.org/assignments/link-relations those that lead to something to read.
_PLACES: Final = frozenset(
    (
        "alternate", "author", "canonical", "chapter", "collection", "contents", "current", "describedby", "first",
        "glossary", "help", "index", "item", "last", "latest-version", "next", "predecessor-version", "prev",
        "previous", "related", "section", "start", "subsection", "successor-version", "terms-of-service", "up", "via",
    )
)  # fmt: skip


def with_header(content: Content, said: Extraction, kinds: Collection[LinkKind]) -> Extraction:
    """Return the extraction of a document, completed from its header. The document's own values take precedence."""
    refresh, later = _refresh(content)
    refresh = said.refresh or refresh
    canonical = said.canonical or next((link.address for link in content.beside if "canonical" in link.rel.split()), "")
    known = {link.address for link in said.links}
    wanted = [link for link in content.beside if link.address.startswith(SCHEMES) and _counts(link, kinds)]
    wanted += [PageLink(each) for each in (refresh, later) if each]
    more = {link.address: link for link in wanted if link.address not in known}
    links = (*said.links, *more.values())[:MAX_LINKS]
    return replace(said, links=links, refresh=refresh, canonical=canonical)


def _counts(link: PageLink, kinds: Collection[LinkKind]) -> bool:
    rel = link.rel.split()
    if CONTENT_LOCATION in rel:
        return not {"hints", "all"}.isdisjoint(kinds)
    return not _PLACES.isdisjoint(rel) or not {"resources", "all"}.isdisjoint(kinds)


def _refresh(content: Content) -> tuple[str, str]:
    """Return the target of a refresh with a short delay, and that of one with a long delay; "" for none."""
    parsed = parse_refresh(content.refresh)
    target = absolute(content.address, parsed[1]) if parsed else ""
    if parsed is None or target == content.address:
        return "", ""
    return ("", target) if parsed[0] > REFRESH_MAX_S else (target, "")
