"""`cormorant token`: keys to the pages and the interface where others reach them, each with a scope."""

from __future__ import annotations

from typing import Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.typer_apps import examples, new_app
from cormorant.model.scope import Scope

app = new_app(
    "Tokens, each with a scope, where `serve` listens beyond this machine: add, list, edit, delete.", group=True
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the token: of a person or program that gets it.")]
_SCOPES = (
    "search: what readers may do. operate: also look at sources, documents, runs and figures, and start and stop runs. "
    "admin: everything."
)


@app.command(
    epilog=examples(
        "cormorant token add reports",
        "cormorant token add ada --scope operate",
        "cormorant token add grace --scope admin",
    )
)
def add(
    context: typer.Context,
    name: Name,
    scope: Annotated[Scope, typer.Option("--scope", help=_SCOPES)] = Scope.SEARCH,
) -> None:
    """Make a token and show it, this once: only its hash is kept.

    A program sends it as `Authorization: Bearer TOKEN`, a person types it into the sign-in page.
    """
    from cormorant.operate.system import tokens

    say = terminal.of(context)
    with say.house(new=True) as house:
        record = tokens.add(house, name, scope)
    if say.json:
        say.record(record)
    else:
        say.print(record["value"])
        say.note(
            f"Its scope is {scope}. Keep it: it is not shown again. `cormorant token delete {name}` makes it worthless."
        )


@app.command("list", epilog=examples("cormorant token list", "cormorant token list --json"))
def list_(context: typer.Context) -> None:
    """List the tokens, the scope of each, when it was made and when it was last used; never a value."""
    from cormorant.operate.system import tokens

    say = terminal.of(context)
    with say.house() as house:
        records = tokens.listed(house)
    if not say.table(records, ("token", "scope", "created_at", "used_at")) and not say.json:
        say.note("There is no token yet. Make one: cormorant token add NAME")


@app.command(epilog=examples("cormorant token edit ada --scope search"))
def edit(context: typer.Context, name: Name, scope: Annotated[Scope, typer.Option("--scope", help=_SCOPES)]) -> None:
    """Give a token another scope. It holds from the next request on, also in browsers signed in with it."""
    from cormorant.operate.system import tokens

    say = terminal.of(context)
    with say.house() as house:
        record = tokens.edit(house, name, scope)
    if say.json:
        say.record(record)
    else:
        say.note(f"The scope of {name!r} is {scope} now.")


@app.command(epilog=examples("cormorant token delete ada"))
def delete(context: typer.Context, name: Name) -> None:
    """Forget a token. It opens nothing from now on, and whoever signed in with it is signed out."""
    from cormorant.operate.system import tokens

    say = terminal.of(context)
    with say.house() as house:
        tokens.delete(house, name)
    if say.json:
        say.record({"token": name, "deleted": True})
    else:
        say.note(f"Forgot {name!r}.")
