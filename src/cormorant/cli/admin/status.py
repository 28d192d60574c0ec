"""`cormorant status`: everything on one page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from cormorant.cli import terminal
from cormorant.cli.formatting import plural, size
from cormorant.cli.typer_apps import examples, new_app
from cormorant.model.schedule.timezones import wall_time

app = new_app()


@app.command(epilog=examples("cormorant status", "cormorant status --json"))
def status(context: typer.Context) -> None:
    """Show the state of the installation: sources, held runs, schedules, deliveries, processes."""
    from cormorant.app import data_dir
    from cormorant.operate.search import reindex_lock
    from cormorant.operate.system import status as operation

    say = terminal.of(context)
    plan = say.plan()
    with say.house() as house:
        record = operation.status(house, data_dir.resting(plan.folder))
    if say.json:
        say.record(record)
    else:
        _print(say, record)
        _print_waiting(say, record, plan.folder)
        if any(each["made_anew"] for each in record["receivers"]):
            say.print()
            say.print(reindex_lock.NOTICE)


def _with_answer(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record with the state of a held run shown as such."""
    unanswered = source["last_state"] == "finished" and not source["last_answered"]
    return {**source, "last_state": "finished, but no start address answered"} if unanswered else source


def _print(say: terminal.Terminal, record: Mapping[str, Any]) -> None:
    say.print(f"{plural(record['documents'], 'document')} in {record['data_folder']}")
    say.print()
    if record["sources"]:
        say.table(
            map(_with_answer, record["sources"]),
            ("source", "kind", "documents", "state", "to_fetch", "last_state", "last_good_at"),
        )
    else:
        say.print("There is no source yet. `cormorant source add` adds one.")
    _print_disks(say, record["disks"])
    _print_faults(say, record["sources"])
    _print_quarantined(say, record["sources"])
    _print_reread(say, record)
    _print_leaving(say, record["sources"])
    _print_troubles(say, record["sources"])
    _print_schedules(say, record["schedules"])
    say.print()
    say.table(record["receivers"], ("receiver", "kind", "backlog", "oldest_undelivered_at", "paused", "error"))
    say.print()
    if record["processes"]:
        say.table(record["processes"], ("process", "role", "node", "pid", "seen_at"))
    else:
        say.print("Nothing is running.")
    for each in record["sources"]:
        if each["state"] == "interrupted" and not each["waits"]:
            what = "continues it" if each["survives_restart"] else "starts again, because survives_restart is off"
            goes_on = f"`cormorant crawl {shlex.quote(each['source'])}` {what}."
            say.print(f"Run {each['run']} of {each['source']!r} was interrupted. {goes_on}")
        elif each["run"] is not None and each["last_reason"]:
            say.sentence(f"Run {each['run']} of {each['source']!r}: {each['last_reason']}")
    of = {each["held_run"]: f" of {each['source']!r}" for each in record["sources"]}
    for run in record["held_runs"]:
        say.print()
        answers = f"`cormorant run show {run}` gives the reason and the possible answers."
        say.print(f"Run {run}{of.get(run, '')} waits for your answer. {answers}")


def _print_waiting(say: terminal.Terminal, record: Mapping[str, Any], place: Path) -> None:
    """Print deliveries and schedules that wait for a running process; schedules fire only under `serve`."""
    from cormorant.app import data_dir
    from cormorant.cli.display.report import undelivered

    well = [each["backlog"] for each in record["receivers"] if not each["error"]]
    waits = undelivered(max(well, default=0), record["paused"], resting=data_dir.is_free(place))
    if record["paused"] or waits:
        say.print()
        say.print(waits or "Deliveries are paused. `cormorant provider resume` goes on.")
    elsewhere = any(
        each["role"] == "conductor" and not each["process"].endswith(f"@{data_dir.node(place)}")
        for each in record["processes"]
    )
    planned = [each for each in record["schedules"] if each["enabled"] and each["next_at"]]
    if planned:
        say.print()
    for each in planned:
        at = wall_time(each["next_at"], each["time_zone"])
        say.print(f"Schedule {each['schedule']!r} fires next at {at}.")
    if planned and not elsewhere and not data_dir.noted_ports(place):
        say.print("Schedules start crawls only while `cormorant serve` is running. It is not running now.")


