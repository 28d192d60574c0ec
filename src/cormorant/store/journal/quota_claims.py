"""Quota claims: the share of a run's limits that each process has claimed, so that together they keep them."""

from __future__ import annotations

import json
from collections.abc import Container
from typing import NamedTuple

import sqlalchemy as sa

from cormorant.base import stored_json
from cormorant.model.run import Counters
from cormorant.store.db import bulk
from cormorant.store.db.database import Tx
from cormorant.store.schema import run, run_count

PREFIX = "claim:"
"""Prefix of the process name in rows of counts that hold claims."""


class QuotaClaim(NamedTuple):
    """Documents and bytes that a process may fetch in total for the run."""

    documents: int = 0
    received: int = 0


def of_others(tx: Tx, number: int, process: str, living: Container[str]) -> QuotaClaim:
    """Return what other processes have fetched for a run, plus the open claims of living ones.

    Locks the run, so that no other process claims meanwhile.
    """
    if not tx.sqlite:  # SQLite has one writer
        tx.execute(sa.select(run.c.id).where(run.c.id == number).with_for_update())
    columns = run_count.c
    rows = tx.rows(sa.select(columns.process, columns.counts).where(columns.run_id == number))
    claimed, fetched = dict[str, QuotaClaim](), dict[str, QuotaClaim]()
    for row in rows:
        if row.process.startswith(PREFIX):
            claimed[row.process.removeprefix(PREFIX)] = QuotaClaim(*json.loads(row.counts))
        else:
            counts = stored_json.read(Counters, row.counts)
            fetched[row.process] = QuotaClaim(counts.fetched, counts.bytes)
    documents = received = 0
    for name in (claimed.keys() | fetched.keys()) - {process}:
        did, may = fetched.get(name, QuotaClaim()), claimed.get(name, QuotaClaim()) if name in living else QuotaClaim()
        documents += max(did.documents, may.documents)
        received += max(did.received, may.received)
    return QuotaClaim(documents, received)


def claim(tx: Tx, number: int, process: str, wanted: QuotaClaim) -> None:
    """Store the claim of a process, replacing its former one."""
    conflict = bulk.OnConflict(key=("run_id", "process"), columns=("counts",))
    row = (number, f"{PREFIX}{process}", json.dumps(wanted))
    bulk.insert(tx, run_count, ("run_id", "process", "counts"), [row], conflict)
