"""Issues of a fake of GitHub's documented interfaces are named, fetched and followed; failures end as one outcome."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Failed, Gone
from cormorant.plugins import Source, source_settings
from cormorant.sources.json_api import exchange
from cormorant.sources.protocol import Discovery
from cormorant.testing import SourceSuite
from tests.clocks import Hands
from tests.sources.github.fake_github import TOKEN, FakeGitHub
from tests.sources.json_api.api_sources import api_source, discovered, fetched
from tests.sources.json_api.fake_server import Asked, Reply, failing


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    fake = FakeGitHub(per_page=3)
    yield fake
    fake.stop()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Do not wait, but note for how long."""
    waited: list[float] = []
    monkeypatch.setattr(exchange, "pause", waited.append)
    return waited


def source_of(github: FakeGitHub, **settings: object) -> Source:
    place: dict[str, object] = {"repository": ["bay/birds"]} if "organisation" not in settings else {}
    given = {"url": f"{github.url}/api/v3", "token": "secret:github", **place, **settings}
    return api_source("github", given, {"github": TOKEN})


def keys(found: object) -> set[str]:
    assert isinstance(found, dict)
    return {each.removeprefix("github://3/").replace("%2F", "/") for each in found}


class TestSuite(SourceSuite):
    """Suite of sources."""

    @pytest.fixture(autouse=True)
    def github(self) -> Iterator[None]:
        """Run it with a few issues."""
        self.fake = FakeGitHub(per_page=3)
        for number in range(7):
            self.fake.put(f"Issue {number}", "words", pull=number == 3)
        yield
        self.fake.stop()

    def make(self) -> Source:
        """Make a source of it that lists everything each time."""
        return source_of(self.fake, relist_days=0)


def test_issues_of_an_organisation_are_named_over_several_pages(github: FakeGitHub) -> None:
    github.repos["bay/boats"] = type(github.repos["bay/birds"])()
    for number in range(8):
        github.put(f"I{number}", "x", "bay/boats" if number % 2 else "bay/birds", pull=number > 5)
    github.token = TOKEN
    found, _ = discovered(source_of(github, organisation="bay"))
    assert keys(found) == {f"bay/{'boats' if number % 2 else 'birds'}/issues/{number + 1}" for number in range(8)}
    assert len(discovered(source_of(github, organisation="bay", pull_requests=False))[0]) == 6
    assert found["github://3/bay%2Fboats%2Fissues%2F8"].display == "https://github.test/bay/boats/pull/8"
    assert not any(TOKEN in each.raw_path for each in github.asked)


def test_an_issue_is_one_page_with_everything_said_about_it(github: FakeGitHub) -> None:
    issue = github.put("Nest boxes", "Where are the boxes?")
    for number in range(7):
        github.comment(issue, f"remark {number}", "grace" if number else None)
    source = source_of(github)
    (found,) = discovered(source)[0].values()
    got = fetched(source, found)
    assert isinstance(got, Content)
    text = got.body.decode()
    assert "Where are the boxes?" in text
    assert [text.index(f"remark {number}") for number in range(7)] == sorted(
        text.index(f"remark {n}") for n in range(7)
    )
    assert "<h2>ghost, " in text
    assert got.title == "Nest boxes"
    assert got.attributes == {
        "Author": "ada", "Keywords": ["bug", "sea"], "State": "open", "Assignee": ["grace"], "Milestone": "Spring",
        "Repository": "bay/birds", "Type": "issue", "Number": 1.0, "created_at": 1767225600.0,
        "Participants": ["grace"],
    }  # fmt: skip
    assert got.modified_at == issue.updated


