"""A wiki's pages are named, fetched and followed by a fake of its documented API; its failures end as one outcome."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import pytest

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone, Outcome
from cormorant.plugins import Source, source_settings
from cormorant.sources.json_api import exchange
from cormorant.sources.protocol import Discovery
from cormorant.testing import SourceSuite
from cormorant.testing.sources import resource_of
from tests.sources.json_api.api_sources import api_source, discovered, fetched
from tests.sources.json_api.fake_server import Reply, failing
from tests.sources.mediawiki.fake_wiki import FakeWiki

STRANGE = ("A/B", "C++ & D?", "100%25", "Ünïcode 鵜", "..", "~tilde", "x" * 250)
SECRETS = {"bot": "right"}
LOGIN = {"user": "Ada@cormorant", "password": "secret:bot"}


@pytest.fixture
def wiki() -> Iterator[FakeWiki]:
    fake = FakeWiki(at_once=3)
    yield fake
    fake.stop()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Do not wait, but note for how long."""
    waited: list[float] = []
    monkeypatch.setattr(exchange, "pause", waited.append)
    return waited


def source_of(wiki: FakeWiki, **settings: object) -> Source:
    return api_source("mediawiki", {"url": f"{wiki.url}/w/api.php", **settings}, SECRETS)


def titles(wiki: FakeWiki, **settings: object) -> list[str]:
    found, _ = discovered(source_of(wiki, **settings))
    return sorted(source_of(wiki).key_of(each) for each in found)  # type: ignore[attr-defined]


class TestSuite(SourceSuite):
    """Suite of sources."""

    @pytest.fixture(autouse=True)
    def wiki(self) -> Iterator[None]:
        """Run a wiki with a few pages."""
        self.fake = FakeWiki(at_once=3)
        for title in ("One", "Two", *STRANGE):
            self.fake.put(title, f"words of {title}")
        yield
        self.fake.stop()

    def make(self) -> Source:
        """Make a source of it that lists everything each time."""
        return source_of(self.fake, relist_days=0)


def test_every_page_of_the_namespaces_is_named_once_in_several_answers(wiki: FakeWiki) -> None:
    for number in range(7):
        wiki.put(f"P{number}", "x")
    wiki.put("Logbook:Monday", "x")
    wiki.put("Help:Me", "x")
    wiki.put("User:Ada", "x")
    wiki.put("Old name", "", redirect="P1")
    assert titles(wiki) == ["Logbook:Monday", *(f"P{number}" for number in range(7))]
    assert titles(wiki, namespaces=["Help", "2"]) == ["Help:Me", "User:Ada"]
    assert titles(wiki, namespaces=["main"]) == [f"P{number}" for number in range(7)]
    assert len(titles(wiki, namespaces=["all"])) == 10
    with pytest.raises(Unreachable, match="no namespace 'Hlep'"):
        titles(wiki, namespaces=["Hlep"])


def test_a_page_has_its_text_categories_and_other_names(wiki: FakeWiki) -> None:
    wiki.put("Gannet", "A <b>white</b> bird")
    wiki.put("Solan goose", "", redirect="Gannet")
    source = source_of(wiki)
    (found,) = discovered(source)[0].values()
    assert found.display == f"{wiki.url}/wiki/Gannet"
    trace = VisitTrace()
    got = fetched(source, found, trace)
    assert isinstance(got, Content)
    assert (got.title, got.mime, got.modified_at) == ("Gannet", "text/html", 1770091506.0)
    assert got.attributes == {"Author": "Ada", "Category": ["Sea birds"], "Aliases": ["Solan goose"]}
    text = got.body.decode()
    assert "A <b>white</b> bird" in text
    assert f'<base href="{wiki.url}/wiki/Gannet">' in text
    assert "index.php?title=Solan_goose" in text
    assert trace.requests == 3
    assert trace.received > 0


