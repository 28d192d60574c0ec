"""Each exit code but 0 comes with problem objects on standard error, and standard output stays JSON Lines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cormorant.base.errors import every
from tests.cli.conftest import World
from tests.cli.world import Answer, Done, InstalledCli, Site

CODES = {each.code for each in every()}


def problems(done: Done, code: int) -> list[dict[str, object]]:
    """The problem objects of a command that ended with this code; its answer is JSON Lines."""
    assert done.code == code, done
    for line in done.out.splitlines():
        assert isinstance(json.loads(line), dict), done
    lines = [json.loads(line) for line in done.err.splitlines()]
    said = [each for each in lines if each.keys() != {"note"}]
    assert said, f"ended with {code} and said nothing"
    for each in said:
        assert each.keys() >= {"type", "title", "status", "code", "detail"}, each
        assert each["code"] in CODES
    return said


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        ("", 2, "usage"),
        ("nonsense", 2, "usage"),
        ("source", 2, "usage"),
        ("source add web", 2, "usage"),
        ("source add web x --set url=http://a/", 2, "bad_setting"),
        ("source add gopher x", 4, "not_found"),
        ("source show nope", 4, "not_found"),
        ("source delete docs", 2, "usage"),
        ("source add web docs --set start=http://127.0.0.1:1/", 1, "conflict"),
        ("crawl nope", 4, "not_found"),
        ("crawl docs --examine --test", 2, "usage"),
        ("run show 99", 4, "not_found"),
        ("run accept 1", 1, "conflict"),
        ("run resume 1", 1, "conflict"),
        ("document show http://nowhere.example/", 4, "not_found"),
        ("document show nowhere", 2, "bad_address"),
        ("search harbour --limit x", 2, "usage"),
        ("search harbour --source nope", 4, "not_found"),
        ("schedule show nope", 4, "not_found"),
        ("receiver show nope", 4, "not_found"),
        ("secret delete nope", 4, "not_found"),
        ("store restore nowhere.tar", 4, "not_found"),
        ("quickstart smb://server/share --no-serve", 2, "bad_address"),
    ],
)
def test_what_cannot_be_done(home: InstalledCli, words: str, code: int, error: str) -> None:
    (said,) = problems(home.run("--json", *words.split()), code)
    assert said["code"] == error


def test_a_crawl_whose_starts_do_not_answer(bare: InstalledCli) -> None:
    bare.fine("source", "add", "web", "docs", "--set", "start=http://127.0.0.1:1/")
    done = bare.run("crawl", "--json")
    (said,) = problems(done, 6)
    assert (said["code"], said["source"], said["run"], said["kind"]) == ("unreachable", "docs", 1, "start")
    assert said["address"] == "http://127.0.0.1:1/"
    assert done.object["state"] == "finished"
    (said,) = problems(bare.run("source", "test", "docs", "--json"), 6)
    assert said["code"] == "unreachable"
    assert problems(bare.run("quickstart", "http://127.0.0.1:1/", "--no-serve", "--json"), 6)


def test_a_crawl_of_which_some_failed(bare: InstalledCli, site: Site) -> None:
    site.answers["/tides"] = Answer("", 403)
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    done = bare.run("crawl", "--json")
    (said,) = (each for each in problems(done, 3) if each["kind"] == "document")
    assert (said["code"], said["address"]) == ("incomplete", f"{site.address}tides")
    done = bare.run("source", "test", "docs", "--address", f"{site.address}tides", "--json")
    (said,) = problems(done, 3)
    assert f"{site.address}tides: 403" in str(said["detail"])
    (said,) = problems(bare.run("source", "test", "docs", "--address", "http://a.example/", "--no-fetch", "--json"), 3)
    assert "is excluded by" in str(said["detail"])


def test_a_crawl_that_failed(bare: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    bare.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}")
    (tmp_path / "papers").rmdir()
    (said,) = problems(bare.run("crawl", "--json"), 6)
    assert "is not there" in str(said["detail"])


def test_a_run_that_is_held(bare: InstalledCli, site: Site) -> None:
    names = [f"/d{number}" for number in range(8)]
    site.page("/", "Start", "", tuple(names))
    for name in names:
        site.page(name, name, f"Page {name}.")
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    for name in names:
        site.answers[name] = Answer("", 410)
    said = problems(bare.run("crawl", "--json"), 3)
    assert any("run accept" in str(each["detail"]) for each in said)
    (again,) = problems(bare.run("crawl", "--json"), 3)
    assert again["code"] == "conflict", "the next crawl waits for the answer"


def test_what_is_wrong_with_an_installation(home: InstalledCli, world: World, tmp_path: Path) -> None:
    shutil.rmtree(home.folder / "index")
    said = problems(home.run("doctor", "--json"), 1)
    assert all(each["code"] == "error" for each in said)
    for pack in (home.folder / "cache").rglob("*.pack"):
        data = bytearray(pack.read_bytes())
        data[len(data) // 2] ^= 0xFF
        pack.write_bytes(bytes(data))
    assert problems(home.run("store", "check", "--json"), 1)
    said = problems(home.run("cache", "repair", "--json"), 3)
    assert said[0]["code"] == "incomplete"
