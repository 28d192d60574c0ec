"""`cormorant site`: the pace at which sites are visited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.typer_apps import OfSource, examples, new_app
from cormorant.model.schedule.timezones import wall_time

if TYPE_CHECKING:
    from cormorant.operate.records.system import SiteSource, WholeSite

app = new_app("Hosts: their pace, the rule behind it, and the gaps between requests.", group=True)

SHOWN_HOURS = 24


@app.command("list", epilog=examples("cormorant site list", "cormorant site list --source docs --json"))
def list_(
    context: typer.Context,
    source: OfSource = None,
) -> None:
    """List the known hosts: requests of the last day, and the smallest gap beside the required delay."""
    from cormorant.operate.system import hosts

    say = terminal.of(context)
    with say.house() as house:
        say.table(
            hosts.listed(house, source),
            ("site", "requests_lately", "smallest_gap_s", "asked_gap_s", "rule", "trouble"),
        )


@app.command(epilog=examples("cormorant site show 127.0.0.1"))
def show(
    context: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="A host; with :PORT, only that port.")],
) -> None:
    """Show how a host is visited: its pace, the rule behind it, the smallest gap, requests by hour."""
    from cormorant.operate.system import hosts

    say = terminal.of(context)
    with say.house() as house:
        records = hosts.shown(house, host)
    for record in records:
        if say.json:
            say.record(record)
        else:
            _print(say, record)


def _print(say: terminal.Terminal, record: WholeSite) -> None:
    hours, asking, known = record["hours"], record["sources"], record["facts"]
    apart = {"site", "hours", "sources", "facts"}
    say.print(say.bold(record["site"]))
    say.fields({name: value for name, value in record.items() if value is not None and name not in apart})
    for each in asking:
        say.print(f"  source {each['source']!r}: {plural(each['addresses'], 'address', 'addresses')}, {_asked(each)}")
    for fact in known:
        until = f"until {wall_time(fact['until'])}" if fact["until"] else "for good"
        say.print(f"  {fact['name']} ({fact['size_bytes']:,} bytes) holds {until}")
    for hour in hours[:SHOWN_HOURS]:
        said = f"  {wall_time(hour['hour'])}: {plural(hour['requests'], 'request')}"
        if hour["asked_gap_s"]:
            said += f", the smallest gap {hour['smallest_gap_s']:g} s where {hour['asked_gap_s']:g} s were required"
        say.print(f"{said}; the newest by {hour['rule']}")
    if len(hours) > SHOWN_HOURS:
        say.print(f"  and {plural(len(hours) - SHOWN_HOURS, 'hour')} before, with --json")


def _asked(each: SiteSource) -> str:
    """The pace that a source requests."""
    if "problem" in each:
        return str(each["problem"])
    if each["suspended_until"]:
        return f"no visits until {wall_time(each['suspended_until'])}: {each['rule']}"
    return f"{each['delay_s']:g} s apart, {each['parallel']} at once: {each['rule']}"
