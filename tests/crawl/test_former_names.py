"""Receivers get events of a deleted source under its former name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.model.run import RunState
from cormorant.operate.sources import delete
from cormorant.receivers import stream
from cormorant.receivers.stream import Event, NewEvent
from cormorant.store.catalog import receivers, rejected_deliveries, sources
from cormorant.store.catalog.rejected_deliveries import RejectedDelivery
from cormorant.store.db.database import Store
from cormorant.store.journal import runs
from cormorant.store.schema import former_source, receiver
from tests.crawl.providing import House


@pytest.fixture
def house(store: Store, tmp_path: Path) -> House:
    return House(store, tmp_path)


def test_events_of_a_deleted_source_have_its_former_name(house: House, tmp_path: Path) -> None:
    """Also by a provider that was begun since, where another source is called so by now, and of one added meanwhile."""
    path = tmp_path / "events.jsonl"
    house.add("jsonlines", "lines", path=str(path))
    house.add("jsonlines", "later", path=str(tmp_path / "later.jsonl"))
    house.keep(2)
    with house.store.begin() as tx:
        tx.execute(sa.update(receiver).where(receiver.c.name == "later").values(paused=True))
        runs.change(tx, house.run, state=RunState.STOPPED)
        delete.remove(tx, sources.named(tx, "docs"))
        again = sources.add(tx, "web", "docs", {})
        stream.append(tx, [NewEvent(again, 90, 0, Event.DELETED, "https://a.example/new")])

    def names(of: Path) -> list[tuple[str, str]]:
        return [(said["source"], said["url"]) for said in map(json.loads, of.read_text().splitlines())]

    def kept() -> int:
        with house.store.read() as tx:
            return int(tx.execute(sa.select(sa.func.count()).select_from(former_source)).scalar_one())

    wanted = [("docs", "https://a.example/0"), ("docs", "https://a.example/1"), ("docs", "https://a.example/new")]
    house.provide(house.has_all("lines"))
    assert sorted(names(path)) == wanted
    assert kept() == 1, "a receiver has yet to get the event"
    with house.store.begin() as tx:
        receivers.set_paused(tx, paused=False)

    def late_source_is_delivered() -> bool:
        if not house.has_all("later")():
            return False
        if house.head() == 3:
            with house.store.begin() as tx:
                late = sources.add(tx, "web", "late", {})
                stream.append(tx, [NewEvent(late, 91, 0, Event.DELETED, "https://a.example/late")])
            return False
        return house.has_all("lines")()

    house.provide(late_source_is_delivered)
    assert sorted(names(tmp_path / "later.jsonl")[:3]) == wanted
    assert names(tmp_path / "later.jsonl")[3:] == [("late", "https://a.example/late")]
    assert kept() == 0


def test_a_name_is_kept_while_a_deletion_was_not_taken(house: House) -> None:
    other, again = (NewEvent(number, 7, 0, Event.DELETED, "https://a.example/7") for number in (99, house.source))
    with house.store.begin() as tx:
        receivers.add(tx, "jsonlines", "lines", None, {}, 0)
        runs.change(tx, house.run, state=RunState.STOPPED)
        delete.remove(tx, sources.named(tx, "docs"))
        rejected_deliveries.note(
            tx, 1, [RejectedDelivery(7, house.source, 1, 0, int(Event.DELETED), "https://a.example/7", "no")]
        )

        def name_after(*entries: NewEvent, place: int) -> str | None:
            stream.append(tx, entries)
            tx.execute(sa.update(receiver).values(place=place))
            stream.trim(tx)
            return sources.names(tx, [house.source]).get(house.source)

        assert name_after(other, place=1) == "docs"
        rejected_deliveries.taken(tx, 1, [7])
        assert name_after(other, again, place=2) == "docs", "it is offered again"
        assert name_after(other, place=4) is None
