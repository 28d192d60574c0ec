"""An interrupted restore, and the messages until it is repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.operate.storage import backups
from cormorant.web.app import make as site_of
from tests.cli.admin.test_store import found, wrong
from tests.cli.world import InstalledCli, Site
from tests.web.visiting import Caller


def yet_to_be_made(home: InstalledCli) -> None:
    """A search does not claim that nothing is found."""
    done = home.run("search", "harbour", "--json")
    assert (done.code, done.problem["code"], done.out) == (1, "index_damaged", "")
    assert "yet to be built" in done.problem["detail"]
    (index,) = home.fine("status", "--json").object["receivers"]
    assert index["error"] == done.problem["detail"]
    assert index["error"] in home.fine("status").out
    with opened(BuildPlan(home.folder, Settings())) as house:
        pages = Caller(site_of(house))
        assert [pages.get(each).status for each in ("/search?q=harbour", "/api/v1/search?q=harbour")] == [503, 503]


@pytest.mark.parametrize("step", ["_bring_packs", "_reset_state", "_fill"])
def test_a_restore_that_is_cut_off_leaves_the_old_rows_or_the_new(
    step: str, bare: InstalledCli, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "backup.tar"
    bare.fine("source", "add", "web", "docs", "--set", f"start={site.address}")
    bare.fine("crawl")
    bare.fine("store", "backup", str(file))
    bare.fine("source", "add", "web", "later", "--set", f"start={site.address}ferries")

    def end(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(backups, step, end)
        assert bare.run("store", "restore", str(file), "--yes").code == 130
    names = {each["source"] for each in bare.fine("source", "list", "--json").objects}
    assert names == ({"docs"} if step == "_fill" else {"docs", "later"})
    if step != "_bring_packs":
        yet_to_be_made(bare)
    bare.fine("crawl", "docs")
    assert not wrong(bare)
    assert len(found(bare)) == 2
