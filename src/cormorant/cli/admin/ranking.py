"""`cormorant tuning`: the weights of ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from cormorant.base.errors import UsageError
from cormorant.cli import terminal
from cormorant.cli.typer_apps import examples, new_app

app = new_app("The weights that decide the order of hits: list, edit, reset.", group=True)

Given = Annotated[
    list[str], typer.Argument(metavar="NAME=VALUE...", help="A weight and its value, for example title=4.")
]


@app.command("list", epilog=examples("cormorant tuning list", "cormorant tuning list --json"))
def list_(context: typer.Context) -> None:
    """List the weights, each with its default."""
    from cormorant.operate.search import ranking

    say = terminal.of(context)
    with say.house(new=True) as house:
        records = ranking.listed(house)
    _print(say, records)


@app.command(epilog=examples("cormorant tuning edit title=4", "cormorant tuning edit recency=3 links=0"))
def edit(context: typer.Context, given: Given) -> None:
    """Change weights. They apply from the next search on, in every process."""
    from cormorant.operate.search import ranking

    say = terminal.of(context)
    pairs = [each.partition("=") for each in given]
    wrong = next((name for name, equals, _ in pairs if not equals), None)
    if wrong is not None:
        raise UsageError(f"{wrong!r} has no value. Write a name, = and a number: cormorant tuning edit title=4")
    with say.house(new=True) as house:
        records = ranking.edit(house, {name: value for name, _, value in pairs})
    _print(say, records)


@app.command(epilog=examples("cormorant tuning reset", "cormorant tuning reset title recency"))
def reset(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="The weights; without a name, all of them.")
    ] = None,
) -> None:
    """Set weights back to their defaults."""
    from cormorant.operate.search import ranking

    say = terminal.of(context)
    with say.house(new=True) as house:
        records = ranking.reset(house, names or ())
    _print(say, records)


def _print(say: terminal.Terminal, records: Sequence[Mapping[str, Any]]) -> None:
    say.table(records, ("name", "value", "standard", "about"))
