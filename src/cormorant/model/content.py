"""Content fetched from a source, and the document extracted from it.

What is made several times for every page is a struct of msgspec, which is made and changed ten times as fast as a
frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import msgspec

from cormorant.model import no_text
from cormorant.model.acl import ACL
from cormorant.model.other_hosts import Beside

Value = str | float | Sequence[str] | Sequence[float]
"""An attribute's value: one or several strings or numbers.

Dates are epoch seconds, in attributes whose name ends `_at`.
"""


@dataclass(slots=True)
class VisitTrace:
    """The costs of one visit, counted in the run report whatever the outcome was.

    `received` is bytes over the wire (headers and body as sent), `decoded` the body after inflating. `conversions` is 1
    when the document was read in a limited child. `sent` is to be called with the key of its site at the moment a
    request goes out: the pace of the site is counted from there, and not from when it was meant to. `facts` are what is
    known of the `site`; `learned` is what the visit taught about it for its source alone: name, value, and the seconds
    for which it holds, `shared` what it taught for all of them. `credential` says in words what was offered with the
    newest request; `offered`: there was a credential among it. `beside` is asked about other sites, where there is any.
    """

    requests: int = 0
    conditional: int = 0
    audits: int = 0
    received: int = 0
    decoded: int = 0
    conversions: int = 0
    sent: Callable[[str], None] = field(default=lambda _: None, repr=False, compare=False)
    site: str = ""
    facts: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    learned: list[tuple[str, bytes, float]] = field(default_factory=list, repr=False)
    shared: list[tuple[str, bytes, float]] = field(default_factory=list, repr=False)
    credential: str = ""
    offered: bool = False
    beside: Beside | None = field(default=None, repr=False, compare=False)

    @property
    def used(self) -> bool:
        """Return whether the visit requested anything from a server or a disk."""
        return self.requests > 0 or self.received > 0


class Content(msgspec.Struct, frozen=True):
    """Bytes of a resource, decoded from transfer and content coding but not from its charset.

    `address` is where the answer came from in the end; `mime` is lower case without parameters, declared or sniffed;
    `charset` is what the transport declared, or "". `header_block` is the raw header lines as received, for the cache,
    less those that hand out a session.
    `acl` is None when the source has no rights of its own for this document. `truncated`: cut at the size cap by
    choice. `at` is when it came (epoch seconds), 0 when nobody said. `beside` are links that the answer's header names,
    of which `rel` says how far they count; `refresh` is its Refresh field as written. `flaw` is a sentence about what
    was wrong with how it was sent, though it could be read, "" for nothing. `file_name` helps to tell its type;
    `given_name` is the name that its server gives it beside its address, or "". `lists`: it is a list of addresses,
    asked for as a document, and is to be read as a sitemap from now on. `title` and `attributes` are those that its
    source knows of it; they take the place of what its bytes say.
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
    at: float = 0.0
    beside: tuple[PageLink, ...] = ()
    refresh: str = ""
    flaw: str = ""
    given_name: str = ""
    lists: bool = False
    title: str = ""
    attributes: Mapping[str, Value] = msgspec.field(default_factory=dict)

    @property
    def called(self) -> str:
        """The name of a document without a title, "" to take it from its address."""
        return self.given_name or self.file_name

    @property
    def says_beside(self) -> bool:
        """Return whether anything beside the bytes counts when the content is read; the same bytes may come without."""
        return bool(self.directives or self.beside or self.refresh or self.title or self.attributes)


LinkKind = Literal["forms", "posts", "srcset", "media", "resources", "hints", "text", "all"]
"""Kinds of references that may count as links, beside those that a reader follows (`extract.html.link_options`)."""


class Manner(NamedTuple):
    """The options for reading a document.

    `main` asks for its main text as well. `charset` is taken for one that does not say in what charset it is. `links`
    names the kinds of references that count as links besides those that a reader follows. `bad_titles` are whole titles
    that do not count, * at the end for anything; `describe` asks for a description of its text where it has none.
    `ocr` is the engine that looks for text in pictures, "" for none. `metas` are names, in small letters, of META
    elements of pages whose content is an attribute of that name.
    """

    main: bool = False
    charset: str = ""
    links: tuple[LinkKind, ...] = ()
    bad_titles: tuple[str, ...] = ()
    describe: bool = False
    ocr: str = ""
    metas: tuple[str, ...] = ()


PLAIN = Manner()
"""As documents are read unless a source says otherwise."""
UNTRUSTED = frozenset(("nofollow", "sponsored", "ugc"))
"""Tokens of a link's rel by which its page does not vouch for what it leads to."""


