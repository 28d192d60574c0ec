"""Records of sources, and of what an edit would do to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from pydantic import Field

from cormorant.operate.records.explanations import RulingRecord
from cormorant.operate.records.problem import Problem, RuleCount
from cormorant.operate.records.record import Record, SettingValues


class ExposedFile(Record):
    """A file that everyone may find and that others on its machine may not read."""

    address: str
    why: Annotated[
        str,
        Field(
            description="The rule of the file system that closes it to others.",
            examples=["mode 640", "folder pay, mode 750"],
        ),
    ]


class ExposedFilesRecord(Record):
    """Number of files of a source that everyone may find but others on its machine may not read, as last seen."""

    files: int
    at_least: Annotated[bool, Field(description="Only a part of the folder was looked at.")]
    above: Annotated[
        str | None, Field(description="A folder above that of the source which keeps others out; else null.")
    ]
    blind: Annotated[
        str | None,
        Field(
            description="The sort of file system whose rights its mount makes up, so that they say nothing; else null."
        ),
    ]
    first: Annotated[list[ExposedFile], Field(description="Three of them at the most.")]


class ConsentRecord(Record):
    """The class of addresses that a host had at the first resolution, which is the one that was consented to."""

    host: str
    port: int
    address_class: str


class SourceRecord(Record):
    """A source with its settings as they were given; secrets by their names only."""

    source: str
    kind: str
    version: int
    created_at: str
    settings: SettingValues
    consent: list[ConsentRecord]
    doubts: list[str]
    exposed_files: Annotated[
        ExposedFilesRecord | None, Field(description="Null where the folder was not looked at yet.")
    ]
    documents: int
    last_run: int | None
    all_looked_at: Annotated[
        str | None,
        Field(description="Everything it has was looked at since then: the start of its last whole run. Null: never."),
    ]
    effective: NotRequired[
        Annotated[dict[str, Any] | None, Field(description="Every setting and the origin of its value.")]
    ]


class SourcesRecord(Record):
    """All sources."""

    sources: list[SourceRecord]


class RecrawlRecord(Record):
    """Changed settings because of which the next crawl downloads all documents that stay, and the requests it takes."""

    settings: list[str]
    requests: int


class SettingChange(Record):
    """A setting with its value before an edit and after it."""

    setting: str
    before: Any
    after: Any


class KeptSource(SourceRecord):
    """A source as it is now that it was added or changed."""

    problem: NotRequired[
        Annotated[Problem | None, Field(description="The reason why it cannot be crawled at present.")]
    ]
    recrawl: NotRequired[
        Annotated[
            RecrawlRecord | None,
            Field(
                description="The changed settings because of which the next crawl downloads all documents again, if "
                "any."
            ),
        ]
    ]


class _EditedSource(Record):
    source: str
    run: Annotated[int | None, Field(description="Under way, which follows `at_once`.")]
    suspended: Annotated[bool, Field(description="Whether that run is suspended: it continues under the edit.")]
    at_once: Annotated[list[str], Field(description="Settings that a run under way follows.")]
    changes: Annotated[list[SettingChange], Field(description="Settings that change, with their old and new values.")]
    known: Annotated[int, Field(description="Addresses that were judged.")]
    documents: int


class EffectRecord(Record):
    """The effect of other settings on the known addresses of a source."""

    leave: Annotated[int, Field(description="Documents that would leave the index.")]
    leaving: Annotated[list[str], Field(description="Some of them.")]
    leave_rules: Annotated[list[RuleCount], Field(description="Number of documents for each rule.")]
    no_longer_visited: int
    enter: Annotated[int, Field(description="Excluded addresses that would be visited.")]
    entering: list[dict[str, str]]
    enter_rules: list[RuleCount]
    rename: Annotated[int, Field(description="Documents that would be known by another address.")]
    renaming: list[dict[str, str]]
    merge: Annotated[int, Field(description="Of them, those that would be the same as another and leave.")]
    found_again: Annotated[int, Field(description="Documents left out of the index now that would be found.")]
    finding: list[dict[str, str]]
    found_rules: list[RuleCount]


class SourcePreview(_EditedSource, EffectRecord):
    """Preview of an edit of a source: what `source edit --preview` prints."""

    idle: Annotated[list[str], Field(description="Rules that match no known address.")]
    doubts: list[str]
    unjudged: Annotated[list[str], Field(description="Settings whose effect only the next crawl shows.")]
    recrawl: Annotated[
        RecrawlRecord | None,
        Field(description="The settings because of which all documents are downloaded again, if any."),
    ]


class RemovedScheduleRecord(Record):
    """A schedule that crawled a source that was deleted."""

    schedule: str
    alone: Annotated[bool, Field(description="It crawled nothing else, and is deleted as well.")]


class DeletedSource(Record):
    """A source that there was."""

    source: str
    deleted: bool
    documents: Annotated[int, Field(description="That leave the index.")]
    schedules: list[RemovedScheduleRecord]


class SourceScript(Record):
    """Statements that have the place of a source note its changes: what `source script` prints."""

    source: str
    script: Annotated[str, Field(description="For an administrator of that place to run; nothing here runs it.")]


ExitCode = Annotated[int, Field(description="0: it went well; 3: it did not; 6: no server could be reached.")]


class PrerequisiteRecord(Record):
    """A robots.txt that had to be asked for first: how that ended, and the status when it failed, else 0."""

    address: str
    said: str
    failed: int


class GatesVerdict(Record):
    """The ruling of the gates on an address: `admits`, `excludes` or `waits`, with the rule that excludes it."""

    ruling: str
    rule: str | None
    gates: list[RulingRecord]
    exit_code: ExitCode


class RuleTest(GatesVerdict):
    """The ruling on an address by what is known, without a request: `source test --no-fetch`."""

    source: str
    address: str
    depth: int
    renamed: NotRequired[dict[str, str]]
    priority: dict[str, str] | None


class ContentSummary(Record):
    """A summary of a document that was fetched; null or 0 where nothing came."""

    access_url: str | None
    target: Annotated[str | None, Field(description="The address that it has moved to.")]
    mime: str | None
    title: str | None
    language: str | None
    size_bytes: int | None
    text_length: int | None
    links: int
    links_to_follow: int


class VisitTest(ContentSummary):
    """One visit of an address through its source, of which nothing is kept: `source test`."""

    source: str
    address: str
    renamed: NotRequired[dict[str, str]]
    outcome: str
    status: int
    status_text: str
    rule: str
    reason: str | None
    advice: str | None
    requests: int
    bytes: int
    credential: str | None
    priority: dict[str, str] | None
    rights: str | None
    exit_code: ExitCode
    gates: NotRequired[list[RulingRecord]]
    prerequisites: NotRequired[list[PrerequisiteRecord]]
    took_s: NotRequired[float]


class QueryTest(Record):
    """One query to a source that is asked at each search, of which nothing is kept: `source test --query`."""

    source: str
    query: str
    route: Annotated[str | None, Field(description="A sentence if the rules of `route` do not send this query.")]
    address: str
    form: str | None
    status: int
    status_text: str
    reason: str | None
    results: int
    total: int | None
    titles: list[str]
    took_s: float
    exit_code: ExitCode


class Judged(Record):
    """Verdict of the rules of a source on an address: what `source test --no-fetch` prints."""

    source: str
    address: str
    depth: int
    renamed: NotRequired[dict[str, str] | None]
    priority: dict[str, str] | None
    ruling: Annotated[str, Field(description="`admits`, `excludes` or `waits`.")]
    rule: str | None
    gates: list[RulingRecord]
    doubts: list[str]


class TrapRecord(Record):
    """A suspected trap: addresses made alike of which the last brought no new text, and the rule to leave them out."""

    trap: str
    source: str
    site: str
    template: str
    addresses: int
    visited: int
    skipped: int
    sample: int
    examples: Sequence[str]
    rule: str
    accepted: bool


class PushResult(Record):
    """The outcome of a pushed item."""

    id: str
    outcome: Annotated[
        str,
        Field(
            description="accepted, unchanged (as it was before), stale (a newer version came before) or refused.",
            examples=["accepted"],
        ),
    ]
    reason: str | None


class PushAnswer(Record):
    """Receipt for a batch of pushed items: what is accepted is kept for good, and found after the next run."""

    source: str
    accepted: int
    unchanged: int
    stale: int
    refused: int
    deleted: Annotated[int, Field(description="Items that are gone, also those that a full feed did not name.")]
    feed: str
    sequence: int | None
    ended: Annotated[bool, Field(description="The batch was the last of a full feed.")]
    repeated: Annotated[bool, Field(description="The batch came before, and changed nothing this time.")]
    results: list[PushResult]
