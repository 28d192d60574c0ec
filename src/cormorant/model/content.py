"""Content fetched from a source, and the document extracted from it.

Types with several values for every page are structs of msgspec, which are created and copied ten times as fast as
frozen dataclasses.
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
    """The costs of one visit, counted in the run report for every outcome.

    `received` is bytes over the wire (headers and body as sent), `decoded` the body after inflating. `conversions` is 1
    if the document was read in a sandbox. `sent` is called with the key of the site when a request goes out: the pace
    of the site counts from then instead of the planned time. `facts` are the known facts of the `site`; `learned` are
    facts that the visit found for its source alone: name, value, and validity in seconds, `shared` those for all
    sources. `credential` describes the login that the newest request offered; `offered`: it had one. `beside` has the
    pace and facts of other sites, if any.
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

    `address` is the final address of the response; `mime` is lower case without parameters, declared or sniffed;
    `charset` is what the transport declared, or "". `header_block` is the raw header lines as received, for the cache,
    without those that set a session. `acl` is None if the source has no rights of its own for this document.
    `truncated`: cut at the size limit. `at` is when it came (epoch seconds), 0 if unknown. `beside` are links in the
    response's header, with their `rel`; `refresh` is its Refresh field as written. `flaw` is a sentence about a fault
    in the transfer that was overcome, "" for none. `file_name` helps to detect its type; `given_name` is the name that
    its server gives it besides its address, or "". `lists`: it is a list of addresses, requested as a document, and
    read as a sitemap from now on. `title` and `attributes` come from its source and override those of its bytes.
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
        """The name of a document without a title, "" to derive it from its address."""
        return self.given_name or self.file_name

    @property
    def says_beside(self) -> bool:
        """Return whether anything besides the bytes affects the conversion; equal bytes may come without it."""
        return bool(self.directives or self.beside or self.refresh or self.title or self.attributes)


LinkKind = Literal["forms", "posts", "srcset", "media", "resources", "hints", "text", "all"]
"""Kinds of references that may count as links, besides those that a reader follows (`extract.html.link_options`)."""


class Manner(NamedTuple):
    """The options for reading a document.

    `main` requests its main text as well. `charset` is assumed for a document without one. `links` names the kinds of
    references that count as links besides those that a reader follows. `bad_titles` are whole titles that do not count,
    with * at the end for any rest; `describe` takes a missing description from its text. `ocr` is the engine that
    recognises text in pictures, "" for none. `metas` are names, in lower case, of META elements whose content becomes
    an attribute of that name.
    """

    main: bool = False
    charset: str = ""
    links: tuple[LinkKind, ...] = ()
    bad_titles: tuple[str, ...] = ()
    describe: bool = False
    ocr: str = ""
    metas: tuple[str, ...] = ()


PLAIN = Manner()
"""The default options."""
UNTRUSTED = frozenset(("nofollow", "sponsored", "ugc"))
"""Tokens of a link's rel by which its page does not vouch for the target."""


class PageLink(NamedTuple):
    """A reference found in a document: absolute canonical address, anchor text, its rel tokens, lower case.

    `display` is the displayed address if it differs. `of_part`: the link leads to a part of the target, so its text
    names that part instead of the whole.
    """

    address: str
    text: str = ""
    rel: str = ""
    display: str = ""
    of_part: bool = False

    @property
    def nofollow(self) -> bool:
        """Return whether `rel` has the token `nofollow`, not just a word that contains it."""
        return "nofollow" in self.rel and "nofollow" in self.rel.split(" ")


class FeedEntry(NamedTuple):
    """The entry of a sitemap or feed for a URL, which is canonical and absolute.

    `is_map`: it names another sitemap. It was last changed between `modified_at` and `modified_until` (epoch seconds,
    None if not given; a date is a whole day). `every_s` is the interval of changes, 0 if not given; `weight` is its
    priority from 0 to 1.
    """

    address: str
    is_map: bool = False
    modified_at: float | None = None
    modified_until: float | None = None
    every_s: int = 0
    weight: float | None = None


class Sitemap(msgspec.Struct, frozen=True):
    """The entries of a sitemap or feed, with each URL once.

    `form` is its root element in lower case, or text. `unusable` counts entries without a valid address. `truncated`:
    its end was not read, or it exceeds the limit of entries.
    """

    form: str
    entries: tuple[FeedEntry, ...] = ()
    unusable: int = 0
    truncated: bool = False


class Extraction(msgspec.Struct, frozen=True):
    """The text, links and metadata of a document, extracted from its bytes by a pure function.

    `links` hold each address once, in order of first appearance. `directives` are robots meta values, lower case
    (`noindex`, `nofollow`, `none`, ...). `canonical` and `refresh` are absolute addresses or "". `attributes` are typed
    values by search attribute name (Author, Description, Keywords, Headline1, ...). `links_seen` counts references
    before repeats were dropped and the cap was applied. `main_text` is the text without navigation, footer and the
    like, "" unless requested. `charset_from` is the origin of the charset: `mark` (byte-order mark), `header` (of the
    response), `page` (declared by the document), `default` (of the source) or `bytes`. `links_dropped` counts
    references beyond the limit. `login`: it has a password field. `fault` is a sentence about a defect that was
    overcome, "" for most. `embeds`: other documents may lie in it; False if its reader found none.

    Document services set the others. `veto` names the service that excludes it from the index, with the reason, "" for
    none; `withheld`: its original must not be shown; `services` are those that it passed, with the seconds that each
    took.
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
    embeds: bool = True
    veto: str = ""
    withheld: bool = False
    services: tuple[tuple[str, float], ...] = ()


class Document(msgspec.Struct, frozen=True):
    """A document as it is stored and delivered: the identity of its content, and its extraction.

    `url` is the display address, `access_url` the fetched one. Hashes are SHA-256 digests (32 bytes): of the decoded
    body, and of the text. `links` are all out-links, inside the boundary or not. `charset`, `charset_from`,
    `links_dropped` and `fault` are as in `Extraction`; `language_from` is `page`, `header`, `text` (detected in it),
    `default` or "" if the language is unknown. `flaw` is as in `Content`. `original` is the page of its source that it
    names as its original, or "". `withheld` and `services` are as in `Extraction`.
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
        """Sentences about a document without text, with a part of it, or with a faulty transfer; "" for none."""
        missing = no_text.why(self.mime, self.size_bytes, self.text, self.attributes)
        remarks = [no_text.sentence(missing, self._words(missing))] if missing else []
        if self.fault:
            remarks.append(self.fault)
        if self.truncated:
            remarks.append("Only its beginning was read.")
        if self.links_dropped:
            remarks.append(f"It has more links than are kept: {self.links_dropped:,} were left out.")
        if self.flaw:
            remarks.append(self.flaw)
        return " ".join(remarks)

    def _words(self, missing: no_text.NoTextReason) -> int:
        return len(self.text.split()) if missing is no_text.NoTextReason.SCRIPT else 0
