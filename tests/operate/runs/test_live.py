"""What is seen of a run that waits: which sites it waits for, why, and until when."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.frontier.policy.host_errors import HoldReason, HostTrouble
from cormorant.model.outcome import OutcomeKind
from cormorant.model.run import Refresh, RunState
from cormorant.operate.installation import Installation
from cormorant.operate.runs import live
from cormorant.operate.runs.live import FAILING
from cormorant.store.catalog import sources
from cormorant.store.journal import runs
from cormorant.store.schema import resource, site, site_source
from tests.frontier.samples import admit
from tests.journeys.home import Home

HOSTS = ("a.example", "b.example")


@contextmanager
def retrieving(home: Home, given: Mapping[str, object], *addresses: str) -> Iterator[Installation]:
    """An installation with one source and its first run, which has these addresses to visit."""
    home.add_source("web", "docs", dict(given))
    with home.house() as house:
        with house.store.begin() as tx:
            source = sources.named(tx, "docs").id
            number = runs.request(tx, source, json.dumps(given), Refresh.ALL, force=False)
            runs.change(tx, number, state=RunState.RETRIEVING, generation=sources.next_generation(tx, source))
            admit(tx, *addresses, source=source)
        yield house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    """An installation with a run of two sites."""
    starts = [f"https://{host}/" for host in HOSTS]
    with retrieving(Home(tmp_path / "data"), {"start": starts}, *starts) as house:
        yield house


def fails(house: Installation, host: str, *, rests_s: float = 0.0, failures: int = 12, status: int = 906) -> None:
    """A site has failed so often, and rests."""
    with house.store.begin() as tx:
        rests = {"not_before": tx.now() + rests_s, "failures": failures, "trouble": status}
        tx.execute(sa.update(site).where(site.c.key == host).values(**rests))


def test_nothing_is_waited_for_while_sites_work(house: Installation) -> None:
    fails(house, HOSTS[0], failures=FAILING - 1)
    seen = live.look(house, 1)
    assert (seen.waits, seen.all_wait, [each.trouble for each in seen.sites]) == (None, False, [None, None])


def test_one_site_is_waited_for_while_the_other_works(house: Installation) -> None:
    fails(house, HOSTS[0], rests_s=40)
    seen = live.look(house, 1)
    assert seen.waits is not None
    assert (seen.waits.said, seen.all_wait) == ("a.example does not answer (connection refused)", False)
    assert (round(seen.waits.again_s, -1), seen.waits.gives_up_s) == (40, None)
    assert {each.site: each.trouble for each in seen.sites} == {HOSTS[0]: HostTrouble(HOSTS[0], 906), HOSTS[1]: None}


def test_all_sites_are_waited_for_until_the_run_gives_up(house: Installation) -> None:
    fails(house, HOSTS[0], rests_s=100, status=503)
    fails(house, HOSTS[1], rests_s=40, status=975)
    with house.store.begin() as tx:
        runs.change(tx, 1, gives_up_at=tx.now() + 300)
    seen = live.look(house, 1)
    assert seen.waits is not None
    assert (seen.waits.why, seen.all_wait) == (HoldReason.SILENT, True)
    assert "a.example asked to be left alone for a while (503)" in seen.waits.said
    assert "b.example does not answer (its name is not resolved)" in seen.waits.said
    assert (round(seen.waits.again_s, -1), round(seen.waits.gives_up_s or 0, -1)) == (40, 300)
    fails(house, HOSTS[1])
    asked_now = live.look(house, 1)
    assert asked_now.waits is not None
    assert (asked_now.waits.again_s, asked_now.all_wait) == (0, True), "it is tried, and has not answered yet"
    with house.store.begin() as tx:
        runs.change(tx, 1, state=RunState.DELIVERING)
    assert live.look(house, 1).waits is None


def test_pages_that_are_put_off_are_no_silence(house: Installation) -> None:
    with house.store.begin() as tx:
        tx.execute(sa.update(resource).values(outcome=int(OutcomeKind.DEFERRED), status=500))
        tx.execute(sa.update(site_source).values(not_before=tx.now() + 60))
    seen = live.look(house, 1)
    assert seen.waits is not None
    assert (seen.waits.why, seen.all_wait) == (HoldReason.FAILING, True)
    assert "a.example has pages that failed (500 Internal server error)" in seen.waits.said


def test_a_run_whose_start_file_went_away_is_shown_all_the_same(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    starts.write_text("https://a.example/\n")
    with retrieving(Home(tmp_path / "data"), {"start_file": str(starts)}, "https://a.example/") as house:
        starts.unlink()
        assert live.look(house, 1).site_count == 1