def test_a_file_is_its_bytes_and_a_picture_its_page(wiki: FakeWiki) -> None:
    wiki.put("File:Plan.pdf", "About the plan", file=(b"%PDF-plan", "application/pdf"))
    wiki.put("File:Gull.png", "A gull at the pier", file=(b"png", "image/png"))
    source = source_of(wiki, max_size_bytes=100)
    got = {source.key_of(address): fetched(source, each) for address, each in discovered(source)[0].items()}  # type: ignore[attr-defined]
    plan, gull = got["File:Plan.pdf"], got["File:Gull.png"]
    assert isinstance(plan, Content)
    assert isinstance(gull, Content)
    assert (plan.body, plan.mime, plan.file_name) == (b"%PDF-plan", "application/pdf", "Plan.pdf")
    assert plan.attributes == {"Author": "Grace", "Namespace": "File", "Description": "As scanned"}
    assert (gull.mime, gull.title) == ("text/html", "File:Gull.png")
    assert b"A gull at the pier" in gull.body
    wiki.put("File:Plan.pdf", "", file=(b"x" * 101, "application/pdf"))
    large = fetched(source, discovered(source)[0]["mediawiki://3/File%3APlan.pdf"])
    assert isinstance(large, Excluded)
    assert (large.status, large.ruling.rule) == (960, "max_size_bytes = 100")


def test_changes_are_edits_moves_deletions_and_files(wiki: FakeWiki) -> None:
    for title in ("Edited", "Moved", "Deleted", "Same"):
        wiki.put(title, "x")
    wiki.put("File:Plan.txt", "", file=(b"1", "text/plain"))
    first = source_of(wiki)
    before, _ = discovered(first)
    wiki.now += 3_600
    wiki.put("Edited", "y")
    wiki.move("Moved", "Renamed")
    wiki.delete("Deleted")
    wiki.put("File:Plan.txt", "", file=(b"2", "text/plain"))
    wiki.put("New", "z")
    again = source_of(wiki)
    after, gone = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.FEED
    changed = {address for address, each in after.items() if before.get(address) != each}
    assert changed == {f"mediawiki://3/{each}" for each in ("Edited", "Renamed", "File%3APlan.txt", "New")}
    assert gone == {"mediawiki://3/Moved", "mediawiki://3/Deleted"}
    third = source_of(wiki)
    wiki.now += 3_600
    third_found, third_gone = discovered(third, again.next_cursor)
    assert third.discovery is Discovery.FEED
    assert (set(third_found) - set(after), third_gone - gone) == (set(), set())


def test_a_page_that_is_made_again_under_its_title_is_the_same_document(wiki: FakeWiki) -> None:
    wiki.put("Phoenix", "x")
    wiki.put("Other", "x")
    first = source_of(wiki)
    before, _ = discovered(first)
    wiki.delete("Phoenix")
    wiki.put("Phoenix", "y")
    after, gone = discovered(source_of(wiki), first.next_cursor)
    assert not gone
    assert after["mediawiki://3/Phoenix"].validator != before["mediawiki://3/Phoenix"].validator


def test_everything_is_listed_when_the_window_of_changes_was_left(wiki: FakeWiki) -> None:
    wiki.put("One", "x")
    first = source_of(wiki)
    discovered(first)
    wiki.now += 40 * 86_400
    wiki.put("Two", "x")
    del wiki.changes[:-1]
    again = source_of(wiki)
    found, _ = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.LISTING
    assert len(found) == 2


@pytest.mark.parametrize(
    "settings", [{"relist_days": 0}, {"namespaces": ["Main"]}, {"namespace_grants": ["Main=group:a"]}]
)
def test_everything_is_listed_after_some_days_and_for_other_settings(
    wiki: FakeWiki, settings: dict[str, object]
) -> None:
    wiki.put("One", "x")
    first = source_of(wiki)
    discovered(first)
    again = source_of(wiki, **settings)
    discovered(again, first.next_cursor)
    assert again.discovery is Discovery.LISTING


