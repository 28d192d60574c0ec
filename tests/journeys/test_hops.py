"""Temporary redirects: no host is asked faster than it may be, and none is left alone for what another one says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import ClassVar, NamedTuple

import pytest

from cormorant.base.clock import SystemClock
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home

DELAY_S = 0.8
AT_ONCE = 4
A_DAY = {"Retry-After": "86400"}


class Said(NamedTuple):
    """What a host answers to a path."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


class Host(ThreadingHTTPServer):
    """A web server of its own port, which makes it a site of its own, and when each of its paths was asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.says: dict[str, Said] = {}
        self.log: list[tuple[float, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def page(self, *links: str) -> Said:
        return Said(body="".join(f'<a href="{link}">{link}</a>' for link in links) + "<p>words</p>")

    @property
    def gaps(self) -> list[float]:
        """Seconds from one request to the next."""
        return [later - earlier for (earlier, _), (later, _) in pairwise(sorted(self.log))]


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    none: ClassVar[Said] = Said(404)

    def do_GET(self) -> None:
        assert isinstance(self.server, Host)
        self.server.log.append((SystemClock().monotonic(), self.path))
        said = self.server.says.get(self.path, self.none)
        body = said.body.encode()
        self.send_response(said.status)
        for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **said.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called
        """Say nothing: the test reads the log."""


@pytest.fixture
def host() -> Iterator[Callable[[], Host]]:
    """Starts a host; it ends with the test."""
    with ExitStack() as stack:

        def begin() -> Host:
            server = stack.enter_context(Host())
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
            stack.callback(server.shutdown)
            return server

        yield begin


def to(address: str) -> Said:
    return Said(302, headers={"Location": address})


def settings(host: Host, **given: str) -> dict[str, object]:
    return {"start": [host.url + "/"], "network": ["loopback"], "patience_s": "0", "delay_s": "0", **given}


@pytest.mark.parametrize("failing", ["robots.txt", "page", "connection"])
def test_a_redirect_to_a_failing_host_does_not_stop_the_crawl_of_its_own(
    home: Home, crawls: Crawler, host: Callable[[], Host], failing: str
) -> None:
    ours, other = host(), host()
    outs, pages = [f"/out/{n}" for n in range(12)], [f"/in/{n}" for n in range(5)]
    ours.says = {"/": ours.page(*outs, "/middle"), "/middle": ours.page(*pages)}
    ours.says |= {each: to(other.url + each) for each in outs} | {each: ours.page() for each in pages}
    other.says = {each: Said(503, headers=A_DAY) for each in (["/robots.txt"] if failing == "robots.txt" else outs)}
    if failing == "connection":
        other.shutdown()
        other.server_close()
    home.add_source("web", "town", settings(ours))
    crawls.crawl(home, "town")
    assert home.value("SELECT count(*) FROM content WHERE indexed") == 2 + len(pages)
    key = ours.url.removeprefix("http://")
    assert home.value(f"SELECT failures FROM site WHERE key = '{key}'") == 0
    assert home.value(f"SELECT not_before FROM site WHERE key = '{key}'") == 0
    later = home.value("SELECT max(not_before) FROM resource") - SystemClock().now()
    assert later <= 3600
    assert (later > 0) == (failing != "connection")
    assert len(other.log) <= 1 + AT_ONCE, "it asked to be left alone"


@pytest.mark.parametrize("per_host", [1, AT_ONCE])
def test_hops_keep_the_pace_of_every_host(
    file_home: Home, crawls: Crawler, host: Callable[[], Host], per_host: int
) -> None:
    ours, other = host(), host()
    ours.says = {"/": ours.page("/0", "/b/0", "/out", "/last"), "/9": ours.page(), "/last": ours.page()}
    ours.says |= {f"/{n}": to(f"{ours.url}/{n + 1}") for n in range(9)}
    ours.says |= {"/b/0": to(ours.url + "/b/1"), "/b/1": ours.page(), "/out": to(other.url + "/in")}
    other.says = {"/in": to(other.url + "/in/2"), "/in/2": other.page()}
    file_home.add_source("web", "town", settings(ours, delay_s=str(DELAY_S), per_host=str(per_host)))
    crawls.crawl(file_home, "town")
    assert [path for _, path in other.log] == ["/robots.txt", "/in", "/in/2"]
    assert sorted(path for _, path in ours.log) == sorted(
        ["/robots.txt", "/", *(f"/{n}" for n in range(10)), "/b/0", "/b/1", "/out", "/last"]
    )
    for each in (ours, other):
        assert min(each.gaps) >= DELAY_S * 0.99, sorted(each.gaps)[:3]
