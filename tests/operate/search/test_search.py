"""What the store has hidden is not found, whatever the index still has."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.processes import entrypoints
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.base.clock import date_of, rfc3339
from cormorant.base.errors import ConflictError, IndexDamaged
from cormorant.frontier.staging import pending_deletes
from cormorant.operate.installation import Installation
from cormorant.operate.search import reindex, search
from cormorant.operate.storage import check, repair
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.search.index.document import Upsert
from cormorant.search.reader import Question
from cormorant.store.catalog import receivers
from cormorant.store.schema import content, stream_head
from tests.operate.folders import copied, crawled_once, number_of
from tests.search.index.shelves import entry

TEXTS = {"one.txt": "plover and dunlin", "two.txt": "plover and knot", "three.txt": "knot alone"}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with three documents."""
    return crawled_once(tmp_path_factory.mktemp("searching"), TEXTS)


@pytest.fixture
def plan(crawled: Path, tmp_path: Path) -> BuildPlan:
    """A copy of it."""
    return copied(crawled, tmp_path)


def found(house: Installation, text: str) -> list[str]:
    """Names of what is found."""
    answer = search.search(house, Question(text))
    assert answer.total == len(answer.hits)
    return sorted(hit.url.rpartition("/")[2] for hit in answer.hits)


def test_hidden_at_once_and_found_again(plan: BuildPlan) -> None:
    with opened(plan) as house:
        assert found(house, "plover") == ["one.txt", "two.txt"]
        shelf = search.library(house)
        with house.store.begin() as tx:
            pending_deletes.hide(tx, [(number_of(house, "one.txt"), 1, 1)])
        assert found(house, "plover") == ["two.txt"]
        assert search.search(house, Question("dunlin"), shelf=shelf).total == 0
        with house.store.begin() as tx:
            pending_deletes.unhide(tx, [number_of(house, "one.txt")])
        assert found(house, "plover") == ["one.txt", "two.txt"]


def test_an_index_that_was_taken_away_is_no_empty_one(plan: BuildPlan) -> None:
    shutil.rmtree(plan.folder / "index")
    with opened(plan) as house, pytest.raises(IndexDamaged, match="index rebuild"):
        search.search(house, Question("plover"))


def test_without_an_index(plan: BuildPlan) -> None:
    bare = BuildPlan(plan.folder, Settings(index="none"))
    with opened(bare) as house, pytest.raises(ConflictError, match="without an index"):
        search.search(house, Question("plover"))


def in_step(house: Installation) -> None:
    """Open the index as the provider does."""
    with house.store.read() as tx:
        (index,) = receivers.every(tx)
    entrypoints._in_step(house, index.place).close()


def behind(house: Installation, trimmed: bool) -> None:
    """The index lacks events that the database has or, when `trimmed`, had."""
    with house.store.begin() as tx:
        (index,) = receivers.every(tx)
        stream.append(tx, [NewEvent(1, number_of(house, name), 1, Event.CHANGED) for name in TEXTS])
        if trimmed:
            receivers.set_place(tx, index.id, stream.head(tx) - 1)
            stream.trim(tx)


def test_an_index_that_lacks_events_that_are_gone_is_told_and_made_anew(plan: BuildPlan) -> None:
    with opened(plan) as house:
        in_step(house)
        behind(house, trimmed=False)
        in_step(house)
        behind(house, trimmed=True)
        with pytest.raises(IndexDamaged, match="index rebuild"):
            in_step(house)
        reindex.rebuild(house)
        in_step(house)


def test_an_index_that_is_ahead_of_the_database_is_told(plan: BuildPlan) -> None:
    with opened(plan) as house:
        with house.store.begin() as tx:
            tx.driver("UPDATE stream_head SET seq = seq - 1")
        with pytest.raises(IndexDamaged, match="index rebuild"):
            in_step(house)


def rename(house: Installation, name: str) -> None:
    """Have another database, which has come as far."""
    with house.store.begin() as tx:
        tx.execute(sa.update(stream_head).values(installation=name))