def test_namespaces_with_readers_of_their_own(wiki: FakeWiki) -> None:
    wiki.put("Open", "x")
    wiki.put("Logbook:Secret", "x")
    grants = {"namespace_grants": ["logbook=group:crew", "3000=user:ada"], "denies": ["user:eve"]}
    source, plain = source_of(wiki, **grants), source_of(wiki)
    found, before = discovered(source)[0], discovered(plain)[0]
    got = fetched(source, found["mediawiki://3/Logbook%3ASecret"])
    assert isinstance(got, Content)
    assert got.acl is not None
    assert (got.acl.grants, got.acl.denies) == (("group:crew", "user:ada"), ("user:eve",))
    free = fetched(source, found["mediawiki://3/Open"])
    assert isinstance(free, Content)
    assert free.acl is None
    assert [found[each].validator == before[each].validator for each in sorted(found)] == [False, True]
    assert source.settings.common_acl is None
    assert plain.settings.common_acl is not None


def test_a_login_is_made_once_and_kept(wiki: FakeWiki) -> None:
    wiki.private = True
    wiki.put("One", "x")
    with pytest.raises(Unreachable, match="Set user and password"):
        discovered(source_of(wiki))
    source = source_of(wiki, **LOGIN)
    (found,) = discovered(source)[0].values()
    assert wiki.logins == 1
    assert isinstance(fetched(source, found), Content)
    wiki.sessions.clear()
    assert isinstance(fetched(source, found), Content)
    assert wiki.logins == 3
    assert not any("right" in each.raw_path or "lgpassword" in each.raw_path for each in wiki.asked)


def test_visits_at_once_make_one_login(wiki: FakeWiki) -> None:
    wiki.private = True
    for number in range(6):
        wiki.put(f"P{number}", "x")
    source = source_of(wiki, **LOGIN)
    found = discovered(source)[0].values()

    async def visit() -> list[Content | Outcome]:
        return await asyncio.gather(*(source.fetch(resource_of(each, source), VisitTrace()) for each in found))

    before = wiki.logins
    assert all(isinstance(each, Content) for each in asyncio.run(visit()))
    assert wiki.logins == before + 1
    wiki.sessions.clear()
    assert all(isinstance(each, Content) for each in asyncio.run(visit()))


def test_a_refused_login_is_not_tried_again(wiki: FakeWiki) -> None:
    wiki.private = True
    wiki.put("One", "x")
    wiki.password = "another"
    source = source_of(wiki, **LOGIN)
    with pytest.raises(LoginRefused, match="Special:BotPasswords") as refused:
        discovered(source)
    assert "right" not in str(refused.value)
    found = source.found("One")  # type: ignore[attr-defined]
    before = wiki.logins
    assert [type(fetched(source, found)) for _ in range(3)] == [Failed] * 3
    assert wiki.logins == before + 1


def test_a_busy_wiki_is_waited_for_and_a_visit_put_off(wiki: FakeWiki, pauses: list[float]) -> None:
    wiki.put("One", "x")
    busy = Reply({"error": {"code": "maxlag"}}, headers={"Retry-After": "7", "MediaWiki-API-Error": "maxlag"})
    wiki.interrupt = failing(2, busy)
    source = source_of(wiki)
    (found,) = discovered(source)[0].values()
    assert sum(pauses) == 14.0
    wiki.interrupt = failing(1, busy)
    got = fetched(source, found)
    assert isinstance(got, Deferred)
    assert (got.status, got.wait_s, got.whole_site) == (429, 7.0, True)


def test_a_fault_of_the_server_is_tried_again_and_then_unreachable(wiki: FakeWiki, pauses: list[float]) -> None:
    wiki.put("One", "x")
    wiki.interrupt = failing(2, Reply({}, 502))
    assert len(discovered(source_of(wiki))[0]) == 1
    assert sum(pauses) == 12.0
    wiki.interrupt = failing(99, Reply({}, 502))
    with pytest.raises(Unreachable, match="answered 502"):
        discovered(source_of(wiki))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(body=b'{"query": {"pages": [{"ti'), "no whole JSON"),
        (Reply(body=b"[" * 200_000), "no whole JSON"),
        (Reply(body=b"<html>maintenance"), "no whole JSON"),
        (Reply({"error": {"code": "readapidenied", "info": "no"}}), "does not let it be read"),
        (Reply({}, 403), "does not let it be read"),
        (Reply({}, 404), "answered 404"),
        (Reply({}, 301, {"Location": "https://elsewhere.example/w/api.php"}), "Set url to the one"),
        (Reply({}, 301, {"Location": "/w/api.php"}), "without end"),
    ],
)
def test_what_cannot_be_listed_is_unreachable(wiki: FakeWiki, reply: Reply, words: str) -> None:
    wiki.put("One", "x")
    wiki.interrupt = lambda _: reply
    with pytest.raises(Unreachable, match=words):
        discovered(source_of(wiki))


