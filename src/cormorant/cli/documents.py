"""`cormorant document`: what is known about addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from cormorant.cli import terminal
from cormorant.cli.calling import OfSource, examples, new_app
from cormorant.model.resource import SETS

app = new_app("What is known about addresses, also before their first visit: list, show, links.", group=True)

Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="The address in full, or the path of a file.")]


@app.command(
    "list",
    epilog=examples(
        "cormorant document list",
        "cormorant document list --source docs --status 404",
        "cormorant document list --state error --json",
        "cormorant document list --excluded",
    ),
)
def list_(
    context: typer.Context,
    source: OfSource = None,
    state: Annotated[
        str | None, typer.Option("--state", metavar="S", help=f"In this state only: {', '.join(SETS)}.")
    ] = None,
    status: Annotated[
        int | None, typer.Option("--status", metavar="N", help="With this status only, like 404.")
    ] = None,
    excluded: Annotated[
        bool, typer.Option("--excluded", help="Addresses that a gate excluded, with the rule.")
    ] = False,
    no_text: Annotated[
        bool, typer.Option("--no-text", help="Documents without text, with the reason: found by their names alone.")
    ] = False,
) -> None:
    """List every known address: status of the last visit, how it is with it, address.

    `--state` and `--json` go by the sets: todo, found (on its way to a receiver), finished (visited in the run under
    way), old (visited in an earlier run: all that is well between runs), error and excluded.
    """
    from cormorant.operate import listing

    say = terminal.of(context)
    with say.house() as house:
        for record in listing.listed(house, listing.Wanted(source, state, status, excluded, no_text)):
            if say.json:
                say.record(record)
            else:
                why = f"  {record['rule'] or record['reason'] or ''}" if excluded or no_text else ""
                say.print(f"{record['status']:>4}  {_word(record):<8}  {record['url']}{why}".rstrip())


def _word(record: Mapping[str, Any]) -> str:
    """How it is with an address, for people: is it found, or else how did its last visit end?"""
    if record["state"] == "todo":
        return "to visit"
    if record["state"] == "found" and record["indexed"]:
        return "to index"
    return "indexed" if record["indexed"] and record["outcome"] != "held" else str(record["outcome"])


@app.command(
    epilog=examples(
        "cormorant document show http://localhost:8000/", "cormorant document show http://localhost:8000/ --json"
    )
)
def show(context: typer.Context, address: Address) -> None:
    """Show what is known about an address, once for each source that knows it."""
    from cormorant.operate import documents

    say = terminal.of(context)
    with say.house() as house:
        records = documents.shown(house, address)
    for record in records:
        say.fields(record)


@app.command(epilog=examples("cormorant document links http://localhost:8000/"))
def links(context: typer.Context, address: Address) -> None:
    """List the links of a document: out of it and into it, with their texts."""
    from cormorant.operate import links as of_links

    say = terminal.of(context)
    with say.house() as house:
        records = of_links.links(house, address)
    say.table(records, ("direction", "address", "text", "rel"))
