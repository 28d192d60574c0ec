"""`cormorant search`: orders, days, groups and counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cormorant.cli.find.search import By, SortOptions
from cormorant.search.reader import GroupBy, Sort
from tests.cli.conftest import World

EVERYTHING = ("search", "*", "--all", "--limit", "100")


def titles(world: World, *words: str) -> list[str]:
    return [each["title"] for each in world.home.fine(*EVERYTHING, *words, "--json").objects]


def test_orders_and_groups_are_those_there_are() -> None:
    assert [each.value for each in SortOptions] == [each.value for each in Sort]
    assert [each.value for each in By] == [each.value for each in GroupBy]


def test_sorted_by_title_and_by_date(world: World) -> None:
    found = titles(world, "--sort", "title")
    assert found == sorted(found, key=str.lower)
    assert len(found) == 5
    newest = [each["modified_at"] for each in world.home.fine(*EVERYTHING, "--sort", "newest", "--json").objects]
    oldest = [each["modified_at"] for each in world.home.fine(*EVERYTHING, "--sort", "oldest", "--json").objects]
    dated = [each for each in newest if each]
    assert dated == sorted(dated, reverse=True) == [each for each in oldest if each][::-1]
    assert dated


def test_what_was_probably_meant(world: World) -> None:
    none = world.home.fine("search", "quixotik", "--as-typed").err.splitlines()
    assert none == ["Nothing found for 'quixotik'. Did you mean 'quixotic'?"]
    shown = world.home.fine("search", "quixotik")
    assert shown.err.splitlines() == [
        "Showing results for 'quixotic', because nothing was found for 'quixotik'; --as-typed searches as typed.",
        "1 result.",
    ]
    assert shown.out == world.home.fine("search", "quixotic").out
    lines = world.home.fine("search", "quixotik", "--json")
    assert [json.loads(line)["answered"] for line in lines.out.splitlines()] == ["quixotic"]
    assert [json.loads(line)["note"] for line in lines.err.splitlines()] == shown.err.splitlines()[:1]
    assert "answered" not in world.home.fine("search", "quixotic", "--json").out
    some = world.home.fine("search", "quixotik", "harbour").err.splitlines()
    assert some[0] == "Did you mean 'quixotic harbour'?"


def test_days(world: World) -> None:
    assert titles(world, "--since", "2000", "--source", "papers") == titles(world, "--source", "papers")
    assert titles(world, "--until", "2000-01") == []
    assert titles(world, "--since", "2000", "--until", "2999-12-31", "--source", "papers")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sort", "best"), "is not one of 'relevance', 'newest', 'oldest', 'title'"),
        (("--group", "day"), "is not one of 'source', 'site'"),
        (("--since", "yesterday"), "since takes a day, month or year, like 2026-03-14 or 2026."),
        (("--until", "2026-13"), "until takes a day, month or year"),
    ],
)
def test_an_unknown_value_is_refused_with_the_known_ones(words: tuple[str, ...], said: str, world: World) -> None:
    done = world.home.run("search", "harbour", *words)
    assert (done.code, said in done.err) == (2, True), done.err
    assert world.home.run("search", "harbour", *words, "--json").problem["code"] == "usage"


@pytest.mark.parametrize("words", [(), ("--group", "source")])
@pytest.mark.parametrize("offset", ["2147483648", "9223372036854775807", "9223372036854775808", "1" * 30])
def test_an_offset_that_no_list_reaches_is_beyond_them(offset: str, words: tuple[str, ...], world: World) -> None:
    done = world.home.fine("search", "*", *words, "--offset", offset)
    assert (done.out, done.err.startswith("There are 5 results for '*'")) == ("", True), done.err
    assert done.err.endswith("; --offset is beyond them.\n")


def test_groups(world: World) -> None:
    found = world.home.fine("search", "*", "--group", "source", "--json").objects
    groups = [each["group"] for each in found]
    assert {*groups} == {"docs", "papers"}
    assert sorted(groups, key=groups.index) == groups, "hits of a group stand together"
    assert groups.count("docs") == 3
    done = world.home.fine("search", "*", "--group", "source")
    assert "papers, 2 results" in done.out
    assert "1 to 2 of 2 groups, 5 results in all." in done.err
    done = world.home.fine("search", "*", "--group", "source", "--limit", "1")
    assert "--offset 1 shows the next ones." in done.err
    second = world.home.fine("search", "*", "--group", "source", "--limit", "1", "--offset", "1", "--json").objects
    assert {each["group"] for each in second} == {"docs", "papers"} - {groups[0]}


def test_counts_are_shown_on_request(world: World) -> None:
    assert "source\n" not in world.home.fine("search", "*").out
    out = world.home.fine("search", "*", "--facets").out
    assert "source\n      3  docs\n      2  papers\n" in out
    assert "  page\n" in out
    *hits, last = world.home.fine("search", "*", "--facets", "--json").objects
    counts: dict[str, Any] = {each["value"]: each["count"] for each in last["facets"]["source"]}
    assert (len(hits), counts) == (5, {"docs": 3, "papers": 2})
    assert [*last["facets"]] == ["source", "site", "type", "language", "changed"]
