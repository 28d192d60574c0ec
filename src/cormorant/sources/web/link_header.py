"""Which links does the header of an answer name? Link (RFC 8288) and Content-Location (RFC 9110 section 8.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from cormorant.model.content import PageLink
from cormorant.model.url import join
from cormorant.net.http.headers import Headers, escaped, text_of

MAX_FIELD = 16_384
"""Characters of one field that are read."""
MAX_LINKS = 100
_LINK = re.compile(r"<([^<>]{1,4096})>([^<>]*)")
_REL = re.compile(r""";\s*rel\s*=\s*(?:"([^"]{0,500})"|([^\s;,"]{1,500}))""", re.IGNORECASE)
_TITLE = re.compile(r""";\s*title\s*=\s*"([^"]{0,200})\"""", re.IGNORECASE)


def links_of(headers: Headers, address: str) -> tuple[PageLink, ...]:
    """The links that a header names, with what they are as `rel`; at most MAX_LINKS of each field."""
    if "link" not in headers and "content-location" not in headers:
        return ()
    return tuple(_links(headers, address))


def _links(headers: Headers, address: str) -> Iterator[PageLink]:
    for value in headers.octets("link")[:MAX_LINKS]:
        for reference, parameters in islice(_LINK.findall(value[:MAX_FIELD]), MAX_LINKS):
            rel, title = _REL.search(parameters), _TITLE.search(parameters)
            for _, target in join(address, [escaped(reference)]):
                name = (rel[1] or rel[2] or "").lower() if rel else ""
                yield PageLink(target, " ".join(text_of(title[1]).split()) if title else "", " ".join(name.split()))
    location = headers.reference("content-location")
    for _, target in join(address, [location] if location else []):
        if target != address:
            yield PageLink(target, "", "content-location")