def test_a_pull_request_has_its_reviews(github: FakeGitHub) -> None:
    pull = github.put("Paint the hide", "Green", pull=True)
    pull.author = None
    pull.reviews = [{"user": None, "body_html": "<p>No, grey</p>", "state": "CHANGES_REQUESTED",
                     "submitted_at": "2026-01-02T00:00:00Z"}]  # fmt: skip
    source = source_of(github)
    (found,) = discovered(source)[0].values()
    got = fetched(source, found)
    assert isinstance(got, Content)
    assert b"No, grey" in got.body
    assert b"(changes requested)" in got.body
    assert (got.attributes["Type"], got.attributes["Author"]) == ("pull request", "ghost")
    plain = fetched(source_of(github, reviews=False), found)
    assert isinstance(plain, Content)
    assert b"No, grey" not in plain.body


def test_changes_are_named_and_a_deletion_has_everything_listed(github: FakeGitHub) -> None:
    for number in range(5):
        github.put(f"I{number}", "x")
    first = source_of(github)
    before, _ = discovered(first)
    github.put("I1", "y")
    github.put("New", "z")
    again = source_of(github)
    after, gone = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.FEED
    changed = {address for address, each in after.items() if before.get(address) != each}
    assert keys(dict.fromkeys(changed)) == {"bay/birds/issues/2", "bay/birds/issues/6"}
    assert not gone
    third = source_of(github)
    discovered(third, again.next_cursor)
    assert third.discovery is Discovery.FEED
    github.remove("I3")
    fourth = source_of(github)
    found, _ = discovered(fourth, third.next_cursor)
    assert fourth.discovery is Discovery.LISTING
    assert keys(found) == {f"bay/birds/issues/{number}" for number in (1, 2, 3, 5, 6)}


def test_an_unchanged_repository_costs_one_counted_request_and_one_that_is_free(github: FakeGitHub) -> None:
    github.put("One", "x")
    cursor = ""
    for _ in range(3):
        source = source_of(github)
        discovered(source, cursor)
        cursor = source.next_cursor
    github.asked.clear()
    discovered(source_of(github), cursor)
    assert [each.path.rpartition("/")[2] for each in github.asked] == ["birds", "issues", "issues"]
    assert "if-none-match" in github.asked[2].headers


def test_where_github_counts_no_pages_changes_are_followed_all_the_same(github: FakeGitHub) -> None:
    github.counts = False
    for number in range(5):
        github.put(f"I{number}", "x")
    first = source_of(github)
    discovered(first)
    github.put("New", "z")
    again = source_of(github)
    found, _ = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.FEED
    assert "bay/birds/issues/6" in keys(found)
    relisting = source_of(github, relist_days=0)
    discovered(relisting, again.next_cursor)
    assert relisting.discovery is Discovery.LISTING


def test_closed_issues_can_be_left_out(github: FakeGitHub) -> None:
    github.put("Open", "x")
    shut = github.put("Shut", "x")
    first = source_of(github, closed=False)
    assert len(discovered(first)[0]) == 2
    github.now += 1
    shut.state, shut.updated = "closed", github.now
    _, gone = discovered(source_of(github, closed=False), first.next_cursor)
    assert gone == {"github://3/bay%2Fbirds%2Fissues%2F2"}


def test_discussions_are_read_with_their_answers(github: FakeGitHub) -> None:
    for number in range(5):
        github.put(f"D{number}", f"<p>idea {number}</p>", discussion=True)
    talk = github.put("D0", "<p>idea zero</p>", discussion=True)
    github.comment(talk, "an answer")
    first = source_of(github, discussions=True)
    found, _ = discovered(first)
    assert len(found) == 5
    got = fetched(first, found["github://3/bay%2Fbirds%2Fdiscussions%2F1"])
    assert isinstance(got, Content)
    for words in (b"idea zero", b"an answer", b"(answer)", b"thanks", b"(reply)"):
        assert words in got.body
    assert (got.attributes["Category"], got.attributes["Participants"]) == ("Ideas", ["eve"])
    github.put("D3", "<p>changed</p>", discussion=True)
    again = source_of(github, discussions=True)
    after, _ = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.FEED
    assert after["github://3/bay%2Fbirds%2Fdiscussions%2F4"] != found["github://3/bay%2Fbirds%2Fdiscussions%2F4"]
    del github.repos["bay/birds"].discussions[2]
    last = source_of(github, discussions=True)
    assert len(discovered(last, again.next_cursor)[0]) == 4
    assert last.discovery is Discovery.LISTING


