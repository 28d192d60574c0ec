"""`cormorant token`: keys to the pages and the REST interface for other machines, each with a scope."""

from __future__ import annotations

from typing import Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.typer_apps import examples, new_app
from cormorant.model.scope import Scope

app = new_app("Tokens for programs and people who sign in: add, list, edit, delete.", group=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the token: the person or program that uses it.")]
_SCOPES = (
    "search: the rights of readers. operate: also read sources, documents, runs and figures, and start and stop runs. "
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
    """Create a token and show it once; only its hash is kept.

    A program sends it as `Authorization: Bearer TOKEN`; a person types it into the sign-in page.
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
            f"Its scope is {scope}. Save it now: it is not shown again. `cormorant token delete {name}` revokes it."
        )


@app.command("list", epilog=examples("cormorant token list", "cormorant token list --json"))
def list_(context: typer.Context) -> None:
    """List the tokens with their scope, their creation and their last use, without their values."""
    from cormorant.operate.system import tokens

    say = terminal.of(context)
    with say.house() as house:
        records = tokens.listed(house)
    if not say.table(records, ("token", "scope", "created_at", "used_at")) and not say.json:
        say.note("There is no token yet. Add one: cormorant token add NAME")


@app.command(epilog=examples("cormorant token edit ada --scope search"))
def edit(context: typer.Context, name: Name, scope: Annotated[Scope, typer.Option("--scope", help=_SCOPES)]) -> None:
    """Give a token another scope.

    It applies from the next request on, also in browsers that are signed in with the token.
    """
    from cormorant.operate.system import tokens

    say = terminal.of(context)
    with say.house() as house:
        record = tokens.edit(house, name, scope)
    if say.json:
        say.record(record)
    else:
        say.note(f"The scope of {name!r} is now {scope}.")


@app.command(epilog=examples("cormorant token delete ada"))
def delete(context: typer.Context, name: Name) -> None:
    """Delete a token. It stops working at once, and browsers signed in with it are signed out."""
    from cormorant.operate.system import tokens

    say = terminal.of(context)
    with say.house() as house:
        tokens.delete(house, name)
    if say.json:
        say.record({"token": name, "deleted": True})
    else:
        say.note(f"Forgot {name!r}.")
