"""A search server is asked as its description says, by a real connection; its failures are faults in one sentence."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import cast

import pytest

from cormorant.base.errors import BadRule, BadSetting
from cormorant.plugins import LiveAnswer, LiveFault, LiveSource, source_settings
from cormorant.sources.federated.settings import FederatedSettings
from tests.sources.json_api.api_sources import api_source
from tests.threaded import Asked, Said, Server, running

ITEM = "<item><title>Tide {0}</title><link>http://far.example/{0}</link></item>"
RSS = f'<rss version="2.0"><channel>{"".join(ITEM.format(number) for number in range(9))}</channel></rss>'
FEED = {"Content-Type": "application/rss+xml"}
FOUND = Said(200, RSS, FEED)


def description(origin: str, path: str = "/rss?q={searchTerms}") -> str:
    return (
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>Far</ShortName>'
        f'<Url type="application/rss+xml" template="{origin}{path}"/></OpenSearchDescription>'
    )


class SearchServer(Server):
    """A search server whose answers a test changes."""

    def __init__(self) -> None:
        super().__init__(self.say)
        self.answers: dict[str, Said | Callable[[Asked], Said]] = {"/rss": FOUND}

    def say(self, asked: Asked) -> Said:
        path = asked.path.partition("?")[0]
        found = self.answers.get(path, Said(200, description(self.origin)) if path == "/os.xml" else Said(404))
        return found if isinstance(found, Said) else found(asked)


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with running(SearchServer()) as made:
        yield made


def source_of(server: Server, path: str = "/os.xml", **settings: object) -> LiveSource:
    return cast("LiveSource", api_source("federated", {"url": server.origin + path, **settings}, {"far": "s3cret"}))


def ask(source: LiveSource, text: str = "tide", *languages: str) -> LiveAnswer:
    return asyncio.run(source.ask(text, languages))


def fault(source: LiveSource) -> str:
    with pytest.raises(LiveFault) as raised:
        ask(source)
    return raised.value.reason


def test_a_server_is_asked_by_its_description(server: SearchServer) -> None:
    found = ask(source_of(server, most=2), "tide & gauge", "de-ch", "en")
    assert [each.title for each in found.hits] == ["Tide 0", "Tide 1"]
    assert (found.asked, found.form) == (f"{server.origin}/rss", "application/rss+xml")
    assert server.paths == ["/os.xml", "/rss?q=tide%20%26%20gauge"]
    asked = server.asked[-1].fields
    assert (asked["accept-language"], asked["cormorant-federated"]) == ("de-ch, en", "1")


def test_a_description_is_read_once(server: SearchServer) -> None:
    source = source_of(server)

    async def twice() -> None:
        await source.ask("a", ())
        await source.ask("b", ())

    asyncio.run(twice())
    assert server.paths == ["/os.xml", "/rss?q=a", "/rss?q=b"]


def test_a_description_is_read_again_where_the_search_has_moved(server: SearchServer) -> None:
    source = source_of(server)

    async def moved() -> LiveAnswer:
        await source.ask("a", ())
        server.answers = {"/new": FOUND, "/os.xml": Said(200, description(server.origin, "/new?q={searchTerms}"))}
        with pytest.raises(LiveFault, match="404"):
            await source.ask("a", ())
        return await source.ask("a", ())

    assert len(asyncio.run(moved()).hits) == 5


def test_another_cormorant_is_asked_at_its_interface(server: SearchServer) -> None:
    hits = [{"id": 1, "url": "http://b.example/", "title": "B", "snippet": "b"}]
    server.answers["/api/v1/search"] = Said(
        200, json.dumps({"total": 9, "hits": hits}), {"Content-Type": "application/json"}
    )
    source = source_of(server, "/api/v1/search", token="secret:far")
    found = ask(source, "title:tide")
    assert (found.total, found.hits[0].title, source.reads_fields) == (9, "B", True)
    assert server.paths == ["/api/v1/search?q=title%3Atide&limit=5&as_typed=true"]
    assert server.asked[0].fields["authorization"] == "Bearer s3cret"


def test_the_token_and_the_query_go_where_the_settings_lead(server: SearchServer) -> None:
    with running(SearchServer()) as other:
        server.answers["/rss"] = Said(302, "", {"Location": f"{other.origin}/rss?q=moved"})
        source = source_of(server, token="secret:far", network="loopback")
        assert len(ask(source).hits) == 5
        assert "authorization" in server.asked[-1].fields
        assert "authorization" not in other.asked[-1].fields
        assert "policy" in fault(source_of(server))


@pytest.mark.parametrize(
    ("path", "said", "reason"),
    [
        ("/rss", Said(500), "The server answered 500."),
        ("/rss", Said(401), "wants a login: set token=secret:NAME"),
        ("/rss", Said(200, "<html>no", {}), "cannot be read: it is a page"),
        ("/rss", Said(200, "x" * 3_000_000, FEED), "larger|max|bytes|big"),
        ("/rss", Said(302, "", {"Location": "/rss"}), "without end"),
        ("/rss", Said(302), "to no address"),
        ("/rss", Said(302, "", {"Location": "file:///etc/passwd"}), "to no address"),
        ("/os.xml", Said(404), "The server answered 404."),
        ("/os.xml", Said(200, "<html/>"), "no OpenSearch description that can be used: its root element is 'html'"),
    ],
)  # fmt: skip
def test_a_failure_is_a_sentence(server: SearchServer, path: str, said: Said, reason: str) -> None:
    server.answers[path] = said
    assert re.search(reason, fault(source_of(server)))


def test_a_server_that_wants_to_be_left_alone_says_for_how_long(server: SearchServer) -> None:
    server.answers["/rss"] = Said(429, "", {"Retry-After": "77"})
    with pytest.raises(LiveFault) as raised:
        ask(source_of(server))
    assert (raised.value.status, raised.value.rest_s) == (429, 77.0)


def test_nobody_waits_longer_than_the_timeout(server: SearchServer) -> None:
    held = threading.Event()

    def late(_: Asked) -> Said:
        held.wait(20)
        return FOUND

    server.answers["/rss"] = late
    try:
        with pytest.raises(LiveFault, match=r"did not answer in 0\.3 s") as raised:
            ask(source_of(server, timeout_s=0.3))
    finally:
        held.set()
    assert raised.value.status == 902


def test_a_server_is_asked_at_its_pace(server: SearchServer) -> None:
    source = source_of(server, delay_s=0.3, timeout_s=10)

    async def several() -> None:
        await asyncio.gather(*(source.ask("a", ()) for _ in range(3)))

    asyncio.run(several())
    moments = [each.at for each in server.asked if each.path.startswith("/rss")]
    assert len(moments) == 3
    assert moments[-1] - moments[0] > 0.5 - server.late_s


def test_a_secret_that_cannot_be_opened_is_a_fault(server: SearchServer) -> None:
    assert "no secret 'gone'" in fault(source_of(server, token="secret:gone"))


def test_it_has_no_documents(server: SearchServer) -> None:
    source = api_source("federated", {"url": server.origin + "/os.xml"})
    assert list(source.discover("")) == []
    assert server.asked == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"url": "ftp://a.example/"}, "https://"),
        ({"url": "https://ada:pw@a.example/"}, "use token"),
        ({"url": "http://a.example/os.xml", "token": "secret:far"}, "could be read on the way"),
        ({"timeout_s": "31"}, "timeout_s"),
        ({"most": "51"}, "most"),
        ({"attributes": "Author"}, "Author=creator"),
        ({"attributes": ["A=b", "a=c"]}, "named once"),
        ({"ca": "/no/such/file"}, "cannot be read"),
        ({"limit": "3"}, "most"),
    ],
)
def test_wrong_settings_are_told(settings: dict[str, object], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        source_settings("federated", {"url": "https://a.example/os.xml", **settings})


def test_a_wrong_route_is_told() -> None:
    with pytest.raises((BadRule, BadSetting), match="neither one word"):
        source_settings("federated", {"url": "https://a.example/", "route": "two words"})


@pytest.mark.parametrize(
    ("url", "flavour", "cormorant"),
    [
        ("https://a.example/api/v1/search", "auto", True),
        ("https://a.example/api/v1/search", "opensearch", False),
        ("https://a.example/x", "cormorant", True),
        ("https://a.example/opensearch.xml?a=/api/v1/search", "auto", False),
    ],
)
def test_the_flavour_is_seen_by_the_address(url: str, flavour: str, *, cormorant: bool) -> None:
    settings = cast("FederatedSettings", source_settings("federated", {"url": url, "flavour": flavour}))
    assert settings.is_cormorant is cormorant
