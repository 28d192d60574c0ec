"""`cormorant trap`: endless URL spaces, and rules that would exclude them."""

from __future__ import annotations

from typing import Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.crawl.sources import apply_edit
from cormorant.cli.typer_apps import OfSource, examples, new_app

app = new_app("Suspected spider traps and the rules against them: list, accept.", group=True)


@app.command("list", epilog=examples("cormorant trap list", "cormorant trap list --source docs --json"))
def list_(
    context: typer.Context,
    source: OfSource = None,
) -> None:
    """List parts of sites that produce pages without end and no new text, with the rule that would exclude each."""
    from cormorant.operate.checks import traps

    say = terminal.of(context)
    with say.house() as house:
        records = traps.listed(house, source)
    columns = ("trap", "source", "template", "addresses", "visited", "accepted", "rule")
    if not say.table(records, columns) and not say.json:
        say.note("No trap is suspected.")


@app.command(epilog=examples("cormorant trap accept 1f8a03bc --preview", "cormorant trap accept 1f8a03bc --yes"))
def accept(
    context: typer.Context,
    trap: Annotated[str, typer.Argument(metavar="ID", help="The trap, as `trap list` names it.")],
    preview: Annotated[
        bool, typer.Option("--preview", help="Show the effect of the rule, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before documents leave the index.")] = False,
) -> None:
    """Add the rule of a suspected trap to the exclude rules of its source, as `source edit` does."""
    from cormorant.operate.checks import traps

    say = terminal.of(context)
    with say.house() as house:
        name, edit = traps.proposed(house, trap)
    apply_edit(say, name, edit, preview=preview, yes=yes)
