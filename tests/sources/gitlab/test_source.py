"""Records of a fake of GitLab's documented interface are named, fetched and followed; failures end as one outcome."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Failed, Gone
from cormorant.plugins import Source, source_settings
from cormorant.sources.gitlab import records
from cormorant.sources.json_api import exchange
from cormorant.sources.protocol import Discovery
from cormorant.testing import SourceSuite
from tests.sources.gitlab.fake_gitlab import TOKEN, FakeGitLab, FakeProject, Snippet
from tests.sources.json_api.api_sources import api_source, discovered, fetched
from tests.sources.json_api.fake_server import Asked, Reply, failing


@pytest.fixture
def gitlab() -> Iterator[FakeGitLab]:
    fake = FakeGitLab(per_page=3)
    yield fake
    fake.stop()


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Do not wait, but note for how long."""
    waited: list[float] = []
    monkeypatch.setattr(exchange, "pause", waited.append)
    return waited


def source_of(gitlab: FakeGitLab, **settings: object) -> Source:
    place: dict[str, object] = {} if "group" in settings else {"project": ["bay/birds"]}
    return api_source("gitlab", {"url": gitlab.url, "token": "secret:gitlab", **place, **settings}, {"gitlab": TOKEN})


def keys(found: object) -> set[str]:
    assert isinstance(found, dict)
    return {each.removeprefix("gitlab://3/").replace("%2F", "/").removeprefix("bay/birds/-/") for each in found}


def address(key: str) -> str:
    return "gitlab://3/" + f"bay/birds/-/{key}".replace("/", "%2F")


class TestSuite(SourceSuite):
    """Suite of sources."""

    @pytest.fixture(autouse=True)
    def gitlab(self) -> Iterator[None]:
        """Run it with a few records."""
        self.fake = FakeGitLab(per_page=3)
        for number in range(7):
            self.fake.put(f"Record {number}", "words", "merge_requests" if number == 3 else "issues")
        self.fake.birds.wikis = {"home": "Welcome", "a/deep page?": "x", "..": "y"}
        yield
        self.fake.stop()

    def make(self) -> Source:
        """Make a source of it that lists everything each time."""
        return source_of(self.fake, relist_days=0)


def test_records_of_a_group_are_named_over_several_pages(gitlab: FakeGitLab) -> None:
    gitlab.token = TOKEN
    for number in range(8):
        gitlab.put(f"I{number}", "x", "merge_requests" if number > 5 else "issues")
    gitlab.projects.append(FakeProject(9, "bay/deep/boats", wikis={"home": "x"}))
    gitlab.birds.wikis = {"home": "x"}
    found, _ = discovered(source_of(gitlab, group="bay"))
    assert keys(found) == {
        *(f"issues/{number}" for number in range(1, 7)), "merge_requests/7", "merge_requests/8", "wikis/home",
        "bay/deep/boats/-/wikis/home",
    }  # fmt: skip
    assert found[address("issues/2")].display == "https://gitlab.test/bay/birds/-/issues/2"
    assert keys(discovered(source_of(gitlab, issues=False, wiki=False))[0]) == {"merge_requests/7", "merge_requests/8"}
    assert not any(TOKEN in each.raw_path for each in gitlab.asked)


def test_records_that_were_made_at_one_moment_are_all_named(gitlab: FakeGitLab) -> None:
    for number in range(11):
        gitlab.put(f"I{number}", "x").created = 1_795_000_000.0 + (number > 9)
    gitlab.counts = False
    assert len(discovered(source_of(gitlab))[0]) == 11


def test_pages_are_followed_where_the_server_goes_by_another_name(gitlab: FakeGitLab) -> None:
    gitlab.outer = "https://gitlab.inside.example"
    for number in range(7):
        gitlab.put(f"I{number}", "x")
    assert len(discovered(source_of(gitlab))[0]) == 7


