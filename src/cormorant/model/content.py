"""What came from the source, and what does it say?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cormorant.model.acl import ACL

Value = str | float | Sequence[str] | Sequence[float]
"""An attribute's value: one or several strings or numbers.

Dates are epoch seconds, in attributes whose name ends `_at`.
"""


@dataclass(slots=True)
class Wire:
    """What one visit cost on the way: counted in the run report whatever the outcome was.

    `received` is bytes over the wire (headers and body as sent), `decoded` the body after inflating. `conversions` is 1
    when the document was read in a limited child. `sent` is to be called at the moment a request goes out: the pace
    of its site is counted from there, and not from when it was meant to.
    """

    requests: int = 0
    conditional: int = 0
    audits: int = 0
    received: int = 0
    decoded: int = 0
    conversions: int = 0
    sent: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)

    @property
    def used(self) -> bool:
        """Was anything asked for, of a server or a disk?"""
        return self.requests > 0 or self.received > 0


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes of a resource, decoded from transfer and content coding but not from its charset.

    `address` is where the answer came from in the end; `mime` is lower case without parameters, declared or sniffed;
    `charset` is what the transport declared, or "". `header_block` is the raw header lines as received, for the cache.
    `acl` is None when the source has no rights of its own for this document. `truncated`: cut at the size cap by
    choice.
    """

    address: str
    body: bytes
    mime: str
    charset: str = ""
    status_line: str = ""
    header_block: bytes = b""
    etag: str = ""
    modified: str = ""
    validator: str = ""
    modified_at: float | None = None
    language: str = ""
    directives: tuple[str, ...] = ()
    acl: ACL | None = None
    truncated: bool = False
    file_name: str = ""


class Link(NamedTuple):
    """A reference found in a document: absolute canonical address, anchor text, its rel tokens, lower case.

    `display` is the address that people are shown where it is another.
    """

    address: str
    text: str = ""
    rel: str = ""
    display: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a document says, drawn from its bytes by a pure function.

    `links` hold each address once, in order of first appearance. `directives` are robots meta values, lower case
    (`noindex`, `nofollow`, `none`, ...). `canonical` and `refresh` are absolute addresses or "". `attributes` are
    typed values by search attribute name (Author, Description, Keywords, Headline1, ...). `links_seen` counts
    references before repeats were dropped and the cap was applied. `main_text` is the text without what frames it
    (navigation, footer), "" unless it was asked for.
    """

    text: str
    title: str = ""
    links: tuple[Link, ...] = ()
    language: str = ""
    charset: str = ""
    directives: tuple[str, ...] = ()
    canonical: str = ""
    refresh: str = ""
    attributes: Mapping[str, Value] = field(default_factory=dict)
    links_seen: int = 0
    truncated: bool = False
    main_text: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """What is kept and delivered: the content's identity with what it says.

    `url` is the display address, `access_url` where it was fetched. Hashes are SHA-256 digests (32 bytes): of the
    decoded body, and of the text. `links` are all out-links, inside the boundary or not.
    """

    url: str
    access_url: str
    mime: str
    language: str
    title: str
    text: str
    size_bytes: int
    content_hash: bytes
    text_hash: bytes
    acl: ACL
    modified_at: float | None = None
    attributes: Mapping[str, Value] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    truncated: bool = False
