"""Settings of a web source."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.acl import ACL
from cormorant.model.content import LinkKind, Manner
from cormorant.model.settings.bounded import Count, Delay, Seconds, Timeout
from cormorant.model.settings.orphan_policy import runs_until_deleted
from cormorant.model.settings.politeness import PacingSettings
from cormorant.model.settings.source import Depth, Settings
from cormorant.model.url import origin_of
from cormorant.sources.web.revalidation_audit import AuditSettings
from cormorant.sources.web.settings.access import AccessSettings
from cormorant.sources.web.settings.limits import BoundsSettings, BudgetSettings
from cormorant.sources.web.settings.priority import OrderSettings
from cormorant.sources.web.settings.sitemaps import SitemapSettings, web_address
from cormorant.sources.web.settings.soft_errors import DoubtSettings
from cormorant.sources.web.settings.urls import AddressSettings

MAX_SIZE = 64 << 20
"""Bytes; no setting lets a larger document in."""
MAX_START_FILE = 10_000_000
"""Bytes of a file of start addresses."""
MAX_HEADER_TEXT = 1_000
"""Characters of a setting that is sent in a header."""
_PRODUCT_TOKEN = re.compile(r"[A-Za-z_-]+")
_UNPRINTABLE = re.compile(r"[^ -~]")


class LinkSettings(Settings):
    """Settings about what counts as a link."""

    links: tuple[LinkKind, ...] = Field(
        default=(),
        description="References that count as links besides those that readers follow: forms, posts, srcset, media, "
        "resources, hints, text, or all; may repeat.",
    )


class WebSettings(
    AccessSettings,
    AddressSettings,
    BudgetSettings,
    DoubtSettings,
    LinkSettings,
    OrderSettings,
    BoundsSettings,
    SitemapSettings,
    AuditSettings,
    PacingSettings,
):
    """Settings of a web source."""

    LISTED_BY = "cormorant source kinds web"
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            (
                "url", "urls", "uri", "uris", "address", "addresses", "site", "sites", "website", "websites", "page",
                "pages", "seed", "seeds", "seed_url", "seed_urls", "start_url", "start_urls", "start_page", "starts",
                "root", "root_url", "base_url", "home", "homepage", "host", "hosts", "domain", "domains", "link",
                "location", "starting_url", "begin", "from",
            ),
            "start",
        ),
        **dict.fromkeys(("seed_file", "url_file", "urls_file", "start_urls_file", "seeds_file"), "start_file"),
        **dict.fromkeys(("delay", "wait", "download_delay", "pause"), "delay_s"),
        **dict.fromkeys(("max_depth", "levels", "crawl_depth", "depth_limit"), "depth"),
        **dict.fromkeys(("agent", "useragent"), "user_agent"),
        **dict.fromkeys(("timeout", "fetch_timeout"), "timeout_s"),
        **dict.fromkeys(("max_pages", "limit", "page_limit", "max_urls"), "max_documents"),
        **dict.fromkeys(("max_size", "size_limit"), "max_size_bytes"),
        **dict.fromkeys(("robots_txt", "obey_robots", "ignore_robots", "robotstxt"), "robots"),
        **dict.fromkeys(("allow", "accept", "scope", "allowed_domains", "boundary"), "include"),
        **dict.fromkeys(("deny", "reject", "ignore", "skip", "block"), "exclude"),
        **dict.fromkeys(("sitemap", "sitemap_url", "sitemap_urls"), "sitemaps"),
        **dict.fromkeys(("mime", "mimes", "mime_types", "content_types"), "types"),
        **dict.fromkeys(("user", "username", "password", "auth", "basic_auth"), "credentials"),
        **dict.fromkeys(("acl", "access", "visibility", "readers"), "grants"),
    }  # fmt: skip

    JUDGED = PacingSettings.JUDGED - {"grants", "denies"} | {
        "include", "exclude", "depth", "dynamic_pages", "index_include", "index_exclude", "types", "max_size_bytes",
        "too_big", "robots", "robots_agent", "max_hosts", "exclude_actions", "links", "strip_parameters", "sort_query",
        "rewrite", "rewriter", "redact_parameters",
    }  # fmt: skip

    FORETOLD = frozenset((
        "start", "start_file", "include", "exclude", "depth", "dynamic_pages", "exclude_actions", "index_include",
        "index_exclude", "types", "strip_parameters", "sort_query", "rewrite", "rewriter",
    ))  # fmt: skip
    FINDING = frozenset(("index_include", "index_exclude", "types"))

    AT_ONCE = PacingSettings.AT_ONCE | {
        "delay_s", "per_host", "pace_by", "crawl_delay", "timeout_s", "idle_timeout_s", "connect_timeout_s",
    }  # fmt: skip

    start: tuple[str, ...] = Field(
        default=(), description="Addresses to begin at, like https://example.org/; may repeat."
    )
    start_file: str = Field(default="", description="A file with one start address a line; # begins a comment.")
    include: tuple[str, ...] = Field(
        default=(),
        description=(
            "The addresses to visit: host:, suffix:, prefix:, path:, contains:, regex:, ext:, port:, or any. Not set: "
            "the hosts of the start addresses."
        ),
    )
    exclude: tuple[str, ...] = Field(
        default=(), description="The addresses not to visit, written like include. Exclusion wins."
    )
    index_include: tuple[str, ...] = Field(
        default=(),
        description="The documents that search may find: the same, and mime:, size:, age:. Not set: all visited ones.",
    )
    index_exclude: tuple[str, ...] = Field(
        default=(), description="The documents that are visited only for their links."
    )
    depth: Depth = Field(
        default="unlimited", description="Links to follow from a start address; 0 is the start addresses only."
    )
    orphans: str = Field(
        default="keep",
        description=(
            "The treatment of a document that no page links to any more: keep, or delete_after:3, which deletes it "
            "after three whole runs in a row."
        ),
    )
    purge_after_s: Seconds = Field(
        default=3_600.0,
        description=(
            "The time for which a page has to answer 404, in two runs at least, before its address is forgotten if no "
            "page links to it; search loses it at once."
        ),
    )
    depth_exact: bool = Field(
        default=False,
        description="Whether everything within depth is found, however pages were met: depth is then the shortest way.",
    )
    robots: Literal["obey", "ignore"] = Field(default="obey", description="Whether robots.txt is obeyed (RFC 9309).")
    robots_agent: str = Field(
        default="cormorant", min_length=1, description="The product token by which robots.txt names this crawler."
    )
    user_agent: str = Field(
        default="", description="The whole User-Agent header. Not set: the product token and contact."
    )
    contact: str = Field(default="", description="An address or page for site owners, sent in the User-Agent header.")
    crawl_delay: Literal["obey", "ignore"] = Field(
        default="obey", description="Whether a Crawl-delay in robots.txt is obeyed, up to 60 seconds."
    )
    delay_s: Delay | None = Field(
        default=None,
        description="Seconds between requests to a host. Not set: 1 for public hosts, 0 for private ones.",
    )
    per_host: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="Requests to a host at once. Not set: 1 for public hosts, 4 for private ones.",
    )
    pace_by: Literal["host", "address"] | None = Field(
        default=None,
        description=(
            "The unit that delay_s and per_host apply to: each host, or each address, which many hosts may share. Not "
            "set: address for public ones, host for private ones."
        ),
    )
    max_size_bytes: int = Field(default=10_000_000, ge=1, le=MAX_SIZE, description="The largest document, like 10MB.")
    too_big: Literal["drop", "cut"] = Field(default="drop", description="Whether a larger one is left out or cut.")
    max_documents: Count | None = Field(default=100_000, description="Documents fetched in one run at the most.")
    timeout_s: Timeout = Field(default=300.0, description="Seconds for one document in all.")
    idle_timeout_s: Timeout = Field(default=30.0, description="Seconds without data.")
    connect_timeout_s: Timeout = Field(default=10.0, description="Seconds to connect.")
    dynamic_pages: bool = Field(default=True, description="Whether addresses with a query (?) are visited.")
    types: tuple[str, ...] = Field(
        default=(), description="MIME types to be found, like text/html or text/*. Not set: every type."
    )
    network: tuple[str, ...] = Field(
        default=(),
        description="Networks that may be reached besides the hosts named here: public, private, loopback or ranges.",
    )

    @field_validator("orphans")
    @classmethod
    def _orphans(cls, said: str) -> str:
        """Refuse what says neither."""
        runs_until_deleted(said)
        return said

    @field_validator("start")
    @classmethod
    def _start(cls, start: tuple[str, ...]) -> tuple[str, ...]:
        """Canonicalise; a start address is http or https and written in full."""
        return tuple(dict.fromkeys(web_address(each) for each in start))

    @field_validator("user_agent", "contact")
    @classmethod
    def _sendable(cls, text: str) -> str:
        """It goes into a header: a line end would begin another one, and the fetcher refuses to send it."""
        bad = _UNPRINTABLE.search(text)
        if bad is not None:
            raise ValueError(
                f"it is sent in a header, which takes printable ASCII characters: leave out {bad.group()!a}, "
                f"its character {bad.start() + 1}."
            )
        if len(text) > MAX_HEADER_TEXT:
            raise ValueError(f"it has {len(text)} characters: shorten it to {MAX_HEADER_TEXT:,}.")
        return text

    @field_validator("robots_agent")
    @classmethod
    def _product_token(cls, token: str) -> str:
        """RFC 9309 section 2.2.1: another one could never be matched as it is meant."""
        if _PRODUCT_TOKEN.fullmatch(token) is None:
            raise ValueError("it is a product token: write it in the letters a to z, A to Z, _ and - only (RFC 9309).")
        if len(token) > MAX_HEADER_TEXT:
            raise ValueError(f"it has {len(token)} characters: shorten it to {MAX_HEADER_TEXT:,}.")
        return token

    @field_validator("start_file")
    @classmethod
    def _absolute(cls, file: str) -> str:
        """A crawl may begin in another folder."""
        if "\0" in file:
            raise ValueError("a path holds no NUL character.")
        return os.path.abspath(os.path.expanduser(file)) if file else ""  # noqa: PTH100, PTH111 - pathlib keeps `..`

    @model_validator(mode="after")
    def _somewhere(self) -> WebSettings:
        if not self.start and not self.start_file and not self.named_sitemaps:
            raise ValueError("a web source needs a start address: --set start=https://example.org/")
        return self

    @property
    def named_hosts(self) -> list[tuple[str, int]]:
        """Host and port of every host named literally: of `start`, `sitemaps` and `host:` rules with a start's port."""
        origins = [origin_of(address) for address in (*self.start, *self.named_sitemaps)]
        named = [(origin.host, origin.port) for origin in origins]
        ports = {origin.port for origin in origins} or {80, 443}
        for host, port in self.hosts_in_rules:
            named += [(host, each) for each in ([port] if port else ports)]
        return named

    @property
    def common_acl(self) -> ACL:
        """A server says nothing of rights."""
        return self.acl

    @property
    def bounds_depth(self) -> bool:
        """Return whether links are followed to a limited depth only."""
        return self.depth != "unlimited"

    @property
    def exact_depth(self) -> bool:
        """Return whether depth is the shortest path, whichever way a page was found first."""
        return self.depth_exact

    @property
    def manner(self) -> Manner:
        """The options for reading the documents of the source."""
        return super().manner._replace(links=self.links)

    @property
    def visit_s(self) -> float:
        """The longest that one visit may take."""
        return self.timeout_s

    @property
    def agent(self) -> str:
        """The robot that pages may speak to by name in their metas."""
        return self.robots_agent

    @property
    def agent_header(self) -> str:
        """The value of the User-Agent header."""
        about = f" (+{self.contact})" if self.contact else ""
        return self.user_agent or f"{self.robots_agent}/0.1{about}"

    def starts(self) -> list[str]:
        """All start addresses, those of the file included.

        Raises BadAddress naming the line that is none, or that the file cannot be read.
        """
        if not self.start_file:
            return list(self.start)
        text = _text_of(self.start_file)
        found = list(self.start)
        for number, line in enumerate(text.splitlines(), 1):
            bare = line.split("#", 1)[0].strip() if not line.strip().startswith("http") else line.strip()
            if bare:
                try:
                    found.append(web_address(bare))
                except ValueError as error:
                    raise BadAddress(f"{self.start_file}, line {number}: {error}") from None
        return list(dict.fromkeys(found))


def _text_of(file: str) -> str:
    """A file of start addresses. Raises BadAddress that names it."""
    try:
        with Path(file).open("rb") as opened:
            size = os.fstat(opened.fileno()).st_size or MAX_START_FILE  # a pipe has none
            data = opened.read(min(size, MAX_START_FILE) + 1)  # takes as much memory at once
    except OSError as error:
        raise BadAddress(f"The start file {file} cannot be read: {error.strerror or error}.") from None
    if len(data) > MAX_START_FILE:
        raise BadAddress(f"The start file {file} is larger than {MAX_START_FILE:,} bytes: make two sources of it.")
    return data.decode("utf-8", "replace")
