"""What several runs end with, and who answers a held run that two people answer at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
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


def is_taken(store: Store, number: int, begun: threading.Barrier, *, accept: bool) -> bool:
    """Answer together with somebody else; was it taken?"""
    begun.wait()
    try:
        crawl.answer(cast("House", SimpleNamespace(store=store)), number, accept=accept)
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
