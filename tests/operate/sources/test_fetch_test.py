"""Judgements of `source test` without asking anybody, and its visit to the first document of a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.commands.test_source import try_source
from cormorant.app.settings import InstallationSettings
from cormorant.operate.installation import Installation
from cormorant.operate.records.sources import RuleTest, VisitTest
from cormorant.operate.sources import fetch_test, sources
from tests.sources.github.fake_github import FakeGitHub


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


def test_addresses_of_a_start_file_are_where_it_begins(house: Installation, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    starts.write_text("https://a.example/one?utm_source=x\nhttps://a.example/two\n")
    sources.add(house, "web", "docs", {"start_file": str(starts), "depth": "0"})
    for address in (None, "https://a.example/one", "https://a.example/two"):
        said = fetch_test.judge(house, "docs", address)
        assert (said["depth"], said["ruling"], said["exit_code"]) == (0, "waits", 0)
    assert fetch_test.judge(house, "docs", "https://a.example/three")["rule"] == "depth: depth 0"


def test_an_address_is_judged_as_it_would_be_known(house: Installation) -> None:
    rules = [r"^https://a\.example/old/ -> https://b.example/"]
    sources.add(house, "web", "docs", {"start": ["https://a.example/"], "rewrite": rules})
    said = fetch_test.judge(house, "docs", "https://a.example/old/?utm_medium=y")
    assert (said["address"], said["rule"]) == ("https://b.example/", "boundary: hosts of the start addresses")
    assert said["renamed"]["asked"] == "https://a.example/old/?utm_medium=y"
    assert said["renamed"]["fetched"] == said["address"]
    assert "rewrite: " in said["renamed"]["rule"]
    assert TypeAdapter(RuleTest).validate_python(said, strict=True) == said
    assert "renamed" not in fetch_test.judge(house, "docs", "https://a.example/new/")


def test_the_first_document_of_a_server_is_found_by_a_discovery(tmp_path: Path) -> None:
    """A discovery sends its requests on an event loop of its own, and the visit has another one."""
    plan, github = BuildPlan(tmp_path / "data", InstallationSettings()), FakeGitHub()
    try:
        github.put("Pump leaks", "oil in hall three")
        with opened(plan, new=True) as house:
            sources.add(house, "github", "desk", {"url": f"{github.url}/api/v3", "repository": ["bay/birds"]})
        said = TypeAdapter(VisitTest).validate_python(try_source(plan, "desk", None), strict=True)
    finally:
        github.stop()
    assert (said["outcome"], said["title"]) == ("ok", "Pump leaks")


def test_robots_txt_is_a_gate_of_web_sites_alone(house: Installation, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text("A quiet note.")
    sources.add(house, "files", "papers", {"path": str(tmp_path / "papers")})
    said = fetch_test.judge(house, "papers", None)
    assert "robots" not in {each["gate"] for each in said["gates"]}
    sources.add(house, "web", "docs", {"start": ["https://a.example/"]})
    gates = {each["gate"]: each["ruling"] for each in fetch_test.judge(house, "docs", None)["gates"]}
    assert gates["robots"] == "waits"
