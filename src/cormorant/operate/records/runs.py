"""Records of runs: what was crawled, what is to be known of it, and its log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from cormorant.operate.records.problem import Problem
from cormorant.operate.records.record import Record, When


@with_config(ConfigDict(extra="allow"))
class RunProblemRecord(TypedDict):
    """Something that a person should know of a run: its kind, and a sentence. Further fields name what it is about."""

    kind: str
    sentence: str


class HeldRule(Record):
    """A rule, and the number of documents that a held run would remove by it."""

    rule: str
    documents: int


class CounterRecord(Record):
    """The counters of a run: those of `model.run.Counters`."""

    fetched: int
    fetch_failures: int
    rejected: int
    discovered: int
    indexed: int
    non_indexable: int
    conversion_failures: int
    requests: int
    requests_conditional: int
    requests_audit: int
    confirmed_wrongly: int
    not_modified: int
    bytes: int
    bytes_decoded: int
    new: int
    changed: Annotated[int, Field(description="Documents with a new text or new rights.")]
    unchanged: int
    unlinked: int
    unvisited: int
    unvisited_changed: int
    unvisited_deleted: int
    gone: int
    moved: Annotated[int, Field(description="Pages that send their readers elsewhere, and files that were renamed.")]
    deleted: Annotated[int, Field(description="Documents that search found before the run and no longer finds.")]
    excluded: int
    deferred: int
    failed: int
    failed_as_before: int
    unanswered: int
    quarantined: int
    held: int
    index_writes: int
    index_deletes: int
    index_link_updates: int
    index_damaged: int
    cache_writes: int
    conversions: Annotated[
        int,
        Field(description="Documents and sitemaps that were read in the sandbox: no HTML or plain text, unless large."),
    ]
    exposed_files: Annotated[
        int, Field(description="Files of a folder that everyone can find and that others on its machine may not read.")
    ]


class _RunFields(Record):
    run: int
    source: str | None
    state: str
    to_fetch: int
    to_index: Annotated[
        int,
        Field(description="Documents that were examined and wait for `index`: new, changed, or refetched by force."),
    ]
    started_at: When
    finished_at: When
    seconds: float
    pages_per_s: float
    bottleneck: str | None
    complete: bool
    reason: str | None
    error: str | None
    gives_up_at: When
    refresh: str
    mode: Annotated[str, Field(description="accept, examine, index_only or test: the kind of run.")]
    forget: Annotated[bool, Field(description="It is deleted when it ends.")]
    edited: Annotated[
        list[str], Field(description="The changed settings because of which all documents are downloaded again.")
    ]
    force: bool
    waits: Annotated[
        str | None, Field(description="begin or go_on: the step that it waits for; `reason` gives the cause.")
    ]
    node: Annotated[str | None, Field(description="The only node that crawls its source.")]


class Run(_RunFields, CounterRecord):
    """One crawl of one source, with its figures."""


class Runs(Record):
    """Some runs, newest first; `next` is the cursor of older ones, None when there are none."""

    runs: list[Run]
    next: str | None


class StillToGo(Record):
    """Remaining time of a run under way (ETA)."""

    least: Annotated[float, Field(description="Seconds.")]
    most: Annotated[float | None, Field(description="Seconds; None while the crawl finds more than it visits.")]


class LeavingDocument(Record):
    """A document that a held run would let go, and the status of its last visit."""

    url: str
    status: int


class ReportedRun(Run):
    """A run, its problems and notes, and the documents that a held run holds."""

    problems: list[RunProblemRecord]
    notices: Annotated[list[RunProblemRecord], Field(description="Notes although nothing went wrong.")]
    leaving: NotRequired[Sequence[Mapping[str, Any]] | None]


class OneRun(ReportedRun):
    """A run, its problems and notes, and the documents that a held run holds."""

    eta_s: Annotated[StillToGo | None, Field(description="None when it has ended, and while no estimate is possible.")]


class OrderedRun(Record):
    """A run that was ordered."""

    run: int
    source: str
    resumed: Annotated[bool, Field(description="It was ordered before, and continues.")]
    as_before: Annotated[
        bool, Field(description="It keeps its own options; the options of this request apply to the next run.")
    ]


class OrderedRuns(Record):
    """Runs that were ordered, and why other sources are not crawled."""

    runs: list[OrderedRun]
    left_out: Annotated[list[Problem], Field(description="Runs that wait for an answer, for each source that has one.")]


class Pruned(Record):
    """Documents pruned from what a run is to index."""

    run: int
    source: str | None
    pruned: int
    left: Annotated[int, Field(description="Documents that are still to be indexed.")]
    rules: Annotated[list[HeldRule], Field(description="Number of documents for each rule.")]
    settled: Annotated[
        list[str], Field(description="Rules that match only documents with nothing waiting to be indexed.")
    ]
    idle: Annotated[list[str], Field(description="Rules that match no visited document.")]


class DeletedRun(Record):
    """A run that there was."""

    run: int
    state: Annotated[str, Field(examples=["deleted"])]


@with_config(ConfigDict(extra="allow"))
class LogLine(Record):
    """A line of the log of a run. Further fields depend on its `event`."""

    at: Annotated[str, Field(description="RFC 3339, UTC.")]
    level: Annotated[str, Field(description="`debug`, `info`, `warning` or `error`.")]
    event: str
    logger: str
    run: int
    source: NotRequired[str | None]


class RunLog(Record):
    """The last lines of the log of a run."""

    lines: list[LogLine]
