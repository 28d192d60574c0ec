"""State and counters of a run.

WAITING -> its turn -> DISCOVERING -> RETRIEVING -> SWEEPING -> DELIVERING -> FINISHED
  ^  |                      |             |            |-> HELD    -> (accept, refuse) --.
  |  |                      |             |            `-> PENDING -> (index) -----------|
  |  `----------------------`-------------`-> SUSPENDED -> (resume) ---------------------|
  `-- waits for its turn to go on, in its former state or that of the answer <-----------'
STOPPED, FAILED from any of them

WAITING is before its turn, to begin or to go on; `runs_at_once` limits the runs with a turn.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum


class RunState(StrEnum):
    """The states of the drawing above."""

    WAITING = "waiting"
    DISCOVERING = "discovering"
    RETRIEVING = "retrieving"
    SWEEPING = "sweeping"
    HELD = "held"
    PENDING = "pending"
    DELIVERING = "delivering"
    SUSPENDED = "suspended"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


OPEN_STATES = (RunState.WAITING, RunState.DISCOVERING, RunState.RETRIEVING, RunState.SWEEPING, RunState.DELIVERING)
"""States of runs that a process has to continue, also after a kill."""

ASKING_STATES = (RunState.HELD, RunState.PENDING)
"""States in which a run waits for a person: to approve deletions, or to index examined documents."""


class Refresh(StrEnum):
    """The resources that a run visits besides those that it finds on the way.

    ALL: all known resources. DUE: resources that an earlier run did not reach or deferred, and those that a listing
    shows to be changed. APPEND: resources that no run has visited. SCRATCH: all, after a reset; documents to which
    nothing leads any more are deleted.
    """

    ALL = "all"
    DUE = "due"
    APPEND = "append"
    SCRATCH = "scratch"


GENERATIONS = (Refresh.ALL, Refresh.SCRATCH)
"""Refreshes that increment the source's generation; the others continue the present one, if there is any."""


class Mode(StrEnum):
    """The treatment of the documents that a run finds.

    ACCEPT: they are indexed. EXAMINE: they are reviewed first; nothing is indexed before approval. INDEX_ONLY: they are
    indexed, and their links are not read. TEST: they are counted, and not delivered.
    """

    ACCEPT = "accept"
    EXAMINE = "examine"
    INDEX_ONLY = "index_only"
    TEST = "test"


WITHHELD = (Mode.EXAMINE, Mode.TEST)
"""Modes in which nothing is delivered while a run visits."""


@dataclass(slots=True)
class Counters:
    """The counters of a run: each process writes its own, and reading adds them up.

    The first eight are the classic ones (to_fetch is looked up, not counted). `bytes` are bytes over the wire.
    `confirmed_wrongly` are documents that a server confirmed as unchanged and an audit found changed. `index_damaged`
    are documents that the index did not get because their kept copies were damaged. `unanswered` are failed or gone
    without a response. `failed_as_before` are failed, quarantined and deferred documents that had ended in the same way
    before the run, without start addresses. `unvisited` and its two companions are orphans: unchanged, with another
    text, gone. `deleted` are documents that left the index, without those that came in the same run. `changed` are
    documents with another text or other readers. `conversions` are documents and sitemaps that were read in a sandbox;
    small HTML and plain text is read without one. `exposed_files` are files of a listing that everyone may find and
    other users of its machine may not read.
    """

    fetched: int = 0
    fetch_failures: int = 0
    rejected: int = 0
    discovered: int = 0
    indexed: int = 0
    non_indexable: int = 0
    conversion_failures: int = 0
    requests: int = 0
    requests_conditional: int = 0
    requests_audit: int = 0
    confirmed_wrongly: int = 0
    not_modified: int = 0
    bytes: int = 0
    bytes_decoded: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    unlinked: int = 0
    unvisited: int = 0
    unvisited_changed: int = 0
    unvisited_deleted: int = 0
    gone: int = 0
    moved: int = 0
    deleted: int = 0
    excluded: int = 0
    deferred: int = 0
    failed: int = 0
    failed_as_before: int = 0
    unanswered: int = 0
    quarantined: int = 0
    held: int = 0
    index_writes: int = 0
    index_deletes: int = 0
    index_link_updates: int = 0
    index_damaged: int = 0
    cache_writes: int = 0
    conversions: int = 0
    exposed_files: int = 0

    def add(self, other: Counters) -> None:
        """Add another process's counts to these."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
