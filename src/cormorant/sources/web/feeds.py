"""Recognise a start address that is a feed: it is read for the addresses it names, as a sitemap is.

RSS 2.0 and older, RSS 1.0 and Atom by their root element, whatever type they are sent as, and JSON Feed
(https://www.jsonfeed.org/version/1.1/) by its version. A feed that a page links to stays the document that it is.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec.structs import replace

from cormorant.model.content import Content
from cormorant.model.resource import Resource, Role

HEAD: Final = 8_192
"""Bytes in which the root element has to begin."""
# Each part is taken whole or not at all (`(?>`), so that nothing is looked at twice.
_ROOT: Final = re.compile(
    rb"(?:(?>\s+)|(?><\?.*?\?>)|(?><!--.*?-->)|(?><!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>))*+"
    rb"<(?:[\w.-]{1,60}+:)?+(rss|feed|RDF)(?=[\s>])",
    re.DOTALL | re.IGNORECASE,
)
_OF_ATOM: Final = (b"http://www.w3.org/2005/Atom", b"http://purl.org/atom/ns")
_OF_RSS_1: Final = (
    b"http://purl.org/rss/1.0",
    b"http://my.netscape.com/rdf/simple/0.9",
    b"http://channel.netscape.com/rdf",
)
_JSON_FEED: Final = b"jsonfeed.org/version/1"


def seen(resource: Resource, content: Content) -> Content:
    """Return what came for a resource, marked as a list if it is a feed and the resource a start address.

    The target of a redirect is as near to the start as the start address.
    """
    begins = resource.role is Role.DOCUMENT and resource.depth == 0
    return replace(content, lists=True) if begins and is_feed(content.body) else content


def is_feed(body: bytes) -> bool:
    """Say whether a body begins as a feed does."""
    head = body[:HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"{"):
        return _JSON_FEED in head.replace(b"\\/", b"/")
    root = _ROOT.match(head)
    name = root[1].lower() if root else b""
    marks = {b"feed": _OF_ATOM, b"rdf": _OF_RSS_1}.get(name, ())
    return name == b"rss" or any(mark in head for mark in marks)