def test_an_issue_is_one_text_with_its_notes(gitlab: FakeGitLab) -> None:
    issue = gitlab.put("Nest boxes", "Where? See [plan](/uploads/0123456789abcdef/plan.pdf).")
    for number in range(7):
        gitlab.note(issue, f"remark {number}")
    gitlab.note(issue, "assigned to Grace", system=True)
    gitlab.note(issue, "between us", internal=True)
    gitlab.note(issue, "from nobody", author=None)
    source = source_of(gitlab)
    (found,) = discovered(source)[0].values()
    got = fetched(source, found)
    assert isinstance(got, Content)
    text = got.body.decode()
    assert (got.mime, got.title, got.acl) == ("text/markdown", "Nest boxes", None)
    assert text.startswith("# Nest boxes\n\n- Project: bay/birds\n- Number: #1 (issue)\n")
    assert "[plan](https://gitlab.test/bay/birds/uploads/0123456789abcdef/plan.pdf)" in text
    assert [text.index(f"remark {number}") for number in range(7)] == sorted(
        text.index(f"remark {n}") for n in range(7)
    )
    assert "## ghost, " in text
    assert "assigned" not in text
    assert "between us" not in text
    assert got.attributes == {
        "Author": "Ada", "Keywords": ["sea", "urgent"], "State": "opened", "Assignee": ["Grace"],
        "Milestone": "Spring", "Project": "bay/birds", "Type": "issue", "Number": 1.0, "created_at": issue.created,
        "due_at": 1777593600.0, "Participants": ["Grace"],
    }  # fmt: skip


def test_confidential_issues_are_for_members_or_left_out(gitlab: FakeGitLab) -> None:
    secret = gitlab.put("Secret", "x")
    first = source_of(gitlab, denies=["user:eve"])
    (open_one,) = discovered(first)[0].values()
    gitlab.now += 1
    secret.confidential, secret.updated = True, gitlab.now
    gitlab.note(secret, "between us", internal=True)
    again = source_of(gitlab, denies=["user:eve"])
    (closed_one,) = discovered(again, first.next_cursor)[0].values()
    assert again.discovery is Discovery.FEED
    assert closed_one.validator != open_one.validator
    got = fetched(again, closed_one)
    assert isinstance(got, Content)
    assert got.acl is not None
    assert (got.acl.grants, got.acl.denies) == (("group:bay/birds-members",), ("user:eve",))
    assert b"between us" in got.body
    skipping = source_of(gitlab, confidential="skip")
    found, gone = discovered(skipping)
    assert (found, gone) == ({}, {closed_one.address})
    assert isinstance(fetched(skipping, closed_one), Gone)


@pytest.mark.parametrize(
    ("visibility", "levels", "closed"),
    [
        ("public", {}, (False, False)),
        ("public", {"issues_access_level": "private"}, (True, False)),
        ("public", {"wiki_access_level": "private"}, (False, True)),
        ("internal", {}, (True, True)),
        ("private", {}, (True, True)),
    ],
)
def test_documents_that_not_everybody_may_read_are_for_members_when_asked(
    gitlab: FakeGitLab, visibility: str, levels: dict[str, str], closed: tuple[bool, bool]
) -> None:
    gitlab.put("One", "x")
    gitlab.birds.wikis = {"home": "x"}
    gitlab.birds.visibility, gitlab.birds.levels = visibility, levels
    source = source_of(gitlab, project_grants=True)
    found, _ = discovered(source)
    got = [fetched(source, found[address(key)]) for key in ("issues/1", "wikis/home")]
    assert tuple(isinstance(each, Content) and each.acl is not None for each in got) == closed
    unasked = fetched(source_of(gitlab), found[address("issues/1")])
    assert isinstance(unasked, Content)
    assert unasked.acl is None


def test_a_project_that_is_closed_has_its_documents_read_again(gitlab: FakeGitLab) -> None:
    gitlab.put("One", "x")
    first = source_of(gitlab, project_grants=True)
    before, _ = discovered(first)
    gitlab.birds.visibility = "private"
    again = source_of(gitlab, project_grants=True)
    after, _ = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.LISTING
    assert after[address("issues/1")].validator != before[address("issues/1")].validator


