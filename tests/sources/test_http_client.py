"""Requests of a source to its server, over a real server: meanings of responses, logins, costs, strange addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from cormorant.base.errors import BadSetting, LoginRefused, NotFoundError, Unreachable
from cormorant.model.content import VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome
from cormorant.model.status import Status
from cormorant.net.http.messages import Response
from cormorant.plugins import HttpClient, SecretReference, ServerSettings
from cormorant.testing import tools
from tests.receivers.serving import Serving


class Place:
    """A server that answers with the number in the path, and what it was asked."""

    def __init__(self, url: str, asked: list[tuple[str, str, str, bytes]]) -> None:
        self.url, self.asked = url, asked


@contextmanager
def served() -> Iterator[Place]:
    """Serve on this machine."""
    asked: list[tuple[str, str, str, bytes]] = []

    class NumberedReplies(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append((self.command, self.path, self.headers.get("Authorization", ""), body))
            status = int(self.path.rpartition("/")[2])
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "7")
            if status == 302:
                self.send_header("Location", "http://elsewhere.example/")
            if status != 304:
                self.send_header("Content-Length", "5")
            self.end_headers()
            if status != 304:
                self.wfile.write(b"hello")

        do_GET = do_PROPFIND = _answer  # noqa: N815 - the base class looks for these names

    with Serving(NumberedReplies) as server:
        yield Place(f"http://127.0.0.1:{server.port}", asked)


@pytest.fixture
def place() -> Iterator[Place]:
    """A server."""
    with served() as made:
        yield made


def visited(client: HttpClient, url: str, wire: VisitTrace | None = None) -> Response | Outcome:
    """Ask as `fetch` does."""
    return asyncio.run(client.get(url, wire or VisitTrace()))


def test_a_visit_returns_the_response_and_counts_its_cost(place: Place) -> None:
    """The pace of a site is counted from the moment that `sent` was called."""
    sent: list[str] = []
    wire = VisitTrace(sent=sent.append, site="desk://3")
    got = visited(HttpClient(place.url, ServerSettings(), tools()), f"{place.url}/200", wire)
    assert isinstance(got, Response)
    assert got.body == b"hello"
    assert (wire.requests, wire.decoded, sent) == (1, 5, ["desk://3"])
    assert wire.received > 5


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        (404, Gone(404)),
        (410, Gone(410)),
        (401, Failed(401, "The server refuses the login.")),
        (403, Failed(403, "The server does not let it be read.")),
        (302, Failed(1003, "The server sends on to another address.")),
        (400, Failed(400, "The server answered 400.")),
        (204, Failed(911, "The server answered 204, without a document.")),
        (206, Failed(1005, "The server answered with a part (206) though the whole was asked for.")),
        (304, Failed(1005, "The server answered 304 though nothing was asked of it.")),
        (501, Failed(501, "The server answered 501.")),
        (507, Deferred(507, "The server answered 507.")),
        (429, Deferred(429, "The server answered 429.", 7.0, whole_site=True)),
        (503, Deferred(503, "The server answered 503.", None, whole_site=True)),
        (500, Deferred(500, "The server answered 500.")),
        (408, Deferred(408, "The server answered 408.")),
    ],
)
def test_other_responses_are_outcomes(place: Place, status: int, meaning: Outcome) -> None:
    """A fault of the server is no reason to delete a document; a 404 is."""
    assert visited(HttpClient(place.url, ServerSettings(), tools()), f"{place.url}/{status}") == meaning


def test_what_was_not_modified_is_an_answer(place: Place) -> None:
    """A request with validators gets a 304."""
    client = HttpClient(place.url, ServerSettings(), tools())
    got = asyncio.run(client.get(f"{place.url}/304", VisitTrace(), ['If-None-Match: "a"']))
    assert isinstance(got, Response)
    assert got.status == 304
    assert client.send(f"{place.url}/304", ["If-Modified-Since: Sat, 28 Nov 2026 00:00:00 GMT"]).status == 304
    with pytest.raises(Unreachable, match="answered 304 at"):
        client.send(f"{place.url}/304")
    client.close()


def test_a_longer_response_than_may_be_is_left_out(place: Place) -> None:
    """No server fills the memory."""
    got = visited(HttpClient(place.url, ServerSettings(), tools(), max_bytes=4), f"{place.url}/200")
    assert isinstance(got, Excluded)
    assert got.status == Status.TOO_BIG


def test_a_server_that_is_away_defers_a_document_and_ends_a_discovery() -> None:
    """Nothing is deleted then."""
    with served() as place:
        pass
    client = HttpClient(place.url, ServerSettings(), tools())
    assert isinstance(visited(client, f"{place.url}/200"), Deferred)
    with pytest.raises(Unreachable, match="cannot be reached"):
        client.send(f"{place.url}/200")
    client.close()


def test_a_discovery_sends_a_method_and_a_body_of_its_own(place: Place) -> None:
    """Closing lets go of the connection; a later request makes another one."""
    client = HttpClient(place.url, ServerSettings(), tools())
    assert client.send(f"{place.url}/207", ["Depth: 1"], method="PROPFIND", body=b"<x/>").status == 207
    client.close()
    client.close()
    assert client.send(f"{place.url}/200").body == b"hello"
    client.close()
    assert [(each[0], each[3]) for each in place.asked] == [("PROPFIND", b"<x/>"), ("GET", b"")]


def test_a_refused_login_is_not_any_fault(place: Place) -> None:
    """It is not tried again before the settings or the secret change."""
    client = HttpClient(place.url, ServerSettings(), tools())
    with pytest.raises(LoginRefused, match="refuses the login"):
        client.send(f"{place.url}/401")
    with pytest.raises(Unreachable, match="answered 404 at http"):
        client.send(f"{place.url}/404")
    client.close()


def test_the_login_is_made_for_each_request_and_goes_to_no_other_server(place: Place) -> None:
    """A listing of a hostile server names addresses anywhere."""
    lines = iter(["Authorization: one", "Authorization: two"])
    client = HttpClient(place.url, ServerSettings(), tools(), lambda: [next(lines)])
    visited(client, f"{place.url}/200")
    visited(client, f"{place.url}/200")
    assert [each[2] for each in place.asked] == ["one", "two"]
    for strange in ("http://127.0.0.1:9/200", "https://stranger.example/", place.url.replace("http", "https")):
        with pytest.raises(ValueError, match="is not of http://127"):
            visited(client, strange)


class NotesSettings(ServerSettings):
    """Settings of a package's kind."""

    token: SecretReference = ""


