"""Two Cormorants name each other: each shows what the other finds, and neither asks in turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.cli.world import InstalledCli
from tests.pages.houses import Served, command, served

DOCUMENTS = {"north": "The tide gauge of the north.", "south": "The tide table of the south."}


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[dict[str, Served]]:
    """Two installations that are served, each with the other as a federated source."""
    with ExitStack() as stack:
        made: dict[str, Served] = {}
        for name, text in DOCUMENTS.items():
            folder = tmp_path / name
            (folder / "docs").mkdir(parents=True)
            (folder / "docs" / f"{name}.txt").write_text(text)
            home = InstalledCli(folder / "data")
            command(home, "source", "add", "files", f"{name}-papers", "--set", f"path={folder / 'docs'}")
            command(home, "crawl")
            made[name] = stack.enter_context(served(home))
        for name, other in (("north", "south"), ("south", "north")):
            url = f"{made[other].origin}/api/v1/search"
            command(
                made[name].home, "source", "add", "federated", other, "--set", f"url={url}", "--set", "timeout_s=20"
            )
        yield made


def found(one: Served, path: str) -> Any:
    status, body = one.get(path)
    assert status == 200, body
    return json.loads(body)


def test_two_installations_ask_each_other(pair: dict[str, Served]) -> None:
    north, south = pair["north"], pair["south"]
    answer = found(north, "/api/v1/search?q=tide")
    assert [(hit["source"], hit.get("federated", False)) for hit in answer["hits"]] == [
        ("north-papers", False), ("south", True),
    ]  # fmt: skip
    assert answer["hits"][1]["url"].startswith(f"{south.origin}/cached/")
    assert (answer["hits"][1]["title"], answer["total"]) == ("south.txt", 1)
    (server,) = answer["federated"]
    assert (server["source"], server["hits"], server["total"], server["note"]) == ("south", 1, 1, None)

    only = found(north, "/api/v1/search?q=title:south&source=south")
    assert [hit["title"] for hit in only["hits"]] == ["south.txt"]
    assert north.get("/api/v1/search?q=tide&source=nobody")[0] == 404
    page = north.get("/search?q=tide")[1].decode()
    assert "From <bdi>south</bdi>" in page
    assert "1 from <bdi>south</bdi>" in page
    for path in ("/advanced?q=tide", "/api/v1/suggest?q=tid", "/search?q=tide&sort=newest"):
        assert b"From <bdi>" not in north.get(path)[1]

    by_description = f"url={south.origin}/opensearch.xml"
    command(north.home, "source", "edit", "south", "--set", by_description, "--yes")
    assert [hit["source"] for hit in found(north, "/api/v1/search?q=tide")["hits"]] == ["north-papers", "south"]

    said = json.loads(north.home.fine("source", "test", "south", "--query", "tide", "--json").out)
    assert (said["form"], said["results"], said["titles"]) == ("application/json", 1, ["south.txt"])
    refused = north.home.run("crawl", "south")
    assert (refused.code, "asked at each search" in refused.err) == (2, True)
    assert north.home.run("crawl", "south", "north-papers").code == 2
    assert north.home.run("crawl").code == 0
    assert north.home.run("source", "test", "south", "--no-fetch").code == 2
    assert north.home.run("source", "test", "south", "--address", "http://a.example/").code == 2
    assert north.home.run("source", "test", "north-papers", "--query", "tide").code == 2
