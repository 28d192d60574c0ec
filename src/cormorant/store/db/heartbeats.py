"""Heartbeats of running processes."""

from __future__ import annotations

import os
import socket
from typing import Final, NamedTuple

import sqlalchemy as sa

from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import process

ALIVE_S = 15.0
"""A process without a heartbeat for longer counts as dead."""


class ProcessRow(NamedTuple):
    """One process of one node. `lack` names the resource that it lacks, "" for none (`base.exhaustion`)."""

    name: str
    role: str
    node: str
    pid: int
    started_at: float
    seen_at: float
    lack: str = ""


def say(tx: Tx, name: str, role: str, started_at: float, node: str = "", lack: str = "") -> None:
    """Write the heartbeat of a process on a node of that name; without one on that of this machine."""
    conflict = bulk.OnConflict(key=("name",), columns=("role", "node", "pid", "started_at", "seen_at", "lack"))
    row = (name, role, node or socket.gethostname(), os.getpid(), started_at, tx.now(), lack)
    bulk.insert(tx, process, ProcessRow._fields, [row], conflict)


def is_alive(tx: Tx, name: str) -> bool:
    """Return whether other processes regard the process of that name as alive."""
    return any(each.name == name for each in alive(tx))


def shorten(tx: Tx) -> None:
    """Limit heartbeats in the future to the present: a clock that was ahead wrote them."""
    now = tx.now()
    tx.execute(sa.update(process).where(process.c.seen_at > now).values(seen_at=now))


def leave(tx: Tx, name: str) -> None:
    """Delete the heartbeat of a process that ends."""
    tx.execute(sa.delete(process).where(process.c.name == name))


def lack(tx: Tx, node: str) -> str:
    """Return the resource that a retriever of that node, or for "" of any node, lacks; "" if none does."""
    return next((each.lack for each in alive(tx, "retriever") if each.lack and node in ("", each.node)), "")


_ALIVE: Final = sa.select(*[process.c[name] for name in ProcessRow._fields]).where(
    process.c.seen_at > sa.bindparam("since", type_=sa.Double)
)
_ALIVE_IN_ROLE: Final = _ALIVE.where(process.c.role == sa.bindparam("role"))


def alive(tx: Tx, role: str | None = None) -> list[ProcessRow]:
    """Return the processes with a recent heartbeat."""
    bound = {"since": tx.lapsed(ALIVE_S, tx.now()) - ALIVE_S, "role": role}
    return [ProcessRow(*row) for row in tx.rows(_ALIVE if role is None else _ALIVE_IN_ROLE, bound)]