def test_releases_are_read_when_asked(github: FakeGitHub) -> None:
    for number in range(1, 8):
        github.release(number, f"adds species {number}")
    github.release(9, "not yet", draft=True)
    assert discovered(source_of(github))[0] == {}
    first = source_of(github, releases=True)
    before, _ = discovered(first)
    assert keys(before) == {f"bay/birds/releases/{number}" for number in range(1, 8)}
    found = before[next(each for each in before if each.endswith("3"))]
    assert found.display == "https://github.test/bay/birds/releases/tag/v3"
    got = fetched(first, found)
    assert isinstance(got, Content)
    assert got.title == "Version 3"
    assert b"adds species 3" in got.body
    assert b"birds.tar.gz" in got.body
    assert (got.attributes["Tag"], got.attributes["Type"], got.attributes["State"]) == ("v3", "release", "released")
    github.release(3, "adds more")
    github.release(4, "adds species 4", assets=[])
    del github.repos["bay/birds"].releases[5]
    again = source_of(github, releases=True)
    after, gone = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.FEED
    assert keys({each: None for each in after if after[each] != before[each]}) == {
        "bay/birds/releases/3",
        "bay/birds/releases/4",
    }
    assert keys(dict.fromkeys(gone)) == {"bay/birds/releases/5"}
    github.release(4, "", draft=True)
    assert isinstance(fetched(again, found._replace(address=found.address[:-1] + "4")), Gone)
    assert isinstance(fetched(again, found._replace(address=found.address[:-1] + "5")), Gone)


def test_a_release_that_disappears_while_they_are_listed_hides_no_other(github: FakeGitHub) -> None:
    github.per_page = 3
    for number in range(1, 9):
        github.release(number, "x")
    left = [8]

    def disappear(asked: Asked) -> Reply | None:
        if left and asked.parameters.get("page") == "2":
            del github.repos["bay/birds"].releases[left.pop()]
        return None

    github.interrupt = disappear
    assert keys(discovered(source_of(github, releases=True))[0]) == {
        f"bay/birds/releases/{number}" for number in range(1, 8)
    }


def test_private_repositories_are_for_their_group_when_asked(github: FakeGitHub) -> None:
    github.put("One", "x")
    source = source_of(github, repository_grants=True, denies=["user:eve"])
    (public,) = discovered(source)[0].values()
    github.repos["bay/birds"].private = True
    again = source_of(github, repository_grants=True, denies=["user:eve"])
    (private,) = discovered(again, source.next_cursor)[0].values()
    assert again.discovery is Discovery.LISTING
    assert private.validator != public.validator
    got = fetched(again, private)
    assert isinstance(got, Content)
    assert got.acl is not None
    assert (got.acl.grants, got.acl.denies) == (("group:bay/birds",), ("user:eve",))
    unasked = fetched(source_of(github), private)
    assert isinstance(unasked, Content)
    assert unasked.acl is None


def test_a_refused_token_and_a_missing_repository(github: FakeGitHub) -> None:
    github.token = "another"
    with pytest.raises(LoginRefused, match="token is refused") as refused:
        discovered(source_of(github))
    assert TOKEN not in str(refused.value)
    github.token = TOKEN
    with pytest.raises(Unreachable, match="no repository bay/fish, or the token may not read it"):
        discovered(source_of(github, repository=["bay/birds", "bay/fish"]))


