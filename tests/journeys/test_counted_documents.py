"""How many documents are there? As many as search may find, and the same number wherever it is count_in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.begin.test_serve import get, served
from tests.cli.world import Done, InstalledCli


def count_in(done: Done) -> int:
    """The number that stands before the word in what a command said."""
    found = re.search(r"([\d,]+) documents?\b", done.out + done.err)
    assert found, done.out + done.err
    return int(found[1].replace(",", ""))


@pytest.fixture
def home(tmp_path: Path) -> InstalledCli:
    """The sample, crawled; some of what was fetched of it is no document: it moved, left, or could not be read."""
    home = InstalledCli(tmp_path / "data")
    home.fine("quickstart", "--no-serve")
    return home


def test_the_sample_has_as_many_documents_wherever_they_are_counted(home: InstalledCli, tmp_path: Path) -> None:
    status = home.fine("status", "--json").object
    count = status["documents"]
    runs = [home.fine("run", "show", str(number), "--json").object for number in (1, 2)]
    assert sum(each["new"] for each in runs) == sum(each["indexed"] for each in runs) == count
    assert sum(each["documents"] for each in status["sources"]) == count
    listed = home.fine("source", "list", "--json").objects
    assert {each["source"]: each["documents"] for each in listed} == {
        each["source"]: each["documents"] for each in status["sources"]
    }
    assert sum(home.fine("source", "show", each["source"], "--json").object["documents"] for each in listed) == count
    assert sum(each["indexed"] for each in home.fine("document", "list", "--json").objects) == count
    assert home.fine("index", "stats", "--json").object["documents"] == count
    assert (
        count_in(home.fine("status")) == count_in(home.run("doctor")) == count_in(home.run("store", "check")) == count
    )
    assert count_in(home.fine("index", "rebuild")) == count
    with served(home) as address:
        assert f"{count} documents from {len(listed)} sources" in get(address)[1]
        assert json.loads(get(f"{address}api/v1/system")[1])["documents"] == count
    backup, export = str(tmp_path / "all.tar"), str(tmp_path / "rows.tar")
    for verb, file in (("backup", backup), ("export", export)):
        assert home.fine("store", verb, file, "--json").object["documents"] == count, verb
        assert count_in(home.fine("store", verb, file)) == count, verb
    refused = home.run("store", "restore", backup)
    assert count_in(refused) == count
    record = home.fine("store", "restore", backup, "--yes", "--json").object
    assert (record["documents"], record["indexed"]) == (count, count)
    assert home.fine("status", "--json").object["documents"] == count