@pytest.mark.parametrize("zone", ["Z", "+00:00"])
def test_changes_are_named_and_a_deletion_has_everything_listed(gitlab: FakeGitLab, zone: str) -> None:
    gitlab.zone = zone
    for number in range(5):
        gitlab.put(f"I{number}", "x")
    gitlab.birds.wikis = {"home": "x", "old": "x"}
    first = source_of(gitlab)
    before, _ = discovered(first)
    gitlab.put("I1", "y")
    gitlab.put("New", "z")
    gitlab.birds.wikis = {"home": "y", "new": "x"}
    again = source_of(gitlab)
    after, gone = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.FEED
    changed = {each: None for each, entry in after.items() if before.get(each) != entry}
    assert keys(changed) == {"issues/2", "issues/6", "wikis/home", "wikis/new"}
    assert keys(dict.fromkeys(gone)) == {"wikis/old"}
    gitlab.remove("I3")
    last = source_of(gitlab)
    found, _ = discovered(last, again.next_cursor)
    assert last.discovery is Discovery.LISTING
    assert keys(found) == {"issues/1", "issues/2", "issues/3", "issues/5", "issues/6", "wikis/home", "wikis/new"}


def test_a_record_that_disappears_while_they_are_listed_is_noticed(gitlab: FakeGitLab) -> None:
    for number in range(9):
        gitlab.put(f"I{number}", "x")
    left = [f"I{number}" for number in range(3)]

    def disappear(asked: Asked) -> Reply | None:
        if left and asked.parameters.get("sort") == "asc" and asked.path.endswith("/issues"):
            gitlab.remove(left.pop())
        return None

    gitlab.interrupt = disappear
    assert keys(discovered(source_of(gitlab))[0]) >= {f"issues/{number}" for number in range(4, 10)}
    assert sum(asked.parameters.get("per_page") == "1" for asked in gitlab.asked) > 2, "it was listed once more"


