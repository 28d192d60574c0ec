"""What several runs end with, and who answers a held run that two people answer at once."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import cast

import pytest

from cormorant.base.errors import ConflictError
from cormorant.catalog import sources
from cormorant.journal import runs
from cormorant.model.run import Refresh, RunState
from cormorant.operate import crawl
from cormorant.operate.house import House
from cormorant.store.database import Store


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
    assert crawl.worst(codes) == ends


def held_run(store: Store, name: str) -> int:
    """A run that waits for an answer."""
    with store.begin() as tx:
        owner = sources.add(tx, "files", name, {"path": "/srv"})
        number = runs.request(tx, owner, "{}", Refresh.ALL, force=False)
        runs.change(tx, number, state=RunState.HELD, reason="Too many would go.")
    return number


def test_of_two_answers_at_once_one_counts_and_the_other_is_refused(store: Store, other: Store) -> None:
    for name in "abcdefghij":
        number, begun = held_run(store, name), threading.Barrier(2)
        taken: list[bool] = []
        refused: list[bool] = []

        def answer(at: Store, accept: bool, begun: threading.Barrier = begun, number: int = number) -> None:
            begun.wait()
            try:
                crawl.answer(cast("House", SimpleNamespace(store=at)), number, accept=accept)
                taken.append(accept)  # noqa: B023 - the threads end before the next round
            except ConflictError:
                refused.append(accept)  # noqa: B023

        threads = [threading.Thread(target=answer, args=each) for each in ((store, True), (other, False))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert sorted(taken + refused) == [False, True]
        assert len(taken) == 1
        with store.read() as tx:
            asked = runs.get(tx, number).asked
        assert asked == (runs.ACCEPT if taken[0] else runs.REFUSE)
