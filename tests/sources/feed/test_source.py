"""A feed over HTTP: what is asked, kept, named and let go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Gone
from cormorant.model.resource import DiscoveredUrl
from cormorant.net.egress.guard import Egress
from cormorant.operate.installation import Installation
from cormorant.operate.sources import secrets, sources
from cormorant.operate.sources.secrets import Opened
from cormorant.plugins import Source, Tools, make_source, source_settings
from cormorant.store.journal.item_shelf import ItemShelf
from cormorant.store.schema import item
from cormorant.testing.sources import resource_of
from tests.cli.world import Answer, Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site(confirms=True)) as served:
        yield served


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


def rss(*keys: str, more: str = "") -> Answer:
    items = "".join(
        f"<item><guid isPermaLink='false'>{key}</guid><title>{key}</title><link>/{key}</link></item>" for key in keys
    )
    return Answer(f"<rss version='2.0'><channel>{more}{items}</channel></rss>", mime="application/rss+xml")


class Place:
    """A source of feeds, and what its discoveries name."""

    def __init__(self, house: Installation, site: Site, **more: object) -> None:
        self.house, self.site, self.cursor, self.unlisted = house, site, "", list[str]()
        self.given = {"feeds": [f"{site.address}feed"], "delay_s": 0} | more
        sources.add(house, "feed", "news", self.given)

    def made(self) -> Source:
        tools = Tools(
            None, SystemClock(), Opened(self.house), egress=lambda: Egress(SystemClock()),
            items=ItemShelf(self.house.store, 1),
        )  # fmt: skip
        return make_source("feed", 1, self.given, tools)

    def discover(self, cursor: str | None = None) -> list[DiscoveredUrl]:
        made = self.made()
        found = [each for page in made.discover(self.cursor if cursor is None else cursor) for each in page]
        self.cursor, self.unlisted = made.next_cursor, list(made.unlisted)
        return [each for each in found if isinstance(each, DiscoveredUrl)]

    def shown(self) -> set[str]:
        return {each.display.rsplit("/", 1)[-1] for each in self.discover()}

    def fetch(self, address: str) -> object:
        made = self.made()
        return asyncio.run(made.fetch(resource_of(DiscoveredUrl(address, ""), made), VisitTrace()))


def test_an_unchanged_feed_costs_one_conditional_request(house: Installation, site: Site) -> None:
    site.answers["/feed"] = rss("a", "b")
    place = Place(house, site)
    first = place.discover()
    assert {each.display for each in first} == {f"{site.address}a", f"{site.address}b"}
    again = place.discover()
    assert sorted(again) == sorted(first)
    assert site.asked == ["/feed", "/feed"]
    got = place.fetch(first[0].address)
    assert isinstance(got, Content)
    assert got.validator == first[0].validator
    assert isinstance(place.fetch(f"{first[0].address}x"), Gone)


@pytest.mark.parametrize(
    ("keep", "left"), [("always", {"a", "b", "c"}), ("feed", {"b", "c"}), ("30 days", {"a", "b", "c"})]
)
def test_what_left_its_feed(keep: str, left: set[str], house: Installation, site: Site) -> None:
    site.answers["/feed"] = rss("a", "b")
    place = Place(house, site, keep=keep)
    assert place.shown() == {"a", "b"}
    site.answers["/feed"] = rss("b", "c")
    assert place.shown() == left


def test_days_are_counted_from_when_an_entry_was_missed(house: Installation, site: Site) -> None:
    site.answers["/feed"] = rss("a", "b")
    place = Place(house, site, keep="30 days")
    place.discover()
    site.answers["/feed"] = rss("b")
    assert place.shown() == {"a", "b"}
    with house.store.begin() as tx:
        tx.execute(item.update().where(item.c.version.is_not(None)).values(version=item.c.version - 31 * 86_400))
    assert place.shown() == {"b"}
    site.answers["/feed"] = rss("a", "b")
    assert place.shown() == {"a", "b"}


def test_nothing_leaves_for_a_feed_that_fails_is_cut_or_empty(house: Installation, site: Site) -> None:
    site.answers["/feed"] = rss("a", "b", "c")
    place = Place(house, site, keep="feed")
    place.discover()
    for answer in (
        Answer("", 503), Answer("", 404), Answer("<html>moved</html>"), rss(), Answer("<rss><channel>"),
    ):  # fmt: skip
        site.answers["/feed"] = answer
        with pytest.raises(Unreachable):
            place.discover()
    cut = rss("a").body.replace("</channel></rss>", "<item><title>half")
    site.answers["/feed"] = Answer(cut, mime="text/xml")
    assert place.shown() == {"a", "b", "c"}
    site.answers["/feed"] = rss()
    assert place.discover(cursor="") == []  # as --force asks


def test_one_feed_that_fails_leaves_the_others(house: Installation, site: Site) -> None:
    site.answers |= {"/feed": rss("a"), "/second": rss("b")}
    place = Place(house, site, feeds=[f"{site.address}feed", f"{site.address}second"], keep="feed")
    assert place.shown() == {"a", "b"}
    site.answers |= {"/feed": Answer("", 500), "/second": rss("c")}
    assert place.shown() == {"a", "c"}
    assert place.unlisted == [f"{site.address}feed"]
    place.given["feeds"] = [f"{site.address}second"]
    assert place.shown() == {"c"}


def test_pages_and_archives_are_followed_and_loops_end(house: Installation, site: Site) -> None:
    link = "<a:link xmlns:a='http://www.w3.org/2005/Atom' rel='{}' href='{}'/>"
    site.answers |= {
        "/feed": rss("a", more=link.format("next", "/two")), "/two": rss("b", more=link.format("prev-archive", "/old")),
        "/old": rss("c", more=link.format("next", "/feed")),
    }  # fmt: skip
    place = Place(house, site, keep="feed")
    assert place.shown() == {"a", "b", "c"}
    assert place.shown() == {"a", "b", "c"}
    assert site.asked == ["/feed", "/two", "/old"] * 2


def test_lists_name_feeds(house: Installation, site: Site, tmp_path: Path) -> None:
    site.answers |= {
        "/l.opml": Answer('<opml><body><outline xmlUrl="/feed"/></body></opml>'),
        "/feed": rss("a"),
        "/b": rss("b"),
    }
    listed = tmp_path / "feeds.txt"
    listed.write_text(f"{site.address}b\n")
    place = Place(house, site, feeds=[], control=[f"{site.address}l.opml", str(listed)], network=["loopback"])
    assert place.shown() == {"a", "b"}
    listed.unlink()
    with pytest.raises(Unreachable, match="setting control"):
        place.discover()


def test_redirects_are_followed_and_end(house: Installation, site: Site) -> None:
    site.answers |= {"/feed": Answer("", 301, location="/new"), "/new": rss("a")}
    place = Place(house, site)
    assert place.shown() == {"a"}
    site.answers["/new"] = Answer("", 302, location="/feed")
    with pytest.raises(Unreachable, match="redirects"):
        place.discover()


def test_a_refused_login_is_told_without_the_secret(house: Installation, site: Site) -> None:
    secrets.add(house, "pw", "hush-hush")
    site.answers["/feed"] = Answer("", 401)
    place = Place(house, site, user="ada", password="secret:pw")
    with pytest.raises(LoginRefused) as refused:
        place.discover()
    assert "ada" in refused.value.sentence
    assert "hush" not in refused.value.sentence
    assert site.asked == ["/feed"]


def test_a_host_inside_needs_consent(house: Installation, site: Site) -> None:
    site.answers |= {"/feed": Answer("", 302, location="http://127.0.0.2:9/feed")}
    with pytest.raises(Unreachable, match="could not be read"):
        Place(house, site).discover()


def test_two_entries_with_one_link_are_shown_apart(house: Installation, site: Site) -> None:
    entry = "<item><guid isPermaLink='false'>{}</guid><title>{}</title><link>/same</link></item>"
    both = entry.format("x", "x") + entry.format("y", "y")
    site.answers["/feed"] = Answer(f"<rss><channel>{both}</channel></rss>")
    found = Place(house, site).discover()
    assert len({each.address for each in found}) == 2
    assert sorted(each.display for each in found) == ["", f"{site.address}same"]


def test_linked_pages_are_the_documents(house: Installation, site: Site) -> None:
    site.answers["/feed"] = rss("a", "b")
    found = Place(house, site, content="link").discover()
    assert {each.address for each in found} == {f"{site.address}a", f"{site.address}b"}
    assert all(each.validator for each in found)


@pytest.mark.parametrize(
    "given",
    [
        {}, {"feeds": ["ftp://x.example/"]}, {"feeds": ["https://x.example/"], "keep": "long"},
        {"feeds": ["https://x.example/"], "user": "ada"},
        {"feeds": ["https://x.example/"], "user": "a\n", "password": "secret:p"},
        {"feeds": ["https://x.example/"], "password": "hush"}, {"feeds": ["https://x.example/"], "network": ["mine"]},
    ],
)  # fmt: skip
def test_settings_that_are_none(given: dict[str, object]) -> None:
    with pytest.raises(BadSetting) as refused:
        source_settings("feed", given)
    assert "hush" not in refused.value.sentence


@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        ({"feeds": ["http://x.example/feed"]}, False), ({"feeds": ["https://x.example/feed"]}, True),
        ({"feeds": ["https://x.example/feed", "http://x.example/other"]}, False),
        ({"feeds": ["https://x.example/feed"], "control": ["http://x.example/opml"]}, False),
        ({"feeds": ["http://10.0.0.7/feed"]}, True), ({"feeds": ["http://100.64.0.7/feed"]}, False),
        ({"feeds": ["http://x.example/feed"], "network": ["private"]}, True),
        ({"feeds": ["http://x.example/feed"], "network": ["public"]}, False),
    ],
)  # fmt: skip
def test_a_password_over_http_goes_to_servers_inside_only(given: dict[str, object], accepted: bool) -> None:
    login = {"user": "ada", "password": "secret:pw"}
    assert source_settings("feed", given) is not None, "without a login all of them may be asked"
    if accepted:
        assert source_settings("feed", given | login) is not None
        return
    with pytest.raises(BadSetting) as refused:
        source_settings("feed", given | login)
    setting = "control" if "control" in given else "feeds"
    assert f"Over http a password could be read on the way: write {setting} with https" in refused.value.sentence
    assert "set network=private" in refused.value.sentence


def test_days_are_written_in_one_way() -> None:
    for word in ("30 days", "30d", "days 30", "30 DAYS"):
        settings = source_settings("feed", {"feeds": ["https://x.example/"], "keep": word})
        assert settings.model_dump()["keep"] == "30 days"
