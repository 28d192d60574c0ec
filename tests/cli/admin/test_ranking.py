"""Weights are changed from a terminal: at once, in every process, and only to valid values."""

from __future__ import annotations

from dataclasses import fields

import pytest

from cormorant.app.build import BuildPlan, open_house
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.operate.search import search
from cormorant.search.reader import Question
from cormorant.search.weights import DEFAULT, FACTORS
from tests.cli.conftest import World
from tests.cli.world import InstalledCli


def values(home: InstalledCli) -> dict[str, float]:
    return {each["name"]: each["value"] for each in home.fine("tuning", "list", "--json").objects}


def test_every_weight_is_listed_with_its_standard(home: InstalledCli) -> None:
    records = home.fine("tuning", "list", "--json").objects
    assert {each["name"]: each["standard"] for each in records} == {n: getattr(DEFAULT, n) for n in FACTORS}
    assert all(each["value"] == each["standard"] and each["changed_at"] is None for each in records)
    assert {each.name for each in fields(DEFAULT)} - set(FACTORS) == {"strict_words", "rare_word"}
    shown = home.fine("tuning", "list").out
    assert shown.splitlines()[0].split() == ["NAME", "VALUE", "STANDARD", "ABOUT"]
    assert all(name in shown for name in FACTORS)


def test_the_next_search_counts_by_what_was_changed(home: InstalledCli, world: World) -> None:
    house = open_house(BuildPlan(home.folder, Settings()))
    library = search.library(house)  # as a server keeps it open
    before = search.search(house, Question("ferry"), shelf=library).hits[0]
    changed = home.fine("tuning", "edit", "title=9", "--json").objects
    assert [(each["name"], each["value"]) for each in changed] == [("title", 9.0)]
    after = search.search(house, Question("ferry"), shelf=library).hits[0]
    assert after.score > 1.5 * before.score
    assert values(home)["title"] == 9.0
    home.fine("tuning", "edit", "recency=0", "links=3.5")
    home.fine("tuning", "reset", "title")
    assert search.search(house, Question("ferry"), shelf=library).hits[0].score != after.score
    assert values(home) == {n: getattr(DEFAULT, n) for n in FACTORS} | {"recency": 0.0, "links": 3.5}
    home.fine("tuning", "reset")
    assert values(home) == {name: getattr(DEFAULT, name) for name in FACTORS}
    assert search.search(house, Question("ferry"), shelf=library).hits[0] == before
    house.store.close()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("title", "has no value"), ("title=", "cannot be ''"), ("title=high", "takes a number from 0 to 10"),
        ("title=11", "takes a number from 0 to 10"), ("text=0", "takes a number from 0.1 to 10"),
        ("form=nan", "from 0 to 1"), ("links=-1", "from 0 to 50"), ("links=inf", "from 0 to 50"),
        ("tilte=2", "Did you mean 'title'?"), ("strict_words=2", "There is no weight 'strict_words'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_and_changes_nothing(given: str, says: str, home: InstalledCli) -> None:
    done = home.run("tuning", "edit", "recency=1", given, "--json")
    assert (done.code, says in done.problem["detail"]) == (2, True), done.err
    assert values(home)["recency"] == DEFAULT.recency
    assert home.run("tuning", "reset", "tilte").code == 2


def test_why_from_a_terminal(home: InstalledCli, world: World) -> None:
    hits = home.fine("search", "ferry harbour", "--why", "--json").objects
    assert hits
    for hit in hits:
        assert sum(part["points"] for part in hit["why"]) == pytest.approx(hit["score"], abs=1e-3)
    shown = home.fine("search", "ferry harbour", "--why", "--limit", "1").out
    assert "Words found" in shown
    assert "in all" in shown
    assert "why" not in home.fine("search", "ferry", "--json").objects[0]
    assert "--why" in home.fine("search", "--help").out
