"""Run report for people and for programs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cormorant.base.errors import CormorantError, Incomplete, Unreachable, coded
from cormorant.cli.formatting import duration, plural, size
from cormorant.model.run import ASKING_STATES, RunState
from cormorant.model.schedule.timezones import localized

if TYPE_CHECKING:
    from cormorant.app.build import BuildPlan
    from cormorant.cli.terminal import Terminal

COUNTERS = (
    "to_fetch",
    "fetched",
    "fetch_failures",
    "rejected",
    "discovered",
    "indexed",
    "non_indexable",
    "conversion_failures",
)
"""The eight classic counters, in their order."""

FEW = 10
"""Documents listed at the end of a crawl that would delete them; `run show` lists more."""

LABELS = {"indexed": "newly indexed"}
"""Labels of counters whose name alone would mislead: a changed document is in the index already."""

_MORE = (
    "new",
    "changed",
    "moved",
    "deleted",
    "unchanged",
    "gone",
    "excluded",
    "unlinked",
    "unvisited_changed",
    "unvisited_deleted",
    "deferred",
    "failed",
    "quarantined",
    "held",
)


def print_reports(
    say: Terminal, plan: BuildPlan, numbers: Sequence[int], *, failed: bool = False, asked: bool = False
) -> int:
    """Print the report of every run; returns the exit code of all, at least 3 if `failed`.

    With -q only problems are printed, unless the report was `asked` for.
    """
    from cormorant.app import data_dir
    from cormorant.app.commands.open import opened
    from cormorant.operate.delivery import receivers
    from cormorant.operate.runs import start

    with opened(plan) as house:
        for number in numbers:
            record = start.shown(house, number)
            going = start.leaving_count(house, number) if record.get("leaving") else 0
            if say.quiet and not asked:
                _warn(say, record, start.exit_code(house, [number]))
            else:
                _print(say, record, going)
            say.explain(_errors(record, start.exit_code(house, [number])))
        if not say.json and (waiting := undelivered(*receivers.waiting(house), resting=data_dir.is_free(plan.folder))):
            say.note(waiting)
        code = start.exit_code(house, numbers)
        return start.worst([code, 3]) if failed else code


def undelivered(count: int, paused: bool, *, resting: bool) -> str:
    """Describe how many changes wait for delivery, and what delivers them. Return "" if they are being delivered.

    `resting`: no process owns the data folder.
    """
    if not count or not (paused or resting):
        return ""
    wait = plural(count, "change waits", "changes wait")
    them = "it" if count == 1 else "them"
    who = "the next crawl, or `cormorant serve`, delivers" if resting else "the running command delivers"
    if paused:
        return f"{wait} to be delivered. Deliveries are paused: after `cormorant provider resume` {who} {them}."
    return f"{wait} to be delivered: {who} {them}."


def _warn(say: Terminal, record: Mapping[str, Any], code: int) -> None:
    """Print the notices of a run, and its problems if it did not go well; without any, how it ended."""
    problems = ([each["sentence"] for each in record["problems"]] or [_ended(record)]) if code else []
    for sentence in (*problems, *(each["sentence"] for each in record["notices"])):
        say.warn(sentence)


def _ended(record: Mapping[str, Any]) -> str:
    """Return how a run ended, as one sentence."""
    state = f"Run {record['run']} of {record['source']!r} is {record['state']}."
    return f"{state} {record['reason']}" if record["reason"] else state


def _errors(record: Mapping[str, Any], code: int) -> Iterator[CormorantError]:
    """The problems of a run that did not go well, as errors of its exit code."""
    about = {"run": record["run"], "source": record["source"]}
    kinds: dict[int, type[CormorantError]] = {Unreachable.exit_code: Unreachable, Incomplete.exit_code: Incomplete}
    kind = kinds.get(code) or coded(record["error"])
    for each in record["problems"] if code else ():
        place = {"address": each["address"]} if "address" in each else {}
        yield kind(each["sentence"], kind=each["kind"], **about, **place)
    if code and not record["problems"]:
        yield kind(_ended(record), kind="run", **about)


def _print(say: Terminal, record: Mapping[str, Any], going: int) -> None:
    if say.json:
        say.record(record)
        return
    for line in figures(record):
        say.print(line)
    for line in problem_lines(record):
        say.warn(line)
    for line in leaving_lines(record, going):
        say.print(line)
    for line in questions(record):
        say.print(line)


def lines(record: Mapping[str, Any]) -> Iterator[str]:
    """The report of one run as text."""
    yield from figures(record)
    yield from problem_lines(record)
    yield from questions(record)


def figures(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a run report: its course, and its counters unless it failed before it did anything."""
    took = duration(record["seconds"])
    head = f"Run {record['run']} of {record['source']!r}: {record['state']} after {took}"
    outcomes = _outcomes(record)
    did_nothing = record["state"] == "failed" and not outcomes and not any(record[name] for name in COUNTERS)
    yield head if did_nothing else f"{head}, {record['pages_per_s']:g} pages a second"
    if record["reason"] and record["reason"] not in (each["sentence"] for each in record["problems"]):
        yield f"  {localized(record['reason'])}"
    if did_nothing:
        return
    if outcomes:
        yield f"  {', '.join(outcomes)}"
    yield ""
    for name in COUNTERS:
        yield f"  {label_of(name):<20}{record[name]:>12,}"
    yield ""
    if record["requests"]:
        yield f"  {plural(record['requests'], 'request')}, {size(record['bytes'])} over the wire"
    else:
        yield f"  {size(record['bytes'])} read"
    if record["edited"]:
        yield f"  every document was downloaded again, because these settings changed: {', '.join(record['edited'])}"
    if (known := record["failed_as_before"]) and record["source"]:
        yield f"  {plural(known, 'document fails', 'documents fail')} as before:"
        yield f"  cormorant document list --source {shlex.quote(record['source'])} --state error   lists the failures"
    if record["exposed_files"]:
        yield f"  everyone can find {plural(record['exposed_files'], 'file')} that others may not read on the disk"
    if record["changed"] or record["deleted"] or (record["new"] and record["unchanged"]):
        yield f"  cormorant document list --changed {record['run']}   lists new, changed and gone documents"