def _print_disks(say: terminal.Terminal, disks: Sequence[Mapping[str, Any]]) -> None:
    """Print the disks that are nearly full, and that crawls wait until there is room."""
    for each in disks:
        if each["full"]:
            say.print()
            say.print(
                f"The disk of {each['folder']} is nearly full: {size(each['free_bytes'])} are free, and crawls pause "
                f"below {size(each['least_bytes'])}. They continue as soon as there is enough space."
            )


def _print_faults(say: terminal.Terminal, sources: Sequence[Mapping[str, Any]]) -> None:
    """Print why the newest run of a source failed, and the commands that list failed documents."""
    for source in sources:
        name, run = shlex.quote(source["source"]), source["last_run"]
        if source["last_state"] == "failed":
            say.print()
            say.sentence(f"{source['source']}: run {run} failed: {source['last_reason'] or 'no reason is known.'}")
        if source["last_failed"]:
            failed = plural(source["last_failed"], "document")
            say.print()
            say.print(
                f"{source['source']}: {failed} failed in run {run}. `cormorant run show {run}` gives the reasons, and "
                f"`cormorant document list --source {name} --state error` lists all documents that fail now."
            )


def _print_reread(say: terminal.Terminal, record: Mapping[str, Any]) -> None:
    """Print how many documents newer readers reread, and when that happens."""
    if not record["to_reread"]:
        return
    several = [f"{each['to_reread']:,} of {each['source']}" for each in record["sources"] if each["to_reread"]]
    reads = any(each["role"] == "retriever" for each in record["processes"])
    when = "They are read in the background" if reads else "`cormorant serve` or the next crawl reads them"
    say.print()
    count = plural(record["to_reread"], "document")
    say.print(
        f"{count} to be read again by newer readers: {', '.join(several)}. {when}, from the kept copies and without a "
        "request to their source."
    )


def _print_quarantined(say: terminal.Terminal, sources: Sequence[Mapping[str, Any]]) -> None:
    """Print the sources with quarantined documents, which killed their converter."""
    from cormorant.model.status import Status

    for source in sources:
        if source["quarantined"]:
            name, many = shlex.quote(source["source"]), plural(source["quarantined"], "document")
            say.print()
            say.print(
                f"{source['source']}: {many} killed the converter twice each, so Cormorant does not try them again "
                f"until they change. `cormorant document recrawl --source {name} --status {Status.QUARANTINED.value}` "
                "tries them again."
            )


def _print_leaving(say: terminal.Terminal, sources: Sequence[Mapping[str, Any]]) -> None:
    """Print the sources that would lose too many documents now, or would have when their run was stopped."""
    for source in sources:
        if source["would_leave"]:
            many = plural(source["would_leave"], "document")
            say.print()
            say.print(
                f"{source['source']}: {many} of {source['documents']:,} would leave the index. That is more than a "
                "run may delete by itself, so search finds them until a run of this source is complete."
            )


def _print_schedules(say: terminal.Terminal, schedules: Sequence[Mapping[str, Any]]) -> None:
    """Print the schedules whose last launch failed, and why."""
    for each in schedules:
        if each["state"] in ("failed", "partially_failed"):
            how = each["state"].replace("_", " ")
            say.print()
            reason = each["reason"] or "no reason is known."
            say.sentence(f"Schedule {each['schedule']!r}: {how}: {reason}", each["time_zone"])


def _print_troubles(say: terminal.Terminal, sources: Sequence[Mapping[str, Any]]) -> None:
    """Print the sites that did not answer, what to do, and that the next crawl visits them again."""
    for source in sources:
        for each in source["troubles"]:
            again = "" if each["not_before"] else f" `cormorant crawl {shlex.quote(source['source'])}` tries it again."
            say.print()
            say.sentence(f"{source['source']}: {each['said']}. {each['advice']}{again}")
