"""Accepted items are kept; repeats, older versions and broken feeds change nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base.errors import ConflictError, NotFoundError, TooLarge, UsageError
from cormorant.model.acl import ACL
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Gone
from cormorant.model.resource import DiscoveredUrl, Removal
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import PushAnswer
from cormorant.operate.sources import push, sources
from cormorant.plugins import Source
from cormorant.store.journal import items
from cormorant.store.schema import item, item_mark, item_piece
from cormorant.testing.sources import resource_of


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        sources.add(made, "push", "desk", {"max_size_bytes": "1000"})
        yield made


def sent(house: Installation, *said: Mapping[str, object], key: str = "", **more: object) -> PushAnswer:
    return push.accept(house, "desk", json.dumps({"items": said, **more}).encode(), key=key)


def outcomes(answer: PushAnswer) -> list[str]:
    return [each["outcome"] for each in answer["results"]]


def source(house: Installation) -> Source:
    return house.source(sources.named(house, "desk"))


def discovered(house: Installation, cursor: str = "") -> tuple[dict[str, str], set[str], str]:
    """The versions by address, the removed addresses, and the next cursor."""
    made = source(house)
    found = [each for page in made.discover(cursor) for each in page]
    versions = {each.address: each.validator for each in found if isinstance(each, DiscoveredUrl)}
    return versions, {each.address for each in found if isinstance(each, Removal)}, made.next_cursor


def fetched(house: Installation, address: str) -> object:
    made = source(house)
    return asyncio.run(made.fetch(resource_of(DiscoveredUrl(address, "push://1"), made), VisitTrace()))


def test_an_item_is_discovered_and_fetched_as_it_was_said(house: Installation) -> None:
    acl = {"grants": ["group:b", "group:a"], "denies": ["user:eve"]}
    sent(
        house, {"id": "a/b ü", "title": "T", "content": "Öl", "url": "https://desk.example/1", "acl": acl,
                "attributes": {"Severity": 3}, "modified_at": 5, "language": "de"},
    )  # fmt: skip
    versions, _, _ = discovered(house)
    assert list(versions) == ["push://1/a%2Fb%20%C3%BC"]
    got = fetched(house, "push://1/a%2Fb%20%C3%BC")
    assert isinstance(got, Content)
    assert (got.body, got.mime, got.charset, got.title) == ("Öl".encode(), "text/plain", "utf-8", "T")
    assert (got.acl, got.attributes, got.modified_at, got.language) == (
        ACL(("group:a", "group:b"), ("user:eve",)), {"Severity": 3.0}, 5.0, "de",
    )  # fmt: skip
    assert got.validator == versions["push://1/a%2Fb%20%C3%BC"]
    assert isinstance(fetched(house, "push://1/other"), Gone)


def test_a_run_sees_what_changed_since_the_last(house: Installation) -> None:
    sent(house, {"id": "1", "content": "a"}, {"id": "2", "content": "b"})
    before, _, cursor = discovered(house)
    assert discovered(house, cursor)[:2] == ({}, set())
    assert outcomes(sent(house, {"id": "1", "content": "a"}, {"id": "2", "content": "c"})) == ["unchanged", "accepted"]
    changed, _, cursor = discovered(house, cursor)
    assert list(changed) == ["push://1/2"]
    assert changed["push://1/2"] != before["push://1/2"]
    answer = sent(house, {"id": "1", "action": "delete"}, {"id": "9", "action": "delete"})
    assert (outcomes(answer), answer["deleted"]) == (["accepted", "unchanged"], 1)
    assert discovered(house, cursor)[:2] == ({}, {"push://1/1"})
    assert set(discovered(house)[0]) == {"push://1/2"}  # as a forced crawl asks
    assert isinstance(fetched(house, "push://1/1"), Gone)
    sent(house, {"id": "1", "content": "a"})
    assert set(discovered(house)[0]) == {"push://1/1", "push://1/2"}


def test_rights_alone_make_another_version(house: Installation) -> None:
    note = {"name": "n.txt", "content": "x", "encoding": "text"}
    sent(house, {"id": "1", "content": "a", "attachments": [note]})
    before, _, cursor = discovered(house)
    sent(house, {"id": "1", "content": "a", "acl": {"grants": ["user:ada"]}})
    after, _, _ = discovered(house, cursor)
    assert set(after) == {"push://1/1", "push://1/1/~n.txt"}
    assert all(before[each] != version for each, version in after.items())
    attachment = fetched(house, "push://1/1/~n.txt")
    assert isinstance(attachment, Content)
    assert attachment.acl == ACL(("user:ada",))


def test_attachments_stay_are_replaced_and_go_with_their_item(house: Installation) -> None:
    def note(name: str, **more: str) -> dict[str, str]:
        return {"name": name, **more}

    sent(house, {"id": "1", "attachments": [note("a", content="YQ=="), note("b", content="Yg==")]})
    push.upload(house, "desk", "1", "c", (b"c", "application/pdf; x=y"))
    addresses = {"push://1/1", *(f"push://1/1/~{each}" for each in "abc")}
    assert set(discovered(house)[0]) == addresses
    got = fetched(house, "push://1/1/~c")
    assert isinstance(got, Content)
    assert (got.body, got.mime, got.title, got.file_name) == (b"c", "application/pdf", "c", "c")
    assert outcomes(sent(house, {"id": "1"})) == ["unchanged"]
    assert outcomes(sent(house, {"id": "1", "attachments": [note("a"), note("c")]})) == ["accepted"]
    _, gone, cursor = discovered(house)
    assert gone == {"push://1/1/~b"}
    sent(house, {"id": "1", "action": "delete"})
    assert discovered(house, cursor)[1] == {"push://1/1", "push://1/1/~a", "push://1/1/~c"}
    with pytest.raises(NotFoundError):
        push.upload(house, "desk", "1", "d", (b"d", ""))


def test_what_is_too_big_or_wrong_is_refused_and_the_rest_taken(house: Installation) -> None:
    answer = sent(
        house, {"id": "1", "content": "x" * 1001}, {"id": "2", "content": "x" * 1000}, {"id": "3", "url": "ftp://x/"},
        {"id": "4", "attachments": [{"name": "a", "content": "!"}]}, {"id": "5", "encoding": "base64", "content": "a"},
    )  # fmt: skip
    assert outcomes(answer) == ["refused", "accepted", "refused", "refused", "refused"]
    assert "max_size_bytes" in (answer["results"][0]["reason"] or "")
    assert set(discovered(house)[0]) == {"push://1/2"}
    with pytest.raises(TooLarge):
        push.upload(house, "desk", "2", "a", (b"x" * 1001, ""))
    with pytest.raises(TooLarge):
        push.accept(house, "desk", b" " * (push.MOST_BYTES + 1))


def test_the_highest_version_wins_whichever_comes_first(house: Installation) -> None:
    sent(house, {"id": "1", "version": 2, "content": "new"})
    assert outcomes(sent(house, {"id": "1", "version": 1, "content": "old"}, {"id": "2", "version": 1})) == [
        "stale", "accepted",
    ]  # fmt: skip
    with pytest.raises(ConflictError) as stale:
        sent(house, {"id": "1", "version": 1, "content": "old"})
    assert stale.value.more["results"] == [
        {"id": "1", "outcome": "stale", "reason": "Version 2 came before, so version 1 is older."}
    ]
    sent(house, {"id": "1", "version": 3, "action": "delete"}, {"id": "never", "version": 5, "action": "delete"})
    for each, version in (("1", 2), ("never", 4)):
        with pytest.raises(ConflictError):
            sent(house, {"id": each, "version": version, "content": "late"})
    assert set(discovered(house)[0]) == {"push://1/2"}


def test_a_key_gets_its_answer_again(house: Installation) -> None:
    first = sent(house, {"id": "1", "content": "a"}, key="k")
    sent(house, {"id": "1", "content": "b"})
    assert sent(house, {"id": "1", "content": "a"}, key="k") == {**first, "repeated": True}
    got = fetched(house, "push://1/1")
    assert isinstance(got, Content)
    assert got.body == b"b"
    with pytest.raises(ConflictError, match="another batch"):
        sent(house, {"id": "1", "content": "c"}, key="k")


def test_a_repeated_or_older_sequence_changes_nothing(house: Installation) -> None:
    sent(house, {"id": "1", "content": "a"}, feed="f", sequence=1)
    second = sent(house, {"id": "1", "content": "b"}, feed="f", sequence=2)
    assert sent(house, {"id": "1", "content": "x"}, feed="f", sequence=2) == {**second, "repeated": True}
    older = sent(house, {"id": "1", "content": "a"}, feed="f", sequence=1)
    assert (older["repeated"], older["results"]) == (True, [])
    sent(house, {"id": "2", "content": "a"}, feed="other", sequence=1)
    got = fetched(house, "push://1/1")
    assert isinstance(got, Content)
    assert got.body == b"b"


def test_only_the_end_of_a_full_feed_deletes(house: Installation) -> None:
    full = {"mode": "full", "feed": "f1"}
    sent(house, *({"id": str(n), "content": "a"} for n in range(5)))
    sent(house, {"id": "0", "content": "a"}, **full, sequence=1)
    sent(house, {"id": "meanwhile", "content": "a"})
    with pytest.raises(ConflictError) as early:
        sent(house, {"id": "2", "content": "a"}, **full, sequence=3)
    assert early.value.more == {"expected": 2}
    assert len(discovered(house)[0]) == 6
    answer = sent(house, {"id": "1", "content": "b"}, **full, sequence=2, end=True)
    assert (answer["deleted"], answer["ended"]) == (3, True)
    assert set(discovered(house)[0]) == {"push://1/0", "push://1/1", "push://1/meanwhile"}
    assert sent(house, {"id": "1", "content": "b"}, **full, sequence=2, end=True) == {**answer, "repeated": True}
    with pytest.raises(ConflictError, match="has ended"):
        sent(house, {"id": "9"}, **full, sequence=3)


def test_a_full_feed_that_broke_off_gives_way_to_the_next(house: Installation) -> None:
    sent(house, *({"id": str(n), "content": "a"} for n in range(3)))
    sent(house, {"id": "0", "content": "a"}, mode="full", feed="broken")
    answer = sent(house, {"id": "1", "content": "a"}, mode="full", feed="next", end=True)
    assert answer["deleted"] == 2
    with pytest.raises(ConflictError, match="Another full feed"):
        sent(house, {"id": "2", "content": "a"}, mode="full", feed="broken", end=True)
    assert set(discovered(house)[0]) == {"push://1/1"}


def test_only_a_source_for_it_takes_what_is_pushed(house: Installation, tmp_path: Path) -> None:
    sources.add(house, "files", "papers", {"path": str(tmp_path)})
    with pytest.raises(UsageError, match="kind files"):
        push.accept(house, "papers", b'{"items": []}')
    with pytest.raises(NotFoundError):
        push.accept(house, "nothing", b'{"items": []}')


def test_a_body_in_many_pieces_comes_back(house: Installation) -> None:
    sources.edit(house, "desk", {"max_size_bytes": "5MB"})
    whole = bytes(range(256)) * 8 + b"".join(n.to_bytes(4, "big") for n in range(200_000))
    sent(house, {"id": "1"})
    push.upload(house, "desk", "1", "big", (whole, ""))
    with house.store.read() as tx:
        assert tx.execute(item_piece.select()).fetchall()
        assert len(tx.rows(item_piece.select())) > 2
    got = fetched(house, "push://1/1/~big")
    assert isinstance(got, Content)
    assert got.body == whole


def test_a_deleted_source_leaves_no_items(house: Installation) -> None:
    sent(house, {"id": "1", "content": "a"}, key="k")
    sources.delete(house, "desk")
    with house.store.read() as tx:
        assert not any(tx.rows(each.select()) for each in (item, item_piece, item_mark))


def test_a_wait_ends_with_something_new_and_is_told_once(house: Installation) -> None:
    made = source(house)
    assert not made.wait_for_change(0)  # type: ignore[attr-defined] # of this kind
    sent(house, {"id": "1", "content": "a"})
    assert made.wait_for_change(0)  # type: ignore[attr-defined]
    assert not made.wait_for_change(0)  # type: ignore[attr-defined]
    with house.store.read() as tx:
        assert items.head(tx, 1) == 1
    asyncio.run(made.close())
    assert not made.wait_for_change(60)  # type: ignore[attr-defined]