def bearer() -> tuple[str, ...]:
    """The login of a package's kind."""
    return ("Authorization: Bearer hunter2",)


IN_CLEAR = (
    "Over http a login could be read on the way: write the url with https, or, for a server inside, set network=private"
)


@pytest.mark.parametrize("url", ["http://notes.example", "http://100.64.0.1", "http://8.8.8.8"])
def test_a_login_over_http_goes_to_servers_inside_only(url: str) -> None:
    """The refusal, its sentence and the setting that permits it are those of the built-in kinds."""
    named = NotesSettings(token="secret:desk")
    with pytest.raises(BadSetting, match=IN_CLEAR):
        HttpClient(url, named, tools(), bearer)
    HttpClient(url, named, tools())  # the secret is for something else
    HttpClient(url.replace("http:", "https:"), named, tools(), bearer)
    HttpClient(url, NotesSettings(token="secret:desk", network=("private",)), tools(), bearer)


@pytest.mark.parametrize("line", ["Authorization: Bearer hunter2", "cookie: session=1"])
def test_no_request_carries_a_login_in_clear(line: str) -> None:
    """A login of another origin than the settings is seen when it would be sent; nothing is."""
    with_login = HttpClient("http://8.8.8.8", ServerSettings(), tools(), lambda: [line])
    for client, lines in ((with_login, ()), (HttpClient("http://8.8.8.8", ServerSettings(), tools()), (line,))):
        with pytest.raises(BadSetting, match=IN_CLEAR):
            client.send("http://8.8.8.8/200", lines)
        with pytest.raises(BadSetting, match=IN_CLEAR):
            asyncio.run(client.get("http://8.8.8.8/200", VisitTrace(), lines))
        client.close()


def test_tools_of_a_test_have_the_secrets_that_it_gives() -> None:
    """The message about another one says where to write it."""
    given = tools({"desk": "hunter2"}).secrets
    assert given is not None
    assert given.reveal("desk") == "hunter2"
    with pytest.raises(NotFoundError, match=r"tools\(secrets=\{'other'"):
        given.reveal("other")
    assert tools().secrets is None
