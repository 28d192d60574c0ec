"""What the store has hidden is not found, whatever the index still has."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.app.build import Plan
from cormorant.app.opening import opened
from cormorant.app.settings import Installation as Settings
from cormorant.base.errors import ConflictError, IndexDamaged, NotFoundError
from cormorant.frontier import hiding
from cormorant.operate import searching
from cormorant.operate.house import House
from cormorant.search.reader import Question
from cormorant.store.schema import content
from tests.cli.world import Installation

TEXTS = {"one.txt": "plover and dunlin", "two.txt": "plover and knot", "three.txt": "knot alone"}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with three documents."""
    base = tmp_path_factory.mktemp("searching")
    (base / "birds").mkdir()
    for name, text in TEXTS.items():
        (base / "birds" / name).write_text(text)
    home = Installation(base / "data")
    home.fine("source", "add", "files", "birds", "--set", f"path={base / 'birds'}")
    home.fine("crawl")
    return home.folder


@pytest.fixture
def plan(crawled: Path, tmp_path: Path) -> Plan:
    """A copy of it."""
    shutil.copytree(crawled, tmp_path / "data")
    return Plan(tmp_path / "data", Settings())


def found(house: House, text: str) -> list[str]:
    """Names of what is found."""
    answer = searching.search(house, Question(text))
    assert answer.total == len(answer.hits)
    return sorted(hit.url.rpartition("/")[2] for hit in answer.hits)


def number_of(house: House, name: str) -> int:
    with house.store.read() as tx:
        return int(tx.rows(sa.select(content.c.id).where(content.c.url.like(f"%/{name}")))[0].id)


def test_hidden_at_once_and_found_again(plan: Plan) -> None:
    with opened(plan) as house:
        assert found(house, "plover") == ["one.txt", "two.txt"]
        shelf = searching.library(house)
        with house.store.begin() as tx:
            hiding.hide(tx, [(number_of(house, "one.txt"), 1, 1)])
        assert found(house, "plover") == ["two.txt"]
        assert searching.search(house, Question("dunlin"), shelf=shelf).total == 0
        with pytest.raises(NotFoundError):
            searching.copy(house, shelf, number_of(house, "one.txt"))
        with house.store.begin() as tx:
            hiding.unhide(tx, [number_of(house, "one.txt")])
        assert found(house, "plover") == ["one.txt", "two.txt"]


def test_an_index_that_was_taken_away_is_no_empty_one(plan: Plan) -> None:
    shutil.rmtree(plan.folder / "index")
    with opened(plan) as house, pytest.raises(IndexDamaged, match="index rebuild"):
        searching.search(house, Question("plover"))


def test_without_an_index(plan: Plan) -> None:
    bare = Plan(plan.folder, Settings(index="none"))
    with opened(bare) as house, pytest.raises(ConflictError, match="without an index"):
        searching.search(house, Question("plover"))


def test_a_damaged_copy_is_not_shown(plan: Plan) -> None:
    for pack in (plan.folder / "cache").rglob("*.pack"):
        pack.write_bytes(b"\0" * pack.stat().st_size)
    with opened(plan) as house, pytest.raises(NotFoundError):
        searching.copy(house, searching.library(house), number_of(house, "one.txt"))
