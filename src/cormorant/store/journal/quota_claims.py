"""Quota claims: the share of a run's limits that each process has taken, so that together they keep them."""

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
"""Rows of what was counted that say what was claimed are told by how their process begins."""


class QuotaClaim(NamedTuple):
    """Documents and bytes up to which a process may fetch, of all that it fetches for the run."""

    documents: int = 0
    received: int = 0


def of_others(tx: Tx, number: int, process: str, living: Container[str]) -> QuotaClaim:
    """Return what other processes have fetched for a run, or what the living ones may fetch yet.

    Nobody claims meanwhile.
    """
    if not tx.sqlite:  # there, nobody else writes meanwhile
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
    """Claim up to so much for a process, instead of what it claimed before."""
    conflict = bulk.OnConflict(key=("run_id", "process"), columns=("counts",))
    row = (number, f"{PREFIX}{process}", json.dumps(wanted))
    bulk.insert(tx, run_count, ("run_id", "process", "counts"), [row], conflict)
