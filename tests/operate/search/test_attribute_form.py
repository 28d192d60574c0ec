"""Which values of attributes the advanced form offers to whom."""

from __future__ import annotations

from pathlib import Path

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.model.acl import ANYONE, Reader
from cormorant.operate.search import attribute_form, search, value_lists
from tests.cli.world import InstalledCli

PEOPLE = Reader("ada", frozenset(("everyone", "group:hr")))


def test_values_of_a_closed_source_are_offered_to_its_readers_alone(tmp_path: Path) -> None:
    home = InstalledCli(tmp_path / "data")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.html").write_text("<title>Plan</title><meta name=department content=merger><p>plan")
    mapped = ("--set", "attribute_map=department=Department", "--set", "grants=group:hr")
    home.fine("source", "add", "files", "closed", "--set", f"path={tmp_path / 'papers'}", *mapped)
    home.fine("attribute", "add", "Department")
    home.fine("crawl", "closed")
    house = open_house(BuildPlan(home.folder, settings.load(None)), first=True)
    value_lists.add(house, "Department", "sales", {"": "Sales"})
    value_lists.add(house, "Department", "merger", {"": "Merger with Acme"}, "closed")
    shelf = search.library(house)

    def offered(reader: Reader) -> set[str]:
        found = attribute_form.fields(house, shelf, (), reader)
        return {label for each in found for _, label in each.choices}

    assert offered(ANYONE) == {"Sales"}
    assert offered(PEOPLE) == {"Sales", "Merger with Acme"}
    house.store.close()
