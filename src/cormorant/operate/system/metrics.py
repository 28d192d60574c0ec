"""Metrics: figures of an installation for a monitoring system.

All of them from the store and the disks, so that they are the same whichever process is asked, and each by a look at
few rows: what a source, a receiver or a schedule costs does not grow with the documents. Figures that need a
count of rows (addresses that are left, documents by source) are in `status` instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from importlib import metadata
from itertools import chain
from typing import Final

import sqlalchemy as sa

from cormorant.base import metrics
from cormorant.base.metrics import Metric, MetricSample
from cormorant.crawl.deliver import replay
from cormorant.model.run import ASKING_STATES, Counters
from cormorant.operate.delivery.receivers import undelivered_since
from cormorant.operate.installation import Installation
from cormorant.operate.runs.schedules import shown_state
from cormorant.operate.system.disks import disks
from cormorant.operate.system.status import last_good
from cormorant.receivers import stream
from cormorant.store.catalog import receivers, schedules, sources
from cormorant.store.db import heartbeats
from cormorant.store.db.database import Tx
from cormorant.store.journal import runs, schedule_firings
from cormorant.store.schema import faulty, query

OUTCOMES: Final = (
    "new", "changed", "unchanged", "moved", "gone", "excluded", "deferred", "failed", "quarantined", "held",
)  # fmt: skip
"""Ends of documents, by the names of a run's counters."""
_COUNTED: Final = (
    (metrics.RUN_FETCHED, "fetched"), (metrics.RUN_REQUESTS, "requests"),
    (metrics.RUN_CONDITIONAL, "requests_conditional"), (metrics.RUN_BYTES, "bytes"),
    (metrics.RUN_CONVERSIONS, "conversions"),
)  # fmt: skip
MOST_COUNTED: Final = 10_000
"""Documents that a receiver could not take are counted up to here."""
_ROLES: Final = ("conductor", "provider", "retriever")


def samples(house: Installation, documents: int | None = None) -> list[MetricSample]:
    """Every figure there is at this moment; `documents` is how many the index has, None where there is none."""
    with house.store.read() as tx:
        found = [*_whole(tx), *_runs(tx), *_receivers(tx), *_schedules(tx)]
    found.append(_one(metrics.STORE_BYTES, house.store.size()))
    if documents is not None:
        found.append(_one(metrics.DOCUMENTS, documents))
    return [*found, *_disks(house)]


def _one(metric: Metric, value: float, *labels: str) -> MetricSample:
    return MetricSample(metric, labels, float(value))


def _whole(tx: Tx) -> Iterator[MetricSample]:
    """Of the installation as a whole."""
    yield _one(metrics.INFO, 1, metadata.version("cormorant"))
    alive = [each.role for each in heartbeats.alive(tx)]
    for role in _ROLES:
        yield _one(metrics.PROCESSES, alive.count(role), role)
    yield _one(metrics.STREAM, stream.head_or_none(tx) or 0)
    yield _one(metrics.SEARCHES, tx.execute(sa.select(sa.func.max(query.c.id))).scalar_one() or 0)


def _runs(tx: Tx) -> Iterator[MetricSample]:
    """Of each source's newest run, and its last good one."""
    every = sources.every(tx)
    yield _one(metrics.SOURCES, len(every))
    for source in every:
        good = last_good(tx, source.id)
        yield _one(metrics.LAST_GOOD, good.finished_at or 0 if good else 0, source.name)
        newest = next(iter(runs.every(tx, source.id, 1)), None)
        if newest is None:
            continue
        yield _one(metrics.RUN_STATE, 1, source.name, newest.state.value)
        if newest.started_at is not None:
            yield _one(metrics.RUN_STARTED, newest.started_at, source.name)
        if newest.state in ASKING_STATES and newest.waits_since is not None:
            yield _one(metrics.RUN_WAITS, newest.waits_since, source.name)
        yield from _counts(source.name, runs.counters(tx, newest.id))


def _counts(source: str, counted: Counters) -> Iterator[MetricSample]:
    values = {each.name: int(getattr(counted, each.name)) for each in fields(counted)}
    for metric, name in _COUNTED:
        yield _one(metric, values[name], source)
    for outcome in OUTCOMES:
        yield _one(metrics.RUN_DOCUMENTS, values[outcome], source, outcome)


def _receivers(tx: Tx) -> Iterator[MetricSample]:
    head = stream.head_or_none(tx) or 0
    for row in receivers.every(tx):
        yield _one(metrics.BACKLOG, max(0, head - row.place) + replay.left(tx, row), row.name)
        yield _one(metrics.PAUSED, row.paused, row.name)
        yield _one(metrics.FAILURES, row.failures, row.name)
        yield _one(metrics.FAULTY, _faulty(tx, row.id), row.name)
        since = undelivered_since(tx, row)
        if since is not None:
            yield _one(metrics.UNDELIVERED, since, row.name)


def _faulty(tx: Tx, receiver: int) -> int:
    some = sa.select(faulty.c.resource_id).where(faulty.c.receiver_id == receiver).limit(MOST_COUNTED).subquery()
    return int(tx.execute(sa.select(sa.func.count()).select_from(some)).scalar_one())


def _schedules(tx: Tx) -> Iterator[MetricSample]:
    for row in schedules.every(tx):
        yield _one(metrics.SCHEDULE_STATE, 1, row.name, shown_state(tx, row, schedule_firings.last(tx, row.id)).value)
        if row.next_at is not None:
            yield _one(metrics.SCHEDULE_NEXT, row.next_at, row.name)


def _disks(house: Installation) -> Iterator[MetricSample]:
    return chain.from_iterable(
        (
            _one(metrics.DISK_FREE, each.free, each.name),
            _one(metrics.DISK_SIZE, each.total, each.name),
            _one(metrics.DISK_LEAST, each.least, each.name),
        )
        for each in disks(house)
    )
