"""The index is lent while whoever makes it anew lives and says so; what happens meanwhile is told behind it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.base.errors import ConflictError
from cormorant.crawl.finish import link_graph
from cormorant.model.run import RunState
from cormorant.operate.installation import Installation
from cormorant.operate.search import reindex, reindex_lock
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers
from cormorant.store.catalog.receivers import ReceiverRow
from cormorant.store.journal import runs
from tests.clocks import until
from tests.operate.folders import copied, crawled_once, number_of


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two documents."""
    return crawled_once(tmp_path_factory.mktemp("lending"), {"one.txt": "plover", "two.txt": "knot"})


@pytest.fixture
def plan(crawled: Path, tmp_path: Path) -> BuildPlan:
    """A copy of it."""
    return copied(crawled, tmp_path)


def index_of(house: Installation) -> ReceiverRow:
    with house.store.read() as tx:
        return receivers.named(tx, "index")


def test_lent_on_and_taken_back(plan: BuildPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindex_lock, "RENEW_S", 0.05)
    with opened(plan) as house:
        with reindex_lock.lent(house):
            first = index_of(house).lent_until or 0.0
            until(lambda: (index_of(house).lent_until or 0.0) > first)
            with pytest.raises(ConflictError, match="is rebuilding the index"), reindex_lock.lent(house):
                pass
            with pytest.raises(ConflictError, match="kept copies"), house.packs.held(alone=True):
                pass
        assert index_of(house).lent_until is None
        with pytest.raises(KeyError), reindex_lock.lent(house):
            raise KeyError
        assert index_of(house).lent_until is None


def test_also_while_a_run_that_begins_thins_the_copies(plan: BuildPlan) -> None:
    with opened(plan) as house, house.packs.held(alone=True), reindex_lock.lent(house):
        assert index_of(house).lent_until is not None


def test_who_delivers_and_does_not_let_go_is_told_of(plan: BuildPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindex_lock, "LET_GO_S", 0.1)
    with opened(plan) as house:
        writer = house.index_writer()
        with pytest.raises(ConflictError, match="has not let go"):
            reindex.rebuild(house, lent=True)
        writer.close()
        assert index_of(house).lent_until is None
        assert reindex.rebuild(house, lent=True)["documents"] == 2


def test_what_happens_while_it_is_filled_is_told_behind_its_place(plan: BuildPlan) -> None:
    with opened(plan) as house:
        before = index_of(house).place

        def changes(done: int, total: int) -> None:
            assert (done, total) == (2, 2)
            with house.store.begin() as tx:
                stream.append(tx, [NewEvent(1, number_of(house, "one.txt"), 1, Event.CHANGED)])

        made = reindex.rebuild(house, changes, lent=True)
        with house.store.read() as tx:
            assert made["place"] == index_of(house).place == before < stream.head(tx)
            assert len(stream.after(tx, before, 9)) == 1
        with closing(house.index_writer()) as writer:
            assert writer.place == before


@pytest.mark.parametrize(("state", "weighed"), [(RunState.FINISHED, [1]), (RunState.RETRIEVING, [])])
def test_a_run_that_is_under_way_weighs_its_links_itself(
    plan: BuildPlan, monkeypatch: pytest.MonkeyPatch, state: RunState, weighed: list[int]
) -> None:
    told: list[int] = []
    monkeypatch.setattr(link_graph, "weigh", lambda _store, _source, run: told.append(run))
    with opened(plan) as house:
        with house.store.begin() as tx:
            runs.change(tx, runs.get(tx).id, state=state)
        reindex.rebuild(house, lent=True)
    assert told == weighed
