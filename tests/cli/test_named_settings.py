"""A setting of a name that there is not: what was meant, or where all names are."""

from __future__ import annotations

import pytest

from tests.cli.world import InstalledCli


@pytest.mark.parametrize(
    ("kind", "name", "meant"),
    [
        *(
            ("web", name, "start")
            for name in ("url", "urls", "address", "site", "seed", "seeds", "start_url", "start-urls", "URL", "strat")
        ),
        *(("files", name, "path") for name in ("folder", "dir", "directory", "Folder", "root", "pth")),
        ("web", "dpeth", "depth"),
        ("web", "max-depth", "depth"),
        ("web", "delay", "delay_s"),
        ("files", "permissions", "owner_grants"),
    ],
)
def test_what_was_meant_is_suggested(bare: InstalledCli, kind: str, name: str, meant: str) -> None:
    done = bare.run("source", "add", kind, "docs", "--set", f"{name}=x")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"There is no setting {name!r} here. Did you mean {meant!r}?\n"


@pytest.mark.parametrize(("kind", "verb"), [("web", "source"), ("files", "source"), ("webhook", "receiver")])
def test_without_a_near_name_the_nearest_are_named_and_where_all_are(bare: InstalledCli, kind: str, verb: str) -> None:
    done = bare.run(verb, "add", kind, "docs", "--set", "qqzzx=1")
    said, _, where = done.err.partition("; ")
    assert (done.code, len(done.err.splitlines()), said.count(",")) == (2, 1, 4), done
    assert len(done.err) < 200
    command = where.split("`")[1]
    assert command == f"cormorant {verb} kinds {kind}"
    names = {each["setting"] for each in bare.fine(*command.split()[1:], "--json").objects}
    assert set(said.partition("nearest are ")[2].split(", ")) <= names
    assert f"lists all {len(names)}." in where


def test_settings_are_listed_to_be_read(bare: InstalledCli) -> None:
    lines = bare.fine("source", "kinds", "web").out.splitlines()
    assert lines[0] == "start"
    assert max(map(len, lines)) <= 100
    assert "delay_s" in {line.split()[0] for line in lines if not line.startswith(" ")}
    assert "path  (needed)" in bare.fine("source", "kinds", "files").out.splitlines()
