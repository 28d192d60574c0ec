"""`cormorant query`: the queries of readers."""

from __future__ import annotations

from typing import Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.typer_apps import examples, new_app

app = new_app("Searches of readers, on the pages and by programs: list, top, zero, unclicked.", group=True)

Days = Annotated[int, typer.Option("--days", metavar="N", help="Number of days.")]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="Searches to show, at most 1000.")]


@app.command("list", epilog=examples("cormorant query list", "cormorant query list --limit 5 --json"))
def list_(context: typer.Context, limit: Limit = 100) -> None:
    """List searches, the newest first: the query, the number of results and of opened results."""
    from cormorant.operate.search import query_log

    say = terminal.of(context)
    with say.house() as house:
        records = query_log.listed(house, most=limit)
        kept = house.query_days
    if not say.table(records, ("at", "text", "total", "clicks", "who", "face")) and not say.json:
        say.note(_none(kept))


@app.command(epilog=examples("cormorant query top", "cormorant query top --days 7 --json"))
def top(context: typer.Context, days: Days = 30, limit: Limit = 50) -> None:
    """Count equal searches together, the most frequent first."""
    _counted(context, "top", days, limit)


@app.command(epilog=examples("cormorant query zero", "cormorant query zero --days 7"))
def zero(context: typer.Context, days: Days = 30, limit: Limit = 50) -> None:
    """Count the searches that found nothing: missing documents, or words that documents do not use."""
    _counted(context, "zero", days, limit)


@app.command(epilog=examples("cormorant query unclicked"))
def unclicked(context: typer.Context, days: Days = 30, limit: Limit = 50) -> None:
    """Count the searches of the pages that found documents, none of which a reader opened."""
    _counted(context, "unclicked", days, limit)


def _counted(context: typer.Context, which: str, days: int, limit: int) -> None:
    from cormorant.operate.search import query_log

    say = terminal.of(context)
    with say.house() as house:
        records = query_log.counted(house, query_log.QueryReport(which), days, limit)
        kept = house.query_days
    if not say.table(records, ("query", "times", "total", "clicks", "last_at")) and not say.json:
        say.note(_none(kept))


def _none(kept: int) -> str:
    """Why the list is empty."""
    if not kept:
        return "No searches are kept: CORMORANT_QUERY_DAYS is 0."
    return "There is none. Searches appear here a few seconds after `serve` answers them."
