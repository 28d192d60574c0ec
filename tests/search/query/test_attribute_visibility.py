"""Attributes that a reader may know of, and the queries that it takes to know them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cormorant.model.acl import ANYONE, Reader
from cormorant.model.attribute import AttributeType
from cormorant.search.index.document import Delete, Upsert
from cormorant.search.index.protocol import Matches
from cormorant.search.index.query import Everything, Exact, Search
from cormorant.search.query import attribute_visibility
from cormorant.search.query.attribute_visibility import ABSENT_S, MOST_WITNESSES, AttributeCatalog, AttributeVisibility
from tests.clocks import Hands
from tests.search.index.shelves import KINDS, Shelf, entry, shelf

ADA = Reader("ada", frozenset(("everyone", "user:ada")))
NAMES = ("Team", "Price", "Due_at")


@dataclass
class World:
    """An index whose searches are recorded: "all" for a query of all values, "witness" for one of ids."""

    shelf: Shelf
    clock: Hands
    asked: list[str] = field(default_factory=list)
    hidden: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        known = {name.lower(): (name, AttributeType.STRING) for name in NAMES}
        self.visibility = AttributeVisibility(self, self.clock, lambda: AttributeCatalog(known, _nothing))  # type: ignore[arg-type]

    @property
    def place(self) -> int:
        return self.shelf.reader.place

    def search(self, search: Search) -> Matches:
        self.asked.append("witness" if isinstance(search.query, Exact) else "all")
        return self.shelf.reader.search(search)

    def seen(self, name: str = "Team", reader: Reader = ANYONE) -> tuple[bool, list[str]]:
        """Return whether an attribute is visible, and the searches that it took."""
        self.asked.clear()
        everything = Search(Everything(), reader, limit=0, hidden=self.hidden, fold=False)
        found = self.visibility.seen([name], lambda: everything)
        assert found in (frozenset(), {name.lower()})
        return bool(found), [*self.asked]

    def put(self, number: int, **attributes: Any) -> None:
        self.shelf.put(entry(number, "pump", attributes=attributes))


def _nothing(_names: Collection[str]) -> Collection[str]:
    return ()


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with shelf(request.param, tmp_path / "index") as made:
        yield World(made, Hands())


@pytest.mark.parametrize(
    ("name", "value"), [("Team", "Sales"), ("Team", "***"), ("Team", ("w " * 300,)), ("Price", 10.5), ("Due_at", 1e9)]
)
def test_a_commit_costs_a_lookup_of_witnesses(name: str, value: Any, world: World) -> None:
    world.put(1, **{name: value})
    assert world.seen(name) == (True, ["all"])
    assert world.seen(name) == (True, [])
    for number in range(2, 6):
        world.put(number, Other="x")
        assert world.seen(name) == (True, ["witness"])
        assert world.seen(name.upper()) == (True, [])


def test_a_witness_that_is_gone_is_replaced(world: World) -> None:
    for number in range(1, MOST_WITNESSES + 2):
        world.put(number, Team="Sales")
    assert world.seen() == (True, ["all"])
    for number in range(1, MOST_WITNESSES + 2):
        world.shelf.apply([Delete(number)])
        searches = ["witness", "all"] if number == MOST_WITNESSES else ["witness"]
        if number > MOST_WITNESSES:
            assert world.seen() == (False, ["witness", "all"])
        else:
            assert world.seen() == (True, searches)


def test_a_witness_without_its_value_is_none(world: World) -> None:
    world.put(1, Team="Sales")
    assert world.seen() == (True, ["all"])
    world.put(1, Teams="Sales")
    assert world.seen() == (False, ["witness", "all"])


def test_a_reader_who_loses_a_right_no_longer_sees_the_attribute(world: World) -> None:
    closed = entry(1, "pump", attributes={"Team": "Sales"}, grants=("user:ada",))
    world.shelf.put(closed)
    assert (world.seen(reader=ADA), world.seen()) == ((True, ["all"]), (False, ["all"]))
    assert (world.seen(reader=ADA)[0], world.seen()[0]) == (True, False), "answers are of one reader"
    world.shelf.apply([Upsert(entry(1, "pump", attributes={"Team": "Sales"}, grants=("user:bob",)))])
    assert world.seen(reader=ADA) == (False, ["witness", "all"])


def test_hidden_documents_are_no_witnesses(world: World) -> None:
    world.put(1, Team="Sales")
    assert world.seen() == (True, ["all"])
    world.hidden = frozenset((1,))
    assert world.seen() == (False, ["witness", "all"])
    world.hidden = frozenset()
    world.clock.at += ABSENT_S
    assert world.seen() == (True, ["all"])


def test_absence_is_kept_for_seconds(world: World) -> None:
    world.put(1, Other="x")
    assert world.seen() == (False, ["all"])
    world.put(2, Team="Sales")
    world.clock.at += ABSENT_S - 0.1
    assert world.seen() == (False, [])
    world.clock.at += 0.1
    assert world.seen() == (True, ["all"])


def test_absence_in_one_state_is_asked_once(world: World) -> None:
    world.put(1, Other="x")
    assert world.seen() == (False, ["all"])
    world.clock.at += 100 * ABSENT_S
    assert world.seen() == (False, [])


def test_the_oldest_answers_are_forgotten(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attribute_visibility, "MOST_ANSWERS", 2)
    world.put(1, Team="Sales", Price=1.0, Due_at=1e9)
    assert [world.seen(name)[1] for name in NAMES] == [["all"]] * 3
    assert len(world.visibility._answers) == 2
    assert world.seen("Due_at") == (True, [])
    assert world.seen("Team") == (True, ["all"])
