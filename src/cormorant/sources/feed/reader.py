"""Reader of feeds over HTTP: conditional requests, redirects, further pages, and lists of feeds."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from cormorant.base.clock import Clock, pause
from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.url import origin_of
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.policy import AddressClass, classify
from cormorant.net.egress.resolver import is_localhost, literal
from cormorant.net.http import headers
from cormorant.net.http.http_session import HttpSession
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.sources.feed.entry import FeedDocument
from cormorant.sources.feed.feed_list import read_list
from cormorant.sources.feed.parser import absolute, parse_feed
from cormorant.sources.feed.settings import FeedSettings
from cormorant.sources.http_status import StatusClass, status_class
from cormorant.sources.protocol import Secrets

MAX_PAGES: Final = 100
"""Pages of one feed that are read, its archives among them."""
MAX_HOPS: Final = 5
MAX_LISTS: Final = 100
"""Lists of feeds that are read, those that lists name among them."""
MAX_FEEDS: Final = 10_000
POLITE_S: Final = 1.0
"""Seconds between two requests to a public host, unless the settings say otherwise."""
_ACCEPT: Final = (
    "Accept: application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"
)


class PageState(NamedTuple):
    """A page of a feed as it was read last: its validators, the keys of its entries, the page that it names."""

    etag: str = ""
    modified: str = ""
    keys: tuple[str, ...] = ()
    next: str = ""
    is_whole: bool = True


class PageRead(NamedTuple):
    """A page as it was read. `entries` is None when it has not changed."""

    address: str
    state: PageState
    entries: tuple[FeedDocument, ...] | None


class FeedReader:
    """Reads feeds of one source, one request after another. Close it."""

    def __init__(
        self, settings: FeedSettings, clock: Clock, egress: Callable[[], Egress], secrets: Secrets | None
    ) -> None:
        self._settings, self._clock, self._secrets = settings, clock, secrets
        self._session = HttpSession(egress)
        self._consent = settings.consent
        self._own = {str(origin_of(each)) for each in settings.addresses}
        self._asked: dict[str, float] = {}

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def pages(self, feed: str, known: Mapping[str, PageState]) -> Iterator[PageRead]:
        """Yield the pages of a feed, the newest first. Raises Unreachable for one that cannot be read."""
        address, seen = feed, set[str]()
        while address and address not in seen and len(seen) < MAX_PAGES:
            seen.add(address)
            page = self._page(address, known.get(address, PageState()))
            yield page
            address = page.state.next if self._settings.archives else ""

    def feeds(self) -> list[str]:
        """Return the addresses of all feeds, those of lists included. Raises Unreachable for a list that is away."""
        found, left, seen = dict.fromkeys(self._settings.feeds), list(self._settings.control), set[str]()
        while left and len(seen) < MAX_LISTS:
            place = left.pop(0)
            if place in seen:
                continue
            seen.add(place)
            feeds, lists = read_list(self._list(place), place if "://" in place else "")
            found |= dict.fromkeys(feeds)
            left += lists
        return list(found)[:MAX_FEEDS]

    def _list(self, place: str) -> bytes:
        if "://" in place:
            return self._get(place, PageState()).body
        try:
            with Path(place).open("rb") as file:
                return file.read(self._settings.max_size_bytes)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise Unreachable(
                f"The list of feeds {place} cannot be read: {reason}. Check the setting control."
            ) from None

    def _page(self, address: str, before: PageState) -> PageRead:
        answer = self._get(address, before)
        if answer.status == 304:
            return PageRead(address, before, None)
        charset = headers.content_type(answer.headers.get("content-type"))[1]
        try:
            page = parse_feed(answer.body, address, charset)
        except ValueError as error:
            raise Unreachable(f"{address} is no feed: {error}. Check its address in the setting feeds.") from None
        validators = (answer.headers.get("etag"), answer.headers.get("last-modified")) if page.is_whole else ("", "")
        keys = tuple(each.key for each in page.entries)
        state = PageState(validators[0][:500], validators[1][:100], keys, page.next, page.is_whole)
        return PageRead(address, state, page.entries)

    def _get(self, address: str, before: PageState) -> Response:
        """Ask for an address, and follow redirects. Raises Unreachable, and LoginRefused where a login was sent."""
        at = address
        for _ in range(MAX_HOPS + 1):
            lines = self._lines(at, before)
            answer = self._send(at, lines)
            if status_class(answer.status) is StatusClass.REDIRECT and answer.headers.get("location"):
                at = _target(at, answer)
                continue
            if answer.status == 304 and (before.etag or before.modified):
                return answer
            if answer.status == 200 and not answer.truncated:
                return answer
            raise self._refused(at, answer, sent=any(each.startswith("Authorization") for each in lines))
        raise Unreachable(f"{address} redirects more than {MAX_HOPS} times. Check its address.")

    def _send(self, address: str, lines: tuple[str, ...]) -> Response:
        self._wait_turn(address)
        settings = self._settings
        answer = self._session.send(
            Request(
                address,
                lines,
                self._consent,
                user_agent=settings.agent_header,
                max_bytes=settings.max_size_bytes,
                timeout_s=settings.timeout_s,
                connect_timeout_s=settings.connect_timeout_s,
                ca=settings.ca,
            )
        )
        if isinstance(answer, TransportError):
            raise Unreachable(f"{address} could not be read: {answer.reason.rstrip('.')}. The next crawl tries again.")
        return answer

    def _wait_turn(self, address: str) -> None:
        """Keep the delay between two requests to a host."""
        origin = origin_of(address)
        delay_s = self._settings.delay_s
        if delay_s is None:
            delay_s = 0.0 if _is_private(origin.host) else POLITE_S
        waits = self._asked.get(origin.site, -delay_s) + delay_s - self._clock.monotonic()
        if origin.site in self._asked and waits > 0:
            pause(waits)
        self._asked[origin.site] = self._clock.monotonic()

    def _lines(self, address: str, before: PageState) -> tuple[str, ...]:
        lines = [_ACCEPT]
        lines += [f"If-None-Match: {before.etag}"] if before.etag else []
        lines += [f"If-Modified-Since: {before.modified}"] if before.modified else []
        settings = self._settings
        if settings.user and self._secrets is not None and str(origin_of(address)) in self._own:
            value = self._secrets.reveal(settings.password.removeprefix("secret:"))
            lines.append(f"Authorization: Basic {base64.b64encode(f'{settings.user}:{value}'.encode()).decode()}")
        return tuple(lines)

    def _refused(self, address: str, answer: Response, *, sent: bool) -> Unreachable:
        found = status_class(answer.status)
        if found is StatusClass.FORBIDDEN and sent:
            return Unreachable(
                f"{address} may not be read by {self._settings.user!r} (403). Have that account be given the right, or "
                "change user."
            )
        if found is StatusClass.LOGIN and sent:
            return LoginRefused(
                f"{address} refuses the login of {self._settings.user!r} ({answer.status}). Change user, or the secret "
                "that password names."
            )
        if answer.truncated or answer.status == 200:
            return Unreachable(f"{address} is larger than max_size_bytes. Raise it, or leave the feed out.")
        return Unreachable(f"{address} answers {answer.status} in place of a feed. Check its address and its server.")


def _target(at: str, answer: Response) -> str:
    target = absolute(at, answer.headers.get("location"))
    if not target:
        raise Unreachable(f"{at} redirects to no web address. Check its address and its server.")
    return target


def _is_private(host: str) -> bool:
    bare = host.strip("[]")
    return is_localhost(host) or (literal(bare) is not None and classify(bare) is not AddressClass.PUBLIC)
