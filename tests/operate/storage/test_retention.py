"""What is let go of by itself as a run begins, and what is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.app.build import open_house
from cormorant.base.errors import DataFolderError
from cormorant.frontier.links.codec import pack
from cormorant.model.content import PageLink
from cormorant.model.ruling import Gate
from cormorant.model.run import Refresh
from cormorant.model.url import fingerprint
from cormorant.operate.installation import Installation
from cormorant.operate.storage import compact, retention
from cormorant.store.journal import runs, visits
from cormorant.store.journal.visits import Exclusion
from cormorant.store.schema import exclusion, outlinks, resource, run, source
from tests.cli.world import InstalledCli
from tests.operate.folders import copied, crawled_once

FEW = 3


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of some documents, crawled once."""
    return crawled_once(
        tmp_path_factory.mktemp("crawled"), {f"{number}.txt": f"Tide {number}" for number in range(FEW)}
    )


@pytest.fixture
def house(crawled: Path, tmp_path: Path) -> Installation:
    """The same, whose run was long ago, with exclusions of then, and to be looked after with the next run."""
    made = open_house(copied(crawled, tmp_path), first=True)
    with made.store.begin() as tx:
        tx.execute(sa.update(run).values(finished_at=tx.now() - 91 * retention.DAY_S))
        tx.execute(sa.update(source).values(generation=retention.EVERY))
        page = int(tx.execute(sa.select(sa.func.min(resource.c.id))).scalar_one())
        blob = pack([PageLink(address("kept"))])
        tx.execute(sa.update(outlinks).where(outlinks.c.id == page).values(links=blob))
        visits.exclude(tx, [
            Exclusion(1, fingerprint(address(name), 1), address(name), Gate.BOUNDARY, "x", 964, met, 1, page)
            for name, met in (("kept", 1), ("gone", 1), ("late", 2))
        ])  # fmt: skip
    return made


def address(name: str) -> str:
    return f"https://a.example/{name}"


def ordered(house: Installation) -> runs.RunRow:
    with house.store.begin() as tx:
        return runs.get(tx, runs.request(tx, 1, "{}", Refresh.ALL, force=False))


def excluded(house: Installation) -> list[str]:
    with house.store.read() as tx:
        return sorted(row[0].rpartition("/")[2] for row in tx.rows(sa.select(exclusion.c.address)))


def test_what_nothing_leads_to_for_long_is_forgotten(house: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cormorant.frontier.cleanup.stale_exclusions.PAGE", 1)
    assert retention.tidy(house, ordered(house))["excluded"] == 1
    assert excluded(house) == ["kept", "late"]


def test_not_before_its_time(house: Installation) -> None:
    assert retention.tidy(replace(house, excluded_days=92), ordered(house))["excluded"] == 0
    assert excluded(house) == ["gone", "kept", "late"]


@pytest.mark.parametrize("generation", [0, 1, retention.EVERY + 1])
def test_only_now_and_then(generation: int, house: Installation) -> None:
    with house.store.begin() as tx:
        tx.execute(sa.update(source).values(generation=generation))
    assert retention.tidy(house, ordered(house)) == {}


def test_a_run_that_goes_on_is_not_kept_waiting(house: Installation) -> None:
    row = ordered(house)
    assert retention.tidy(house, replace(row, started_at=1.0)) == {}


def test_copies_are_left_alone_while_another_run_is_under_way(house: Installation) -> None:
    with house.store.begin() as tx:
        runs.change(tx, runs.request(tx, 1, "{}", Refresh.ALL, force=False), started_at=tx.now())
    assert retention.tidy(house, ordered(house)) == {"excluded": 1, "tombstones": 0}


def test_copies_are_left_alone_while_a_backup_is_taken(house: Installation) -> None:
    with house.packs.held(alone=False):
        assert retention.tidy(house, ordered(house)) == {"excluded": 1, "tombstones": 0}


@pytest.mark.parametrize("error", [DataFolderError("The disk is full."), OSError(30, "Read-only file system")])
def test_what_a_disk_refuses_stops_no_run(
    error: Exception, house: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Installation) -> None:
        raise error

    monkeypatch.setattr(compact, "thin", refuse)
    assert retention.tidy(house, ordered(house)) == {"excluded": 1, "tombstones": 0}


def test_a_crawl_does_it(house: Installation) -> None:
    house.store.close()
    assert InstalledCli(house.folder).fine("crawl", "--json").object["state"] == "finished"
    assert excluded(house) == ["kept", "late"]
