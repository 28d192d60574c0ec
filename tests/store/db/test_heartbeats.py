from __future__ import annotations

import os
import socket

import sqlalchemy as sa

from cormorant.store.db import heartbeats
from cormorant.store.db.database import Store
from cormorant.store.schema import process


def test_who_is_at_work(store: Store) -> None:
    with store.begin() as tx:
        now = tx.now()
        heartbeats.say(tx, "retriever-1", "retriever", now)
        heartbeats.say(tx, "provider", "provider", now)
    with store.read() as tx:
        assert {row.name for row in heartbeats.alive(tx)} == {"retriever-1", "provider"}
        (row,) = heartbeats.alive(tx, "provider")
    assert (row.node, row.pid, row.started_at) == (socket.gethostname(), os.getpid(), now)
    assert abs(row.seen_at - now) < 60


def test_a_process_says_so_again(store: Store) -> None:
    with store.begin() as tx:
        heartbeats.say(tx, "provider", "provider", 1.0)
        heartbeats.say(tx, "provider", "provider", 2.0)
        assert [row.started_at for row in heartbeats.alive(tx)] == [2.0]


def test_who_has_left_or_is_silent_is_not_at_work(store: Store) -> None:
    with store.begin() as tx:
        for name in ("left", "silent", "here"):
            heartbeats.say(tx, name, "retriever", 1.0)
        heartbeats.leave(tx, "left")
        old = sa.update(process).values(seen_at=process.c.seen_at - heartbeats.ALIVE_S - 1)
        tx.execute(old.where(process.c.name == "silent"))
        assert [row.name for row in heartbeats.alive(tx)] == ["here"]