def test_limits_of_rate_are_waited_for_and_visits_put_off(github: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    github.put("One", "x")
    clock = Hands()
    github.reset, github.remaining = clock.now() + 90, 0

    def refill(seconds: float) -> None:
        pauses.append(seconds)
        if sum(pauses) >= 90:
            github.remaining = 100

    monkeypatch.setattr(exchange, "pause", refill)
    settings = {"url": f"{github.url}/api/v3", "repository": ["bay/birds"], "token": "secret:github"}
    source = api_source("github", settings, {"github": TOKEN}, clock)
    (found,) = discovered(source)[0].values()
    assert 89 <= sum(pauses) <= 91
    github.remaining = 0
    got = fetched(source, found)
    assert isinstance(got, Deferred)
    assert (got.status, got.whole_site) == (429, True)
    assert got.wait_s is not None
    assert 88 <= got.wait_s <= 91
    github.remaining = 9
    github.interrupt = failing(1, Reply({"message": "You have exceeded a secondary rate limit."}, 403))
    got = fetched(source, found)
    assert isinstance(got, Deferred)
    assert got.wait_s == 60.0


def test_an_issue_that_is_gone_or_transferred_is_gone_and_one_that_is_hidden_is_not(github: FakeGitHub) -> None:
    github.put("One", "x")
    github.put("Two", "x")
    source = source_of(github)
    found, _ = discovered(source)
    github.remove("One")
    assert isinstance(fetched(source, found["github://3/bay%2Fbirds%2Fissues%2F1"]), Gone)
    github.repos["bay/boats"] = type(github.repos["bay/birds"])()
    issue = github.repos["bay/birds"].issues.pop(2)
    github.repos["bay/boats"].issues[2] = issue
    github.repos["bay/birds"].moved[2] = "bay/boats"
    assert isinstance(fetched(source, found["github://3/bay%2Fbirds%2Fissues%2F2"]), Gone)
    github.repos.clear()
    hidden = fetched(source, found["github://3/bay%2Fbirds%2Fissues%2F1"])
    assert isinstance(hidden, Deferred)
    assert hidden.status == 403


@pytest.mark.parametrize(
    ("reply", "sort", "status"),
    [
        (Reply({}, 500), Deferred, 500),
        (Reply({}, 403), Failed, 403),
        (Reply(body=b'{"number": 1, "ti'), Deferred, 1005),
        (Reply({}, 301, {"Location": "https://elsewhere.example/x"}), Failed, 1003),
    ],
)
def test_visits_that_fail(github: FakeGitHub, reply: Reply, sort: type[Deferred | Failed], status: int) -> None:
    github.put("One", "x")
    source = source_of(github)
    (found,) = discovered(source)[0].values()
    github.interrupt = failing(1, reply)
    got = fetched(source, found)
    assert (type(got), getattr(got, "status", 0)) == (sort, status)


def at_issues(reply: Reply, asked: Asked) -> Reply | None:
    return reply if asked.path.endswith("issues") else None


def test_an_answer_of_another_shape_is_unreachable(github: FakeGitHub, pauses: list[float]) -> None:
    for reply in (Reply({"message": "hello"}), Reply(body=b"[{"), Reply([{"number": 1}], cut=True)):
        github.interrupt = partial(at_issues, reply)
        with pytest.raises(Unreachable):
            discovered(source_of(github))
    assert pauses


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "Name what to read"),
        ({"repository": ["birds"]}, "Write it like owner/name"),
        ({"repository": ["../.."]}, "Write it like owner/name"),
        ({"organisation": "a/b"}, "write its name alone"),
        ({"organisation": "bay", "discussions": True}, "with a token only"),
        ({"organisation": "bay", "token": "ghp_x"}, "a secret is never written here"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, object], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        source_settings("github", settings)


def test_an_address_of_a_repository_is_taken_for_it() -> None:
    settings = source_settings("github", {"repository": ["https://github.com/bay/birds.git"]})
    assert settings.model_dump()["repository"] == ("bay/birds",)
