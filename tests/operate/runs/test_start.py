"""What several runs end with, and who answers a held run that two people answer at once."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import cast

import pytest

from cormorant.base.errors import ConflictError
from cormorant.model.run import Refresh, RunState
from cormorant.operate.installation import Installation
from cormorant.operate.runs import control, start
from cormorant.store.catalog import sources
from cormorant.store.db.database import Store
from cormorant.store.journal import runs


@pytest.mark.parametrize(
    ("codes", "ends"),
    [
        ((), 0),
        ((0,), 0),
        ((0, 3), 3),
        ((3, 1, 0), 1),
        ((6,), 6),
        ((6, 6), 6),
        ((0, 6), 3),
        ((6, 3), 3),
        ((6, 1), 1),
    ],
)
def test_only_where_nothing_at_all_answered_is_it_said(codes: tuple[int, ...], ends: int) -> None:
    assert start.worst(codes) == ends


def held_run(store: Store, name: str) -> int:
    """A run that waits for an answer."""
    with store.begin() as tx:
        owner = sources.add(tx, "files", name, {"path": "/srv"})
        number = runs.request(tx, owner, "{}", Refresh.ALL, force=False)
        runs.change(tx, number, state=RunState.HELD, reason="Too many would go.")
    return number


def is_taken(store: Store, number: int, begun: threading.Barrier, *, accept: bool) -> bool:
    """Answer together with somebody else; was it taken?"""
    begun.wait()
    try:
        start.answer(cast("Installation", SimpleNamespace(store=store)), number, accept=accept)
    except ConflictError:
        return False
    return True


def test_of_two_answers_at_once_one_counts_and_the_other_is_refused(store: Store, other: Store) -> None:
    for name in "abcdefghij":
        number, begun = held_run(store, name), threading.Barrier(2)
        with ThreadPoolExecutor(2) as pool:
            accepting = pool.submit(is_taken, store, number, begun, accept=True)
            refusing = pool.submit(is_taken, other, number, begun, accept=False)
        assert accepting.result() != refusing.result()
        with store.read() as tx:
            asked = runs.get(tx, number).asked
        assert asked == (runs.ACCEPT if accepting.result() else runs.REFUSE)


def suspended(store: Store, name: str = "docs") -> tuple[int, int]:
    """A source, and a run of it that was suspended while it visited; then the source was edited."""
    settings = {"start": ["https://a.example/"]}
    with store.begin() as tx:
        owner = sources.add(tx, "web", name, settings)
        number = runs.request(tx, owner, json.dumps(settings), Refresh.ALL, force=False)
        runs.change(tx, number, state=RunState.RETRIEVING, generation=1, started_at=tx.now(), queued_at=None)
        runs.suspend(tx, number, "It was suspended.")
        sources.edit(tx, owner, {**settings, "depth": 3})
    return owner, number


def test_a_run_that_somebody_stopped_is_not_gone_on_with(store: Store) -> None:
    """Whoever goes on with it, as the window of a schedule opens, has looked at it before."""
    owner, number = suspended(store)
    with store.read() as tx:
        seen = runs.get(tx, number)
    control.stop(cast("Installation", SimpleNamespace(store=store)), number)
    with store.begin() as tx:
        assert start.go_on(tx, seen) == number
        assert runs.unfinished(tx, owner) is None
        assert runs.get(tx, number).reason == "It was stopped."


def test_two_who_go_on_at_once_with_a_run_whose_source_was_edited_follow_one(store: Store, other: Store) -> None:
    houses = [cast("Installation", SimpleNamespace(store=each)) for each in (store, other)]
    for name in "abcdefgh":
        owner, number = suspended(store, name)
        begun = threading.Barrier(2)

        def resumed(house: Installation, number: int = number, begun: threading.Barrier = begun) -> int:
            begun.wait()
            return control.resume(house, number).run

        def ordered(house: Installation, owner: int = owner, begun: threading.Barrier = begun) -> int:
            begun.wait()
            with house.store.begin() as tx:
                row = sources.numbered(tx, owner)
                assert row is not None
                sources.claim(tx, owner)
                return start.order_one(tx, row).run

        with ThreadPoolExecutor(2) as pool:
            asked = [pool.submit(each, house) for each, house in zip((resumed, ordered), houses, strict=True)]
        assert {each.result() for each in asked} == {number + 1}
        assert control.resume(houses[0], number).run == number + 1, "the same once more"
        with store.read() as tx:
            assert [each.id for each in runs.every(tx, owner, 10)] == [number + 1, number]
