"""Settings of a source of feeds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from cormorant.base.errors import BadAddress
from cormorant.model.settings.bounded import Delay, Timeout
from cormorant.model.settings.politeness import PacingSettings
from cormorant.model.settings.secret_name import SecretReference
from cormorant.model.url import canonical, origin_of
from cormorant.net.egress.policy import Consent
from cormorant.sources.server_settings import see_inner

MAX_SIZE: Final = 64 << 20
"""Bytes; no setting lets a larger page in."""
DAY_S: Final = 86_400
_DAYS: Final = re.compile(r"(\d{1,5}) ?(?:d|days?)", re.IGNORECASE)
_UNSENDABLE: Final = re.compile(r"[^ -~]")


class FeedSettings(PacingSettings):
    """Settings of a source of feeds."""

    LISTED_BY = "cormorant source kinds feed"
    SYNONYMS: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("feed", "url", "urls", "address", "addresses", "start", "rss", "atom", "link", "links", "uri"), "feeds"
        ),
        **dict.fromkeys(("opml", "list", "feed_list", "control_feed"), "control"),
        **dict.fromkeys(("expiry", "expire", "expires", "retention", "expire_after"), "keep"),
        **dict.fromkeys(("follow", "fetch", "body"), "content"),
        **dict.fromkeys(("username", "login"), "user"),
        **dict.fromkeys(("robots_txt", "obey_robots"), "robots"),
        **dict.fromkeys(("acl", "access", "visibility", "readers"), "grants"),
    }
    UNSHOWN = frozenset(("password",))
    JUDGED = PacingSettings.JUDGED | {"content", "max_size_bytes", "too_big"}
    AT_ONCE = PacingSettings.AT_ONCE | {"delay_s", "per_host", "timeout_s", "connect_timeout_s"}

    feeds: tuple[str, ...] = Field(
        default=(), description="Addresses of feeds (RSS, Atom or JSON), like https://example.org/feed.xml; may repeat."
    )
    control: tuple[str, ...] = Field(
        default=(),
        description="Lists of further feeds: an OPML file, a feed whose entries link to feeds, or a text with one "
        "address a line; by address or as a file of this machine; may repeat.",
    )
    content: Literal["entry", "link"] = Field(
        default="entry",
        description="The document of an entry: its own text (entry), or the page that it links to (link).",
    )
    keep: str = Field(
        default="always",
        description="How long entries stay that their feed no longer has: always, feed (not at all), or some days, "
        "like 30 days.",
    )
    archives: bool = Field(
        default=True, description="Whether the further pages and the archives that a feed names are read (RFC 5005)."
    )
    user: str = Field(default="", description="User name at the servers of the feeds that are named here.")
    password: SecretReference = Field(default="", description="Its password, as secret:NAME.")
    robots: Literal["obey", "ignore"] = Field(
        default="obey", description="Whether robots.txt is obeyed for pages that entries link to (RFC 9309)."
    )
    user_agent: str = Field(default="", description="The whole User-Agent header. Not set: the product and contact.")
    contact: str = Field(default="", description="An address or page for site owners, sent in the User-Agent header.")
    delay_s: Delay | None = Field(
        default=None,
        description="Seconds between requests to a host. Not set: 1 for public hosts, 0 for private ones.",
    )
    per_host: int | None = Field(default=None, ge=1, le=64, description="Requests to a host at once for linked pages.")
    max_size_bytes: int = Field(
        default=10_000_000, ge=1, le=MAX_SIZE, description="The largest feed, and the largest linked page, like 10MB."
    )
    too_big: Literal["drop", "cut"] = Field(default="drop", description="Whether a larger linked page is cut.")
    timeout_s: Timeout = Field(default=60.0, description="Seconds for one feed or page in all.")
    connect_timeout_s: Timeout = Field(default=10.0, description="Seconds to connect.")
    ca: str = Field(default="", description="A PEM file of the authority that signed the servers' certificates.")
    network: tuple[str, ...] = Field(
        default=(),
        description="Networks that may be reached besides the hosts named here: public, private, loopback or ranges.",
    )

    @field_validator("feeds")
    @classmethod
    def _feeds(cls, addresses: tuple[str, ...]) -> tuple[str, ...]:
        """Canonicalise; a feed is at an http or https address."""
        return tuple(dict.fromkeys(map(_web_address, addresses)))

    @field_validator("control")
    @classmethod
    def _control(cls, places: tuple[str, ...]) -> tuple[str, ...]:
        """Canonicalise addresses; make paths absolute."""
        return tuple(
            _web_address(each) if "://" in each else str(Path(each).expanduser().absolute()) for each in places if each
        )

    @field_validator("keep")
    @classmethod
    def _keep(cls, word: str) -> str:
        """Refuse what is no rule, and write days in one way."""
        bare = word.strip().lower()
        days = _DAYS.fullmatch(bare.removeprefix("days ") + (" days" if bare.startswith("days ") else ""))
        if days is not None:
            return f"{int(days[1])} days"
        if bare not in ("feed", "always"):
            raise ValueError("write always, feed, or a number of days like 30 days.")
        return bare

    @field_validator("user_agent", "contact", "user")
    @classmethod
    def _sendable(cls, text: str) -> str:
        """It goes into a header: a line end would begin another one."""
        if _UNSENDABLE.search(text) or len(text) > 1_000:
            raise ValueError("it is sent in a header, which takes up to 1,000 printable ASCII characters.")
        return text

    @field_validator("network")
    @classmethod
    def _networks(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse words that name no network."""
        Consent.of((), words)
        return words

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if not self.feeds and not self.control:
            raise ValueError("a source of feeds needs an address: --set feeds=https://example.org/feed.xml")
        if bool(self.user) != bool(self.password):
            raise ValueError("user and password go together: set both, or none.")
        if self.password:
            places = [("feeds", each) for each in self.feeds] + [("control", each) for each in self.control]
            for name, each in places:
                if each.startswith("http:"):
                    see_inner(origin_of(each).host, self.network, "a password", name)
        return self

    @property
    def keep_s(self) -> float | None:
        """Seconds for which an entry is kept that its feed no longer has; None for ever."""
        if self.keep == "always":
            return None
        return 0.0 if self.keep == "feed" else float(self.keep.partition(" ")[0]) * DAY_S

    @property
    def addresses(self) -> tuple[str, ...]:
        """Addresses that are named here: of feeds and of lists."""
        return self.feeds + tuple(each for each in self.control if "://" in each)

    @property
    def consent(self) -> Consent:
        """The consent to connect to the servers that are named here; make it once for each source."""
        origins = [origin_of(each) for each in self.addresses]
        return Consent.of([(each.host, each.port) for each in origins], self.network)

    @property
    def agent_header(self) -> str:
        """The value of the User-Agent header."""
        return self.user_agent or ("cormorant/0.1" + (f" (+{self.contact})" if self.contact else ""))

    @property
    def visit_s(self) -> float:
        """The longest that one visit may take."""
        return self.timeout_s

    @property
    def page_settings(self) -> dict[str, object]:
        """Settings, by the names of a web source, for the pages that entries link to."""
        own = ("robots", "user_agent", "contact", "delay_s", "per_host", "max_size_bytes", "too_big", "timeout_s",
               "connect_timeout_s", "network", "variable_delay", "time_zone")  # fmt: skip
        taken = {name: getattr(self, name) for name in own if name in self.model_fields_set}
        login = [f"{origin_of(each)} basic {self.user} {self.password}" for each in self.feeds] if self.user else []
        return taken | {
            "start": list(self.feeds or ("http://feeds.invalid/",)), "include": ["any"], "depth": 0,
            "sitemaps": ["off"], "credentials": list(dict.fromkeys(login)), "grants": self.grants,
            "denies": self.denies, "timeout_s": self.timeout_s, "ca": [self.ca] if self.ca else [],
        }  # fmt: skip


def _web_address(text: str) -> str:
    try:
        address = canonical(text)
    except BadAddress as error:
        raise ValueError(error.sentence) from None
    if not address.startswith(("https://", "http://")):
        raise ValueError(f"{text!r} is no web address. Write it like https://example.org/feed.xml.")
    return address
