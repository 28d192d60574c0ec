"""Spider traps from a terminal: they are listed, their rule is tried, and one command excludes them."""

from __future__ import annotations

import re

import pytest

from tests.cli.world import InstalledCli
from tests.journeys.maze import Maze, page, serving


def town(path: str) -> str | int:
    """A few pages of a town, and a calendar that has always a next month."""
    if path == "/":
        return page("Town", "harbour", "/cal/1", *(f"/story/{name}" for name in ("auk", "gannet", "tern")))
    if path.startswith("/story/"):
        return page(f"Story of the {path[7:]}", f"A long story of the {path[7:]}.")
    at = path.removeprefix("/cal/")
    return page("Month", "Nothing happens.", f"/cal/{int(at) + 1}") if at.isdecimal() else 404


def crawled(home: InstalledCli, maze: Maze) -> str:
    """Crawl the town; returns the number of its trap."""
    home.fine("source", "add", "web", "town", "--set", f"start={maze.home}", "--set", "missing_pages=believe")
    home.fine("crawl", "town")
    (trap,) = home.fine("trap", "list", "--json").objects
    return str(trap["trap"])


def test_a_trap_is_listed_reported_and_excluded_by_one_command(bare: InstalledCli) -> None:
    with serving(town) as maze:
        trap = crawled(bare, maze)
        rows = bare.fine("trap", "list", "--source", "town").out.splitlines()
        assert re.match(rf"{trap} +town +{re.escape(maze.url('/cal/{n}'))} ", rows[1]), rows
        report = bare.fine("run", "show", "--json").object
        (problem,) = (each for each in report["problems"] if each["kind"] == "trap")
        assert f"cormorant trap accept {trap}" in problem["sentence"]
        (left_out,) = bare.fine("document", "list", "--excluded", "--status", "979", "--json").objects
        said = bare.fine("explain", left_out["url"], "--json").object
        assert (said["verdict"], said["status"]) == ("excluded", 979)
        assert problem["rule"] in said["because"], "its reason says by which rule it would be left out"

        effect = bare.fine("trap", "accept", trap, "--preview", "--json").object
        leaving = effect["leave"]
        assert leaving == len([path for path in maze.paths if path.startswith("/cal/")])
        refused = bare.run("trap", "accept", trap)
        assert (refused.code, f"{leaving} documents would leave" in refused.err) == (2, True)
        assert bare.fine("source", "show", "town", "--json").object["settings"].get("exclude", []) == []

        assert "Changed 'town'. The next crawl uses it." in bare.fine("trap", "accept", trap, "--yes").err
        assert bare.fine("source", "show", "town", "--json").object["settings"]["exclude"] == [problem["rule"]]
        assert [each["accepted"] for each in bare.fine("trap", "list", "--json").objects] == [True]
        bare.fine("trap", "accept", trap, "--yes")
        assert bare.fine("source", "show", "town", "--json").object["settings"]["exclude"] == [problem["rule"]], "once"
        bare.fine("source", "edit", "town", "--set", "exclude=path:/cal/*", "--yes")
        assert [each["accepted"] for each in bare.fine("trap", "list", "--json").objects] == [True], "by another rule"
        maze.asked.clear()
        done = bare.fine("crawl", "town", "--json").object
        assert done["state"] == "finished", "a person has agreed that they leave"
        assert not [path for path in maze.paths if path.startswith("/cal/")]
        after = bare.fine("crawl", "town", "--json").object
        assert [each for each in after["problems"] if each["kind"] == "trap"] == []
        assert [hit["title"] for hit in bare.fine("search", "story", "--json").objects] != []
        assert bare.fine("search", "nothing happens", "--json").objects == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("trap", "accept", "12345678", "--yes"), "There is no suspected trap '12345678'. `cormorant trap list` lists"),
        (("trap", "list", "--source", "twon"), "There is no source 'twon'. There is: town."),
    ],
)
def test_what_is_not_there_is_named(bare: InstalledCli, words: tuple[str, ...], said: str) -> None:
    bare.fine("source", "add", "web", "town", "--set", "start=http://127.0.0.1:9/")
    assert "No trap is suspected." in bare.fine("trap", "list").err
    done = bare.run(*words)
    assert (done.code, said in done.err) == (4, True), done.err