def test_a_wiki_page_is_read_as_it_is_rendered_and_a_large_wiki_without_versions(
    gitlab: FakeGitLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    gitlab.birds.wikis = {"home": "Welcome", "birds/gannet": "white", "x": "y" * 3_000}
    source = source_of(gitlab)
    found, _ = discovered(source)
    got = fetched(source, found[address("wikis/birds/gannet")])
    assert isinstance(got, Content)
    assert (got.mime, got.title) == ("text/html", "Birds/Gannet")
    assert b"<p>white</p>" in got.body
    assert found[address("wikis/birds/gannet")].display == "https://gitlab.test/bay/birds/-/wikis/birds/gannet"
    assert all(each.validator for each in found.values())
    monkeypatch.setattr("cormorant.sources.json_api.client.ANSWER_BYTES", 2_000)
    assert {each.validator for each in discovered(source_of(gitlab))[0].values()} == {""}
    monkeypatch.setattr("cormorant.sources.json_api.key_mark.MOST_KEYS", 1)
    many = source_of(gitlab)
    discovered(many)
    del gitlab.birds.wikis["home"]
    again = source_of(gitlab)
    assert len(discovered(again, many.next_cursor)[0]) == 2
    assert again.discovery is Discovery.LISTING


def test_a_snippet_is_one_text_with_its_files_and_notes(gitlab: FakeGitLab) -> None:
    note = {"body": "handy", "author": {"name": "Grace"}, "created_at": "2026-05-01T00:00:00Z", "system": False}
    files = {"a b.md": b"# Gannets\n```\nx\n```", "src/raw/count.py": b"print('fulmar')", "map.bin": b"\0\1"}
    gitlab.birds.snippets[4] = Snippet(4, "Counting", files, 1_795_000_100.0, notes=[note])
    source = source_of(gitlab, snippets=True)
    found, _ = discovered(source)
    got = fetched(source, found[address("snippets/4")])
    assert isinstance(got, Content)
    assert (got.title, got.mime, got.acl) == ("Counting", "text/markdown", None)
    text = got.body.decode()
    assert "## src/raw/count.py\n\n```\nprint('fulmar')\n```" in text
    assert "## a b.md\n\n````\n# Gannets\n```\nx\n```\n````" in text
    assert "## map.bin\n\n```\n(This file is no text.)\n```" in text
    assert "## Grace, 2026-05-01 00:00\n\nhandy" in text
    assert (got.attributes["Type"], got.attributes["Author"]) == ("snippet", "Ada")
    assert found[address("snippets/4")].display == "https://gitlab.test/bay/birds/-/snippets/4"
    assert isinstance(fetched(source, found[address("snippets/4")]._replace(address=address("snippets/5"))), Gone)


def test_snippets_are_listed_at_each_crawl(gitlab: FakeGitLab) -> None:
    gitlab.birds.snippets = {each: Snippet(each, f"S{each}", {"a": b"x"}, 1_795_000_000.0) for each in range(1, 9)}
    first = source_of(gitlab, snippets=True)
    before, _ = discovered(first)
    assert keys(before) == {f"snippets/{each}" for each in range(1, 9)}
    gitlab.birds.snippets[2].updated += 1
    gitlab.birds.snippets[3].visibility = "private"
    del gitlab.birds.snippets[8]
    again = source_of(gitlab, snippets=True)
    after, gone = discovered(again, first.next_cursor)
    assert again.discovery is Discovery.FEED
    assert keys({each: None for each in after if after[each] != before[each]}) == {"snippets/2", "snippets/3"}
    assert keys(dict.fromkeys(gone)) == {"snippets/8"}
    skipping = source_of(gitlab, confidential="skip", snippets=True)
    assert address("snippets/3") not in discovered(skipping)[0]
    assert isinstance(fetched(skipping, before[address("snippets/3")]), Gone)
    members = fetched(again, after[address("snippets/3")])
    assert isinstance(members, Content)
    assert members.acl is not None
    assert members.acl.grants == ("group:bay/birds-members",)
    assert discovered(source_of(gitlab))[0] == {}, "they are read when that is asked for"
    assert discovered(source_of(gitlab, token="", snippets=True))[0] == {}, (
        "GitLab names them to those who have logged in"
    )


def test_a_missing_file_of_a_snippet_leaves_the_others(gitlab: FakeGitLab) -> None:
    gitlab.birds.snippets[4] = Snippet(4, "Two", {"a": b"auk", "b": b"bittern"}, 1_795_000_000.0)
    source = source_of(gitlab, snippets=True)
    found, _ = discovered(source)
    gitlab.interrupt = lambda asked: (
        Reply({"message": "404 File Not Found"}, 404) if asked.raw_path.endswith("/files/main/a/raw") else None
    )
    got = fetched(source, found[address("snippets/4")])
    assert isinstance(got, Content)
    assert "bittern" in got.body.decode()
    assert "auk" not in got.body.decode()
    del gitlab.birds.snippets[4]
    assert isinstance(fetched(source, found[address("snippets/4")]), Gone)


@pytest.mark.parametrize(
    ("visibility", "project_grants", "is_for_members"),
    [
        ("public", True, False), ("internal", True, True), ("internal", False, False), ("private", False, True),
        ("", False, True), ("of tomorrow", True, True),
    ],
)  # fmt: skip
def test_readers_of_a_snippet_of_a_public_project(
    gitlab: FakeGitLab, visibility: str, project_grants: bool, is_for_members: bool
) -> None:
    gitlab.birds.snippets[4] = Snippet(4, "Keys", {"a": b"x"}, 1_795_000_000.0, visibility)
    source = source_of(gitlab, project_grants=project_grants, snippets=True)
    got = fetched(source, discovered(source)[0][address("snippets/4")])
    assert isinstance(got, Content)
    assert (got.acl.grants if got.acl else None) == (("group:bay/birds-members",) if is_for_members else None)


def test_a_snippet_has_other_readers_when_its_visibility_changes(gitlab: FakeGitLab) -> None:
    gitlab.birds.snippets[4] = Snippet(4, "Keys", {"a": b"x"}, 1_795_000_000.0)
    before, _ = discovered(source_of(gitlab, project_grants=True, snippets=True))
    gitlab.birds.snippets[4].visibility = "internal"
    after, _ = discovered(source_of(gitlab, project_grants=True, snippets=True))
    assert before[address("snippets/4")] != after[address("snippets/4")]


def test_a_snippet_that_disappears_while_they_are_listed_is_noticed(gitlab: FakeGitLab) -> None:
    gitlab.birds.snippets = {each: Snippet(each, f"S{each}", {"a": b"x"}, 1_795_000_000.0) for each in range(1, 9)}
    left = [1]

    def disappear(asked: Asked) -> Reply | None:
        if left and asked.parameters.get("page") == "2":
            del gitlab.birds.snippets[left.pop()]
        return None

    gitlab.interrupt = disappear
    assert keys(discovered(source_of(gitlab, snippets=True))[0]) == {f"snippets/{each}" for each in range(2, 9)}


def test_a_refused_token_and_a_missing_project(gitlab: FakeGitLab) -> None:
    gitlab.token = "another"
    with pytest.raises(LoginRefused, match="token is refused") as refused:
        discovered(source_of(gitlab))
    assert TOKEN not in str(refused.value)
    gitlab.token = TOKEN
    with pytest.raises(Unreachable, match="no project bay/fish, or the token may not read it"):
        discovered(source_of(gitlab, project=["bay/birds", "bay/fish"]))


def test_limits_of_rate_are_waited_for_and_visits_put_off(gitlab: FakeGitLab, pauses: list[float]) -> None:
    gitlab.put("One", "x")
    limited = Reply({}, 429, {"Retry-After": "31"})
    gitlab.interrupt = failing(1, limited)
    source = source_of(gitlab)
    (found,) = discovered(source)[0].values()
    assert sum(pauses) == 31.0
    gitlab.interrupt = failing(1, limited)
    got = fetched(source, found)
    assert isinstance(got, Deferred)
    assert (got.status, got.wait_s, got.whole_site) == (429, 31.0, True)


def test_a_record_that_is_gone_is_gone_and_one_that_is_hidden_is_not(gitlab: FakeGitLab) -> None:
    gitlab.put("One", "x")
    source = source_of(gitlab)
    (found,) = discovered(source)[0].values()
    gitlab.remove("One")
    assert isinstance(fetched(source, found), Gone)
    gitlab.projects.clear()
    hidden = fetched(source, found)
    assert isinstance(hidden, Deferred)
    assert hidden.status == 403


@pytest.mark.parametrize(
    ("reply", "sort", "status"),
    [
        (Reply({}, 502), Deferred, 502),
        (Reply({}, 403), Failed, 403),
        (Reply({}, 401), Failed, 401),
        (Reply(body=b'{"iid": 1, "ti'), Deferred, 1005),
        (Reply({}, 301, {"Location": "https://elsewhere.example/x"}), Failed, 1003),
    ],
)
def test_visits_that_fail(gitlab: FakeGitLab, reply: Reply, sort: type[Deferred | Failed], status: int) -> None:
    gitlab.put("One", "x")
    source = source_of(gitlab)
    (found,) = discovered(source)[0].values()
    gitlab.interrupt = failing(1, reply)
    got = fetched(source, found)
    assert (type(got), getattr(got, "status", 0)) == (sort, status)


def at_issues(reply: Reply, asked: Asked) -> Reply | None:
    return reply if asked.path.endswith("issues") else None


def test_an_answer_of_another_shape_is_unreachable(gitlab: FakeGitLab) -> None:
    for reply in (Reply({"message": "hello"}), Reply(body=b"[{"), Reply([{"iid": 1}], cut=True)):
        gitlab.interrupt = partial(at_issues, reply)
        with pytest.raises(Unreachable):
            discovered(source_of(gitlab))


def test_a_listing_that_does_not_go_on_ends(gitlab: FakeGitLab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_MOST_TIES", 5)
    same = Reply([{"iid": 1, "id": 1}], headers={"Link": f'<{gitlab.url}/x?page=2>; rel="next"'})
    gitlab.interrupt = lambda asked: same if asked.parameters.get("sort") == "asc" else None
    with pytest.raises(Unreachable, match="does not go on"):
        discovered(source_of(gitlab))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "Name what to read"),
        ({"project": ["birds"]}, "Write it like group/project"),
        ({"project": ["bay/../x"]}, "Write it like group/project"),
        ({"group": "bay", "issues": False, "merge_requests": False, "wiki": False}, "Nothing is left"),
        ({"group": "bay", "token": "glpat-x"}, "a secret is never written here"),
        ({"group": "bay", "confidential": "show"}, "confidential"),
    ],
)
def test_settings_that_cannot_be(settings: dict[str, object], words: str) -> None:
    with pytest.raises(BadSetting, match=words):
        source_settings("gitlab", settings)


def test_addresses_are_taken_for_the_paths_in_them() -> None:
    given = {
        "url": "https://git.example/api/v4/", "project": ["https://git.example/bay/birds/-/issues", "17"],
        "group": "https://git.example/groups/bay",
    }  # fmt: skip
    settings = source_settings("gitlab", given).model_dump()
    assert (settings["url"], settings["project"], settings["group"]) == (
        "https://git.example",
        ("bay/birds", "17"),
        "bay",
    )