class PageLink(NamedTuple):
    """A reference found in a document: absolute canonical address, anchor text, its rel tokens, lower case.

    `display` is the address that people are shown where it is another. `of_part`: the text is that of a reference to a
    place within what is linked to, so it names that place and not the whole.
    """

    address: str
    text: str = ""
    rel: str = ""
    display: str = ""
    of_part: bool = False

    @property
    def nofollow(self) -> bool:
        """Return whether `rel` has the token `nofollow`, and not only a word that contains it."""
        return "nofollow" in self.rel and "nofollow" in self.rel.split(" ")


class FeedEntry(NamedTuple):
    """The entry of a sitemap or feed for a URL, which is canonical and absolute.

    `is_map`: it names another sitemap. It was last changed between `modified_at` and `modified_until` (epoch seconds,
    None when nothing is said; a date is a whole day). `every_s` is how often that happens, 0 when nothing is said;
    `weight` is its priority from 0 to 1.
    """

    address: str
    is_map: bool = False
    modified_at: float | None = None
    modified_until: float | None = None
    every_s: int = 0
    weight: float | None = None


class Sitemap(msgspec.Struct, frozen=True):
    """The entries of a sitemap or feed, with each URL once.

    `form` is its root element in lower case, or text.

    `unusable` counts entries without an address that could be visited. `truncated`: it did not come to its end, or has
    more entries than are taken.
    """

    form: str
    entries: tuple[FeedEntry, ...] = ()
    unusable: int = 0
    truncated: bool = False


class Extraction(msgspec.Struct, frozen=True):
    """The text, links and metadata of a document, extracted from its bytes by a pure function.

    `links` hold each address once, in order of first appearance. `directives` are robots meta values, lower case
    (`noindex`, `nofollow`, `none`, ...). `canonical` and `refresh` are absolute addresses or "". `attributes` are
    typed values by search attribute name (Author, Description, Keywords, Headline1, ...). `links_seen` counts
    references before repeats were dropped and the cap was applied. `main_text` is the text without what frames it
    (navigation, footer), "" unless it was asked for. `charset_from` says how the charset was known: `mark` (byte-order
    mark), `header` (of the answer), `page` (what the document declares), `default` (of the source) or `bytes`.
    `links_dropped` counts references that the cap left out. `login`: it has a field for a password. `fault` is a
    sentence about what is wrong with it and was overcome, "" for most.

    Document services add the others. `veto` names the service that wants it out of the index, and why, "" for none;
    `withheld`: its original is for nobody; `services` are those that it passed, with the seconds that each took.
    """

    text: str
    title: str = ""
    links: tuple[PageLink, ...] = ()
    language: str = ""
    charset: str = ""
    directives: tuple[str, ...] = ()
    canonical: str = ""
    refresh: str = ""
    attributes: Mapping[str, Value] = msgspec.field(default_factory=dict)
    links_seen: int = 0
    truncated: bool = False
    main_text: str = ""
    charset_from: str = ""
    links_dropped: int = 0
    login: bool = False
    fault: str = ""
    veto: str = ""
    withheld: bool = False
    services: tuple[tuple[str, float], ...] = ()


class Document(msgspec.Struct, frozen=True):
    """A document as it is stored and delivered: the identity of its content, and its extraction.

    `url` is the display address, `access_url` where it was fetched. Hashes are SHA-256 digests (32 bytes): of the
    decoded body, and of the text. `links` are all out-links, inside the boundary or not. `charset`,
    `charset_from`, `links_dropped` and `fault` are as in `Extraction`; `language_from` is `page`, `header`, `text`
    (detected in it), `default` or "" when the language is not known. `flaw` is as in `Content`. `original` is the page
    of its source that it calls itself a copy of, or "". `withheld` and `services` are as in `Extraction`.
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
    attributes: Mapping[str, Value] = msgspec.field(default_factory=dict)
    links: tuple[PageLink, ...] = ()
    truncated: bool = False
    charset: str = ""
    charset_from: str = ""
    language_from: str = ""
    links_dropped: int = 0
    flaw: str = ""
    original: str = ""
    fault: str = ""
    withheld: bool = False
    services: tuple[tuple[str, float], ...] = ()

    @property
    def remark(self) -> str:
        """Name what a person should know of a document: without text, read in part, or sent wrongly; "" for nothing."""
        missing = no_text.why(self.mime, self.size_bytes, self.text, self.attributes)
        said = [no_text.sentence(missing, self._words(missing))] if missing else []
        if self.fault:
            said.append(self.fault)
        if self.truncated:
            said.append("Only its beginning was read.")
        if self.links_dropped:
            said.append(f"It has more links than are kept: {self.links_dropped:,} were left out.")
        if self.flaw:
            said.append(self.flaw)
        return " ".join(said)

    def _words(self, missing: no_text.NoTextReason) -> int:
        return len(self.text.split()) if missing is no_text.NoTextReason.SCRIPT else 0