def test_an_answer_that_does_not_go_on_ends(wiki: FakeWiki) -> None:
    same = {"continue": {"gapcontinue": "A", "continue": "-||"}, "query": {"pages": []}}
    wiki.interrupt = lambda asked: Reply(same) if "generator" in asked.parameters else None
    with pytest.raises(Unreachable, match="does not go on"):
        discovered(source_of(wiki))


def test_members_of_any_type_are_survived(wiki: FakeWiki) -> None:
    wiki.put("One", "x")
    odd = {
        "batchcomplete": True,
        "query": {
            "pages": [
                {"title": ["x"]},
                7,
                {"title": "Odd \ud800", "ns": 0, "lastrevid": "many", "fullurl": "javascript:x"},
            ]
        },
    }
    wiki.interrupt = lambda asked: Reply(odd) if "generator" in asked.parameters else None
    found, _ = discovered(source_of(wiki, namespaces=["0"]))
    assert [each.display for each in found.values()] == [f"{wiki.url}/w/index.php?title=Odd_%3F"]


def test_visits_that_fail(wiki: FakeWiki) -> None:
    wiki.put("One", "x")
    source = source_of(wiki)
    (found,) = discovered(source)[0].values()
    answers: list[tuple[Reply, type[Deferred | Failed], int]] = [
        (Reply({"error": {"code": "permissiondenied"}}), Failed, 403),
        (Reply({"error": {"code": "internal_api_error_DBQueryError"}}), Deferred, 500),
        (Reply({}, 503, {"Retry-After": "5"}), Deferred, 503),
        (Reply({}, 401), Failed, 401),
        (Reply(body=b"{", status=200), Deferred, 1005),
    ]
    for reply, sort, status in answers:
        wiki.interrupt = failing(1, reply)
        got = fetched(source, found)
        assert (type(got), getattr(got, "status", 0)) == (sort, status), reply
    wiki.interrupt = lambda _: None
    wiki.delete("One")
    assert isinstance(fetched(source, found), Gone)
    wiki.put("One", "", redirect="Two")
    assert isinstance(fetched(source, found), Gone)
    wiki.stop()
    away = fetched(source, found)
    assert not isinstance(away, Content | Gone)


def test_a_wiki_that_is_suddenly_empty_is_unreachable(wiki: FakeWiki) -> None:
    wiki.put("One", "x")
    first = source_of(wiki, relist_days=0)
    discovered(first)
    wiki.delete("One")
    with pytest.raises(Unreachable, match="crawl with --force"):
        discovered(source_of(wiki, relist_days=0), first.next_cursor)
    discovered(source_of(wiki, relist_days=0))


def test_the_api_is_found_by_the_link_of_the_wikis_pages(wiki: FakeWiki) -> None:
    wiki.put("One", "x")
    assert len(discovered(api_source("mediawiki", {"url": f"{wiki.url}/wiki/"}))[0]) == 1
    wiki.interrupt = lambda _: Reply(body=b'<link rel="EditURI" href="https://elsewhere.example/api.php">')
    with pytest.raises(Unreachable, match=re.escape("api.php, as Special:Version shows it")):
        discovered(api_source("mediawiki", {"url": f"{wiki.url}/wiki"}))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"url": "ftp://wiki"}, "begins with https"),
        ({"url": "https://ada:pw@wiki.example"}, "login is not written here"),
        ({"user": "Ada@bot"}, "user and password"),
        ({"user": "Ada@bot", "password": "pw"}, "a secret is never written here"),
        ({"namespace_grants": ["HR"]}, "Write it like HR=group:hr"),
        ({"ca": "/nowhere.pem"}, "cannot be read"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, object], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        source_settings("mediawiki", {"url": "https://wiki.example", **settings})
