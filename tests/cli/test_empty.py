"""Empty arguments, as from a script whose variable is not set, are refused or mean the default."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cli.world import InstalledCli


@pytest.fixture
def set_up(bare: InstalledCli, tmp_path: Path) -> InstalledCli:
    """A source, a set of parameters and a receiver, each with a setting of its own."""
    (tmp_path / "papers").mkdir()
    bare.fine("source", "add", "files", "farm", "--set", f"path={tmp_path / 'papers'}", "--set", "max_minutes=9")
    bare.fine("parameters", "add", "gentle", "--set", "delay_s=3")
    bare.fine("receiver", "add", "jsonlines", "r", "--set", f"path={tmp_path / 'r.jsonl'}", "--set", "delta=false")
    return bare


SHOWN = (("source", "farm"), ("parameters", "gentle"), ("receiver", "r"))


@pytest.mark.parametrize(("noun", "name"), SHOWN)
def test_an_unknown_setting_is_refused_without_a_value_as_with_one(noun: str, name: str, set_up: InstalledCli) -> None:
    before = shown(set_up, noun, name)
    with_one = set_up.run(noun, "edit", name, "--set", "delat_s=1")
    done = set_up.run(noun, "edit", name, "--set", "delat_s=")
    assert (done.code, done.err) == (2, with_one.err)
    assert "There is no setting 'delat_s' here." in done.err
    assert shown(set_up, noun, name) == before


def test_what_every_source_says_for_itself_is_no_part_of_a_set_without_a_value_either(set_up: InstalledCli) -> None:
    done = set_up.run("parameters", "edit", "gentle", "--set", "start=")
    assert (done.code, "Every source has its own 'start'" in done.err) == (2, True), done


def test_a_known_setting_without_a_value_goes_back_to_the_default(set_up: InstalledCli) -> None:
    for (noun, name), setting in zip(SHOWN, ("max_minutes", "delay_s", "delta"), strict=True):
        assert setting in shown(set_up, noun, name)
        set_up.fine(noun, "edit", name, "--set", f"{setting}=")
        assert setting not in shown(set_up, noun, name)


def test_a_setting_that_is_none_any_more_is_still_taken_out(set_up: InstalledCli) -> None:
    with sqlite3.connect(set_up.folder / "cormorant.db") as database:
        database.execute("UPDATE source SET settings = json_set(settings, '$.former', 1)")
    set_up.fine("source", "edit", "farm", "--set", "former=")
    assert "former" not in shown(set_up, "source", "farm")


@pytest.mark.parametrize(
    "words",
    [
        "crawl {}", "source show {}", "document list --source {}", "document recrawl --source {}",
        "run list --source {}", "site list --source {}", "trap list --source {}", "search paper --source {}",
        "receiver resend r --source {}",
        "receiver add jsonlines other --source {} --set path=/nowhere/other.jsonl",
        "schedule add nightly --when manual --source {}",
    ],
)  # fmt: skip
def test_no_name_is_no_source_and_does_not_stand_for_all(words: str, set_up: InstalledCli) -> None:
    done = set_up.run(*("" if each == "{}" else each for each in words.split()))
    assert (done.code, done.out, done.err) == (4, "", "There is no source ''. There is: farm.\n")


@pytest.mark.parametrize("more", [(), ("--no-fetch",)])
@pytest.mark.parametrize("address", ["", " "])
def test_no_address_is_not_tested_as_the_first_one(address: str, more: tuple[str, ...], set_up: InstalledCli) -> None:
    done = set_up.run("source", "test", "farm", "--address", address, *more)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("You gave no address. Write one in full"), done.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("source add files x --set path={}", "The setting 'path' is needed: The folder, like /srv/docs."),
        ("source edit farm --set path={}", "The setting 'path' is needed: The folder, like /srv/docs."),
        ("receiver add jsonlines x --set path={}", "The setting 'path' is needed: The file that lines are appended"),
        ("receiver edit r --set path={}", "The setting 'path' is needed: The file that lines are appended"),
        ("receiver add warc x --set folder={}", "The setting 'folder' is needed: The folder that files are written"),
        ("receiver add webhook x --set url={}", "The setting 'url' is needed: "),
        ("store backup {}", "You named no file. Give its path."),
        ("store export {}", "You named no file. Give its path"),
        ("store restore {} --yes", "You named no file. Give its path"),
        ("store import {} --yes", "You named no file. Give its path"),
        ("secret add door --file {}", "You named no file. Give its path"),
    ],
)
def test_no_path_is_not_the_folder_one_is_in(
    words: str, says: str, set_up: InstalledCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    done = set_up.run(*words.replace("{}", "").split(" "))
    assert (done.code, done.out, done.err[: len(says)]) == (2, "", says)
    assert not list((tmp_path / "here").iterdir())
    assert set_up.run(*words.replace("{}", "").split(" "), "--json").problem["status"] in (400, 422)


def shown(home: InstalledCli, noun: str, name: str) -> dict[str, Any]:
    """The settings that were given explicitly."""
    settings: dict[str, Any] = home.fine(noun, "show", name, "--json").object["settings"]
    return settings