def test_an_index_of_another_database_is_told_and_made_anew(plan: BuildPlan) -> None:
    with opened(plan) as house:
        shelf = search.library(house)
        assert found(house, "dunlin") == ["one.txt"]
        rename(house, "another")
        with pytest.raises(IndexDamaged, match="another database"):
            in_step(house)
        for library in (shelf, None):
            with pytest.raises(IndexDamaged, match=r"another database\. Run `cormorant index rebuild`"):
                search.search(house, Question("dunlin"), shelf=library)
        with pytest.raises(ConflictError, match=r"another database .* `cormorant index rebuild`"):
            reindex.refuse_older_store(house)
        (wrong,) = [each for each in check.store(house) if not each.ok]
        assert (wrong.check, "another database" in wrong.said) == ("index", True)
        reindex.rebuild(house)
        in_step(house)
        reindex.refuse_older_store(house)
        assert found(house, "dunlin") == ["one.txt"]
        assert search.search(house, Question("dunlin"), shelf=shelf).total == 1


def test_an_index_that_does_not_say_of_which_database_it_is_goes_on_and_says_so_from_then_on(plan: BuildPlan) -> None:
    with opened(plan) as house:
        place = house.index_reader().place
        shutil.rmtree(plan.folder / "index")
        with closing(house.index_writer()) as writer:
            writer.apply([Upsert(entry(number_of(house, "one.txt"), "dunlin"))])
            writer.commit(place)
        assert search.search(house, Question("dunlin")).total == 1
        in_step(house)
        with house.store.read() as tx:
            assert house.index_reader().origin == stream.named(tx)


@pytest.mark.parametrize("name", [None, "another"])
def test_an_index_is_not_exchanged_for_an_empty_one_as_the_database_knows_no_document(
    plan: BuildPlan, name: str | None
) -> None:
    with opened(plan) as house:
        with house.store.begin() as tx:
            tx.execute(sa.delete(content))
        if name:
            rename(house, name)
            with pytest.raises(ConflictError, match="store restore FILE"):
                reindex.refuse_older_store(house)
        with pytest.raises(ConflictError, match="store restore FILE"):
            reindex.rebuild(house)
        mended, _ = repair.store(house)
        assert "store restore FILE" in next(each.said for each in mended if each.check == "index")
        assert house.index_reader().count() == len(TEXTS)


def test_an_index_that_is_about_to_be_told_that_all_is_gone_may_be_made_anew(plan: BuildPlan) -> None:
    with opened(plan) as house:
        gone = [NewEvent(1, number_of(house, name), 1, Event.DELETED, name) for name in TEXTS]
        with house.store.begin() as tx:
            stream.append(tx, gone)
            tx.execute(sa.delete(content))
        assert reindex.rebuild(house)["documents"] == house.index_reader().count() == 0


def test_an_index_made_anew_has_come_to_the_end_of_the_stream(plan: BuildPlan) -> None:
    with opened(plan) as house:
        behind(house, trimmed=False)
        place = reindex.rebuild(house)["place"]
        with house.store.read() as tx:
            (index,) = receivers.every(tx)
            assert index.place == place == stream.head(tx)


def test_an_index_made_anew_finds_what_waited_for_it_to_learn_of_rights(plan: BuildPlan) -> None:
    with opened(plan) as house:
        with house.store.begin() as tx:
            changed = number_of(house, "one.txt")
            first = stream.append(tx, [NewEvent(1, changed, 1, Event.ACCESS)])
            pending_deletes.hide_until(tx, [(changed, 1, 1, first)])
        assert found(house, "plover") == ["two.txt"]
        reindex.rebuild(house)
        assert found(house, "plover") == ["one.txt", "two.txt"]
        with house.store.read() as tx:
            assert stream.after(tx, 0, 10) == []


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (253_402_300_799.0, "9999-12-31T23:59:59.000Z"), (253_402_300_799.5, None), (1e30, None), (float("nan"), None),
        (-62_135_596_800.0, "0001-01-01T00:00:00.000Z"), (-62_135_596_801.0, None), (-float("inf"), None),
        (None, None), (0.0, "1970-01-01T00:00:00.000Z"),
    ],
)  # fmt: skip
def test_what_is_no_date_is_none(seconds: float | None, said: str | None) -> None:
    assert rfc3339(seconds) == said
    assert seconds is None or (date_of(seconds) is None) == (said is None)


@pytest.mark.parametrize("moment", [4e11, -1e11])
def test_a_document_of_no_year_is_found(plan: BuildPlan, moment: float) -> None:
    with opened(plan) as house:
        with house.store.begin() as tx:
            tx.execute(sa.update(content).values(modified_at=moment))
        reindex.rebuild(house)
        (hit,) = search.search(house, Question("dunlin")).hits
        assert search.hit_record(hit)["modified_at"] is None
