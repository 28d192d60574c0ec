"""`cormorant schedule`: sources that are crawled automatically."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cormorant.base.errors import UsageError
from cormorant.cli import terminal
from cormorant.cli.option_groups import taking
from cormorant.cli.typer_apps import examples, new_app
from cormorant.model.schedule.schedule import MissedPolicy, Overrun, Revisit
from cormorant.model.schedule.timezones import wall_time

if TYPE_CHECKING:
    from cormorant.operate.records.schedules import Launch, Schedule
    from cormorant.operate.runs.schedules import ScheduleChange

app = new_app("Times at which sources are crawled while `cormorant serve` is running.", group=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the schedule.")]


@dataclass(frozen=True, kw_only=True)
class ScheduleOptions:
    """Options of a schedule; None and empty lists stand for options that were not given."""

    sources: Annotated[
        list[str] | None,
        typer.Option(
            "--source", metavar="S", help="A source; may be repeated: the sources are crawled one after another."
        ),
    ] = None
    when: Annotated[
        str | None,
        typer.Option("--when", metavar="WHEN", help="Cron (minute, hour, day, month, day of the week), or manual."),
    ] = None
    every: Annotated[
        str | None,
        typer.Option(
            "--every", metavar="TIME", help="Instead of --when: '2 hours', 'day at 02:00', 'week on sun at 02:00'."
        ),
    ] = None
    zone: Annotated[
        str | None,
        typer.Option(
            "--time-zone", metavar="Z", help="Time zone, for example Europe/Berlin; default: that of the machine."
        ),
    ] = None
    windows: Annotated[
        list[str] | None,
        typer.Option(
            "--window", metavar="HOURS",
            help=(
                "Hours of the week in which its runs may work, for example 'Mon-Fri 20-06'; outside of them the runs "
                "are suspended. May be repeated; '' for all hours."
            ),
        ),
    ] = None  # fmt: skip
    overrun: Annotated[
        Overrun | None,
        typer.Option(
            "--overrun", help="If the previous launch is still running: skip, queue, or restart. Default: skip."
        ),
    ] = None
    missed: Annotated[
        MissedPolicy | None,
        typer.Option(
            "--missed",
            help="If nothing was running at the time: run once as soon as possible, or skip. Default: run.",
        ),
    ] = None
    refresh: Annotated[
        Revisit | None,
        typer.Option("--refresh", help="The documents to visit, as with `crawl --refresh`. Default: all."),
    ] = None

    def wanted(self) -> ScheduleChange:
        """The options as a change of the schedule. Raises UsageError for two times at once."""
        from cormorant.operate.runs.schedules import ScheduleChange

        if self.when is not None and self.every is not None:
            raise UsageError("Give --when or --every, not both.")
        return ScheduleChange(
            self.sources or None, self.when if self.every is None else _every(self.every), self.zone,
            self.windows or None, self.overrun, self.missed, self.refresh,
        )  # fmt: skip


def _every(given: str) -> str:
    """Return the value of --every in the form of --when."""
    return f"every {given.strip().removeprefix('every ')}"


def _print(say: terminal.Terminal, record: Schedule, done: str) -> None:
    """Print the result, and when the schedule fires next."""
    if say.json:
        say.record(record)
        return
    if not record["enabled"]:
        next_at = f"It is disabled: `cormorant schedule enable {shlex.quote(record['schedule'])}`."
    elif record["next_at"]:
        next_at = f"Next: {wall_time(record['next_at'], record['time_zone'])}, while `cormorant serve` is running."
    else:
        next_at = f"It waits for `cormorant schedule start {shlex.quote(record['schedule'])}`."
    say.note(f"{done} {next_at}")


@app.command(
    epilog=examples(
        "cormorant schedule add nightly --source docs --when '0 2 * * *' --time-zone Europe/Berlin",
        "cormorant schedule add weekend --source papers --source docs --every 'week on sat at 06:00'",
        "cormorant schedule add quiet --source docs --when @hourly --window 'Mon-Fri 20-06' --window 'Sat:00-Sun:24'",
        "cormorant schedule add by-hand --source docs --when manual",
    )
)
@taking(ScheduleOptions, "said")
def add(context: typer.Context, name: Name, said: ScheduleOptions) -> None:
    """Add a schedule. Its sources are crawled one after another.

    A time that a change of the clock leaves out moves to the next minute that exists; a time that comes twice counts
    once.
    """
    from cormorant.operate.runs import schedules

    say = terminal.of(context)
    with say.house() as house:
        record = schedules.add(house, name, said.wanted())
    _print(say, record, f"Added schedule {name!r}.")


@app.command("list", epilog=examples("cormorant schedule list", "cormorant schedule list --json"))
def list_(context: typer.Context) -> None:
    """List the schedules with their last result and their next time."""
    from cormorant.operate.runs import schedules

    say = terminal.of(context)
    with say.house() as house:
        records = schedules.listed(house)
    columns = ("schedule", "sources", "when", "time_zone", "state", "last_at", "next_at", "reason")
    if not say.table(records, columns) and not say.json:
        say.note("There is no schedule yet. Add one: cormorant schedule add NAME --source S --when '0 2 * * *'")


@app.command(epilog=examples("cormorant schedule show nightly", "cormorant schedule show nightly --json"))
def show(context: typer.Context, name: Name) -> None:
    """Show a schedule and the results of its last times, the newest first."""
    from cormorant.operate.runs import schedules

    say = terminal.of(context)
    with say.house() as house:
        record = schedules.shown(house, name)
    if say.json:
        say.record(record)
        return
    zone = record["time_zone"]
    say.fields({name: value for name, value in record.items() if name != "history"})
    say.print()
    past = (_flat(each) | {"time_zone": zone} for each in record["history"])
    say.table(past, ("slot_at", "why", "state", "started_at", "finished_at", "runs", "reason"))


def _flat(past: Launch) -> dict[str, Any]:
    """A launch with the numbers of its runs."""
    ended = [each["run"] for each in past["ends"] if each["run"] is not None]
    return {**past, "runs": [*ended, *([past["run"]] if past["run"] is not None else [])]}


@app.command(epilog=examples("cormorant schedule edit nightly --when '30 3 * * *' --overrun queue"))
@taking(ScheduleOptions, "said")
def edit(context: typer.Context, name: Name, said: ScheduleOptions) -> None:
    """Change a schedule.

    Options that you do not name stay; --source replaces the whole list. A launch under way continues with the sources
    that it began with.
    """
    from cormorant.operate.runs import schedules

    say = terminal.of(context)
    wanted = said.wanted()
    if wanted == schedules.ScheduleChange():
        raise UsageError(f"Name a change: cormorant schedule edit {shlex.quote(name)} --when '0 3 * * *'.")
    with say.house() as house:
        record = schedules.edit(house, name, wanted)
    _print(say, record, f"Changed schedule {name!r}.")


@app.command(epilog=examples("cormorant schedule enable nightly"))
def enable(context: typer.Context, name: Name) -> None:
    """Enable a schedule. Times that passed meanwhile are not made up for."""
    _switch(context, name, enabled=True)


@app.command(epilog=examples("cormorant schedule disable nightly"))
def disable(context: typer.Context, name: Name) -> None:
    """Disable a schedule. A launch under way continues."""
    _switch(context, name, enabled=False)


def _switch(context: typer.Context, name: str, *, enabled: bool) -> None:
    from cormorant.operate.runs import schedules

    say = terminal.of(context)
    with say.house() as house:
        record = schedules.set_enabled(house, name, enabled=enabled)
    _print(say, record, f"{'Enabled' if enabled else 'Disabled'} schedule {name!r}.")


@app.command(epilog=examples("cormorant schedule start nightly"))
def start(context: typer.Context, name: Name) -> None:
    """Start a schedule now, whatever the time. `cormorant serve` carries it out as soon as it is running."""
    from cormorant.operate.runs import schedules

    say = terminal.of(context)
    with say.house() as house:
        record = schedules.start(house, name)
    if say.json:
        say.record(record)
    else:
        say.note(
            f"Started schedule {name!r}. `cormorant serve` carries it out; `cormorant schedule show` shows its "
            "progress."
        )


@app.command(epilog=examples("cormorant schedule delete nightly"))
def delete(context: typer.Context, name: Name) -> None:
    """Delete a schedule and its history. A run of it that is under way continues."""
    from cormorant.operate.runs import schedules

    say = terminal.of(context)
    with say.house() as house:
        left = schedules.delete(house, name)
    if say.json:
        say.record({"schedule": name, "deleted": True, "runs": left})
    else:
        goes_on = f" Run {left[0]} continues." if left else ""
        say.note(f"Deleted schedule {name!r}.{goes_on}")
