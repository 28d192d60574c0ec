"""`cormorant attribute`: search attributes, and their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from cormorant.operate.records.search import AttributeImpact

app = new_app("Search attributes: list, show, add, edit, delete.", group=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the attribute.")]
Kind = Annotated[
    str | None,
    typer.Option("--type", metavar="TYPE", help="string (default), number or date.", show_default=False),
]
About = Annotated[
    str | None, typer.Option("--about", metavar="TEXT", help="Description of the attribute.", show_default=False)
]
Faceted = Annotated[
    bool | None,
    typer.Option("--facet/--no-facet", help="Whether its values are offered beside results.", show_default=False),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask before documents are judged again.")]
_COLUMNS = ("name", "type", "origin", "field", "facet", "values", "about")


@app.command("list", epilog=examples("cormorant attribute list", "cormorant attribute list --json"))
def list_(context: typer.Context) -> None:
    """List the search attributes with their types, and under which name a query asks for each."""
    from cormorant.operate.search import attributes

    say = terminal.of(context)
    with say.house(new=True) as house:
        say.table(attributes.listed(house), _COLUMNS)


@app.command(epilog=examples("cormorant attribute show Author"))
def show(context: typer.Context, name: Name) -> None:
    """Show one attribute."""
    from cormorant.operate.search import attributes

    say = terminal.of(context)
    with say.house() as house:
        say.table([attributes.show(house, name)], _COLUMNS)


@app.command(
    epilog=examples("cormorant attribute add Department --facet", "cormorant attribute add Due_at --type date")
)
def add(context: typer.Context, name: Name, kind: Kind = None, about: About = None, facet: Faceted = None) -> None:
    """Add an attribute. Documents that bring it are kept with values of its type from then on."""
    from cormorant.operate.search import attributes

    say = terminal.of(context)
    with say.house(new=True) as house:
        record = attributes.add(house, name, attributes.AttributeEdit(kind, about, facet))
    if say.json:
        say.record(record)
        return
    say.note(f"Added the attribute {record['name']!r} ({record['type']}).")
    if record["recrawl"]:
        say.note(attributes.impact_sentence(record["recrawl"]))


@app.command(epilog=examples("cormorant attribute edit Author --facet", "cormorant attribute edit Price --type number"))
def edit(
    context: typer.Context, name: Name, kind: Kind = None, about: About = None, facet: Faceted = None, yes: Yes = False
) -> None:
    """Change an attribute. With another type the next crawls judge all documents again."""
    from cormorant.operate.search import attributes

    say = terminal.of(context)
    with say.house() as house:
        now = attributes.show(house, name)
        if kind is not None and kind != now["type"]:
            _agree(say, attributes.impact(house), yes=yes)
        record = attributes.edit(house, name, attributes.AttributeEdit(kind, about, facet))
    if say.json:
        say.record(record)
    else:
        say.note(f"Changed the attribute {record['name']!r} ({record['type']}).")


@app.command(epilog=examples("cormorant attribute delete Department --yes"))
def delete(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Delete an attribute with its lists of values; the next crawls judge all documents again and keep them without it.

    Documents that bring it do not make it known again; `attribute add` does.
    """
    from cormorant.operate.search import attributes

    say = terminal.of(context)
    with say.house() as house:
        attributes.show(house, name)
        _agree(say, attributes.impact(house), yes=yes)
        record = attributes.delete(house, name)
    if say.json:
        say.record(record)
    else:
        say.note(f"Deleted the attribute {record['deleted']!r}.")


def _agree(say: terminal.Terminal, impact: AttributeImpact, *, yes: bool) -> None:
    """Announce that documents are judged again; a user may refuse, which ends the command with 1."""
    from cormorant.operate.search import attributes

    if say.json:
        return
    say.note(attributes.impact_sentence(impact))
    if say.asks and not yes and not typer.confirm("Go on?", err=True):
        say.note("Nothing was changed.")
        raise typer.Exit(1)
