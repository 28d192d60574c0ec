"""Sources are kept as they were given, whatever the places they name do meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from cormorant import plugins
from cormorant.base.errors import BadRule, BadSetting, ConflictError
from cormorant.model.run import Refresh
from cormorant.model.schedule.schedule import Revisit
from cormorant.operate.installation import Installation
from cormorant.operate.sources import kinds, sources
from cormorant.plugins import SourceKind, source_kind, source_kinds
from cormorant.sources.files.settings import FilesSettings
from tests.clocks import HANG_S
from tests.journeys.home import Home
from tests.operate.timetable import HOUR, timetable


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    """An installation with a folder as its source."""
    home = Home(tmp_path / "data")
    home.add_source("files", "share", {"path": str(tmp_path)})
    with home.house() as house:
        yield house


def test_rules_are_read_before_settings_are_kept() -> None:
    with pytest.raises(BadRule):
        sources.settings_of("web", {"start": "https://a.example/", "include": "regex:("})


def looking(look: Callable[[object], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on folders are looked for so."""
    files = plugins.SOURCES["files"]
    kind = SourceKind(files.name, files.about, FilesSettings, files.make, look)
    monkeypatch.setitem(plugins.SOURCES._loaded, "files", kind)


def test_nobody_waits_for_a_folder_that_is_looked_for(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    others: list[str] = []

    def look(_: object) -> None:
        if not others:
            others.append("added while the folder of another is looked for")
            sources.add(house, "web", "docs", {"start": ["https://a.example/"]})

    looking(look, monkeypatch)
    sources.edit(house, "share", {"hidden": "true"})
    assert [row.name for row in sources.every(house)] == ["docs", "share"]


def test_an_edit_is_not_laid_over_another_one(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def look(_: object) -> None:
        if not asked:
            asked.append("once")
            sources.edit(house, "share", {"exclude": ["*.tmp"]})

    looking(look, monkeypatch)
    with pytest.raises(ConflictError, match="Try again"):
        sources.edit(house, "share", {"hidden": "true"})
    assert sources.named(house, "share").settings["exclude"] == ["*.tmp"]


def test_a_share_whose_server_is_gone_is_a_doubt_and_no_end_of_it(
    house: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = Event()

    def look(_: object) -> None:
        gone.wait(HANG_S)

    looking(look, monkeypatch)
    monkeypatch.setattr(sources, "LOOK_S", 0.05)
    row = sources.edit(house, "share", {"hidden": "true"})
    doubt = sources.doubt(row)
    gone.set()
    assert doubt is not None
    assert "no server answered" in doubt.sentence


def test_that_robots_txt_is_ignored_is_logged(house: Installation, caplog: pytest.LogCaptureFixture) -> None:
    given = {"start": ["https://a.example/"]}
    sources.add(house, "web", "polite", given)
    sources.edit(house, "polite", {"depth": "1"})
    assert "robots_ignored" not in caplog.text
    sources.edit(house, "polite", {"robots": "ignore"})
    sources.add(house, "web", "rude", given | {"robots": "ignore"})
    assert [vars(each)["source"] for each in caplog.records if each.msg == "robots_ignored"] == ["polite", "rude"]


@pytest.mark.parametrize(
    ("said", "docs", "papers"),
    [
        (None, Refresh.SCRATCH, Refresh.ALL),
        (Revisit.ALL, Refresh.SCRATCH, Refresh.ALL),
        (Revisit.DUE, Refresh.DUE, Refresh.DUE),
        (Revisit.APPEND, Refresh.APPEND, Refresh.APPEND),
    ],
)
def test_a_source_that_forgets_first_does_so_when_all_is_visited(
    tmp_path: Path, said: Revisit | None, docs: Refresh, papers: Refresh
) -> None:
    with timetable(tmp_path) as desk:
        sources.edit(desk.house, "docs", {"refresh": "scratch"})
        desk.add(refresh=said)
        desk.pass_(2 * HOUR + 30)
        assert (desk.run().refresh, desk.run().force) == (docs, docs is Refresh.SCRATCH)
        desk.end()
        assert desk.run().refresh is papers


@pytest.mark.parametrize(
    ("url", "kind"), [("ftp://127.0.0.1/pub", "ftp"), ("ftps://files.example/a", "ftp"), ("FTP://files.example", "ftp")]
)
def test_a_url_on_a_server_decides_the_kind(house: Installation, url: str, kind: str) -> None:
    row = sources.add(house, "files", "there", {"url": url})
    assert (row.kind, row.settings["url"].lower()[:3]) == (kind, "ftp")


def test_a_url_of_this_machine_is_the_path(house: Installation, tmp_path: Path) -> None:
    row = sources.add(house, "files", "here", {"url": tmp_path.as_uri()})
    assert (row.kind, row.settings["path"]) == ("files", tmp_path.as_uri())
    with pytest.raises(BadSetting, match="kind web"):
        sources.add(house, "files", "pages", {"url": "https://a.example/"})


def test_a_kind_lists_what_it_uses() -> None:
    def listed(kind: str) -> set[str]:
        return {each["setting"] for each in kinds.settings_of(source_kind(kind).settings)}

    crawls = {"refresh", "max_documents", "change_by", "error_policy", "unpack", "logs", "node", "patience_s"}
    assert listed("federated").isdisjoint(crawls | {"hosts_at_once"})
    assert listed("federated") >= {"url", "timeout_s", "per_host", "grants", "denies", "parameters", "route"}
    assert listed("table") >= crawls | {"delay_s"}
    assert {kind for kind in source_kinds() if "owner_grants" in listed(kind)} == {"files", "sftp", "smb"}
    assert {kind for kind in source_kinds() if "hosts_at_once" in listed(kind)} == {"web", "feed"}
    with pytest.raises(BadSetting) as wrong:
        sources.settings_of("federated", {"url": "https://a.example/", "max_document": "3"})
    assert "max_documents" not in wrong.value.sentence


def test_a_setting_without_effect_is_named(house: Installation) -> None:
    given = {"url": "https://a.example/api/v1/search", "max_documents": "3", "refresh": "due", "timeout_s": "3"}
    row = sources.add(house, "federated", "other", given)
    (doubt,) = sources.doubts(row)
    assert doubt == "max_documents and refresh have no effect on a source of the kind federated: leave them out."