def label_of(counter: str) -> str:
    """Return the label of one of the classic counters."""
    return LABELS.get(counter, counter.replace("_", " "))


def _outcomes(record: Mapping[str, Any]) -> list[str]:
    """Return how many documents are new, changed, moved, deleted and unchanged, then how other visits ended.

    Beside deleted documents the addresses that are gone are called addresses, since some may have had no document.
    """
    counts = {name: record[name] for name in _MORE}
    labels = {name: name.replace("_", " ") for name in counts}
    if counts["deleted"]:
        labels["gone"] = "address gone" if counts["gone"] == 1 else "addresses gone"
    return [f"{count:,} {labels[name]}" for name, count in counts.items() if count]


def problem_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the problems of a run as text, headed by the run, since they may be printed without its figures.

    The wait for an answer is not repeated here, since the report ends with that question.
    """
    sentences = [each["sentence"] for each in record["problems"] if each.get("code") not in ASKING_STATES]
    if sentences:
        yield ""
        yield f"  Problems of run {record['run']} of {record['source']!r}:"
    for sentence in sentences:
        yield f"    {localized(sentence)}"
    for each in record["notices"]:
        yield ""
        yield f"  {each['sentence']}"


def leaving_lines(record: Mapping[str, Any], going: int, most: int = FEW) -> Iterator[str]:
    """The first documents that a held run would delete, and how many more of the `going` documents."""
    first = record.get("leaving", ())[:most]
    if first:
        yield ""
        yield "  These documents would leave the index:"
    for each in first:
        yield f"    {each['status']}  {each['url']}"
    if first and going > len(first):
        yield f"    and {going - len(first):,} more"


def questions(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the questions of a run that waits for an answer."""
    run = record["run"]
    if record["state"] == RunState.HELD:
        yield ""
        yield "  Nothing has left the index yet. Next steps:"
        yield f"    cormorant run show {run}      shows the documents that would leave"
        yield f"    cormorant run accept {run}    lets them leave"
        yield f"    cormorant run refuse {run}    keeps them until the next crawl"
    if record["state"] == RunState.PENDING:
        yield ""
        yield f"  {plural(record['to_index'], 'document')} of it can be indexed; none is yet. Next steps:"
        yield f"    cormorant document list --run {run}   shows the visited documents"
        yield f"    cormorant run prune {run} RULE        leaves out documents by a rule, for example path:/drafts/"
        yield f"    cormorant run index {run}             indexes the rest, without a request"
        yield f"    cormorant run stop {run}              drops them: the next crawl fetches them again"
    yield ""
