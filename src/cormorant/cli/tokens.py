"""`cormorant token`: what lets somebody do more than search where others reach the pages."""

from __future__ import annotations

from typing import Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.calling import examples, new_app

app = new_app("Tokens, for all but search where `serve` listens beyond this machine: add, list, delete.", group=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the token: of a person or program that gets it.")]


@app.command(epilog=examples("cormorant token add ada", "cormorant token add reports --json"))
def add(context: typer.Context, name: Name) -> None:
    """Make a token and show it, this once: only its hash is kept.

    A program sends it as `Authorization: Bearer TOKEN`, a person types it into the sign-in page.
    """
    from cormorant.operate import tokens

    say = terminal.of(context)
    with say.house(new=True) as house:
        record = tokens.add(house, name)
    if say.json:
        say.record(record)
    else:
        say.print(record["value"])
        say.note(f"Keep it: it is not shown again. `cormorant token delete {name}` makes it worthless.")


@app.command("list", epilog=examples("cormorant token list", "cormorant token list --json"))
def list_(context: typer.Context) -> None:
    """List the tokens, when each was made and when it was last used; never a value."""
    from cormorant.operate import tokens

    say = terminal.of(context)
    with say.house() as house:
        records = tokens.listed(house)
    if not say.table(records, ("token", "created_at", "used_at")) and not say.json:
        say.note("There is no token yet. Make one: cormorant token add NAME")


@app.command(epilog=examples("cormorant token delete ada"))
def delete(context: typer.Context, name: Name) -> None:
    """Forget a token. Whoever has it, or signed in with it, can do no more than search from now on."""
    from cormorant.operate import tokens

    say = terminal.of(context)
    with say.house() as house:
        tokens.delete(house, name)
    if say.json:
        say.record({"token": name, "deleted": True})
    else:
        say.note(f"Forgot {name!r}.")
