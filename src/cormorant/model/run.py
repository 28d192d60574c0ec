"""State and counters of a run.

WAITING -> its turn -> DISCOVERING -> RETRIEVING -> SWEEPING -> DELIVERING -> FINISHED
  ^  |                      |             |            |-> HELD    -> (accept, refuse) --.
  |  |                      |             |            `-> PENDING -> (index) -----------|
  |  `----------------------`-------------`-> SUSPENDED -> (resume) ---------------------|
  `-- waits for its turn to go on, where it was left or where the answer leads it <------'
STOPPED, FAILED from any of them

WAITING is before its turn, to begin or to go on; `runs_at_once` says how many may have theirs together.
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
"""States in which somebody must go on with the run; it is taken up again after a kill."""

ASKING_STATES = (RunState.HELD, RunState.PENDING)
"""States in which a run waits for a person: whether documents may go, whether what was examined is to be indexed."""


class Refresh(StrEnum):
    """The resources that a run visits besides those that it finds on the way.

    ALL: everything known. DUE: what an earlier run did not come to or put off, and what a listing shows to be another
    than before. APPEND: what no run has visited. SCRATCH: everything, with nothing remembered; what nothing leads to
    any more leaves.
    """

    ALL = "all"
    DUE = "due"
    APPEND = "append"
    SCRATCH = "scratch"


GENERATIONS = (Refresh.ALL, Refresh.SCRATCH)
"""Of which each counts its source's generation up; the others go on in the one of before, if there is any."""


class Mode(StrEnum):
    """The treatment of the documents that a run finds.

    ACCEPT: it is indexed. EXAMINE: it is looked at first; nothing is indexed until a person says so. INDEX_ONLY: it is
    indexed, and links are not read. TEST: it is counted, and delivered to nobody.
    """

    ACCEPT = "accept"
    EXAMINE = "examine"
    INDEX_ONLY = "index_only"
    TEST = "test"


WITHHELD = (Mode.EXAMINE, Mode.TEST)
"""Modes in which nothing that is found is told to anybody while a run visits."""


@dataclass(slots=True)
class Counters:
    """The counters of a run, each kept by every process for itself and added up when read.

    The first eight are the classic ones (to_fetch is looked up, not counted). `bytes` came over the wire.
    `confirmed_wrongly` are documents that a server said were unchanged and an audit found to say something else.
    `index_damaged` are documents that the index was not told of since their kept copies were damaged.
    `unanswered` are failed or gone since no answer came. `failed_as_before` are those of the failed, quarantined and
    deferred that ended their last visit before the run in the same way; start addresses are not among them. `unvisited`
    and its two companions are documents that nothing links to any more: as they were, with another text, gone.
    `changed` are those that say something else or are for other readers. `conversions` are documents and sitemaps that
    were read in a limited child; HTML and plain text that is not large is read without one. `exposed_files` are those
    of a listing that everyone may find and that others on its machine may not read.
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
