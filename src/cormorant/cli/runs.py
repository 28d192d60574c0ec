"""`cormorant run`: look at runs, answer one that is held."""

from __future__ import annotations

from typing import Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.calling import OfSource, examples, new_app

app = new_app("Runs, each one crawl of one source: list, show, accept, refuse.", group=True)

Number = Annotated[
    int | None, typer.Argument(metavar="[ID]", help="Number of the run; none: the newest.", show_default=False)
]


@app.command("list", epilog=examples("cormorant run list", "cormorant run list --source docs --json"))
def list_(
    context: typer.Context,
    source: OfSource = None,
) -> None:
    """List runs, the newest first."""
    from cormorant.app import folder
    from cormorant.operate import crawl

    say = terminal.of(context)
    plan = say.plan()
    with say.house() as house:
        records = crawl.listed(house, source, folder.resting(plan.folder))
    say.table(records, ("run", "source", "state", "started_at", "seconds", "fetched", "indexed", "failed"))


@app.command(epilog=examples("cormorant run show", "cormorant run show 1 --json"))
def show(context: typer.Context, number: Number = None) -> None:
    """Show the report of a run; of a held one, which documents would go too."""
    from cormorant.app import folder
    from cormorant.cli.report import lines
    from cormorant.operate import crawl

    say = terminal.of(context)
    plan = say.plan()
    with say.house() as house:
        record = crawl.shown(house, number, folder.resting(plan.folder))
    if say.json:
        say.record(record)
        return
    for line in lines(record):
        say.print(line)
    for each in record.get("leaving", ()):
        say.print(f"  {each['status']}  {each['url']}")


@app.command(epilog=examples("cormorant run accept", "cormorant run accept 1"))
def accept(context: typer.Context, number: Number = None) -> None:
    """Let the documents of a held run go, or take their new text, and carry the run to its end."""
    _answer(terminal.of(context), number, accept=True)


@app.command(epilog=examples("cormorant run refuse", "cormorant run refuse 1"))
def refuse(context: typer.Context, number: Number = None) -> None:
    """Keep the documents of a held run as they are until the next crawl, and carry the run to its end."""
    _answer(terminal.of(context), number, accept=False)


def _answer(say: terminal.Terminal, number: int | None, *, accept: bool) -> None:
    from cormorant.cli.crawl import carry_out
    from cormorant.operate import crawl
    from cormorant.operate.crawl import Ordered

    with say.house() as house:
        row = crawl.answer(house, number, accept=accept)
        source = crawl.report(house, row.id)["source"]
    raise typer.Exit(carry_out(say, say.plan(), [Ordered(row.id, source, resumed=False)]))
