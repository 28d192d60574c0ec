"""`cormorant lov`: lists of values of attributes, with display names."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cormorant.base.errors import UsageError
from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.typer_apps import examples, new_app

app = new_app("Lists of values of attributes (LOVs): list, add, edit, delete, import, export.", group=True)

Attribute = Annotated[str, typer.Argument(metavar="ATTRIBUTE", help="Name of the attribute.")]
AnyAttribute = Annotated[str, typer.Argument(metavar="ATTRIBUTE", help="Only of this attribute.", show_default=False)]
Value = Annotated[str, typer.Argument(metavar="VALUE", help="The value as documents have it.")]
Names = Annotated[
    list[str],
    typer.Option(
        "--name", metavar="NAME", help="Display name, or LANGUAGE=NAME; may repeat.", default_factory=list,
        show_default=False,
    ),
]  # fmt: skip
InList = Annotated[
    str | None,
    typer.Option("--source", metavar="S", help="In the list of this source.", show_default=False),
]


@app.command("list", epilog=examples("cormorant lov list", "cormorant lov list Author --source docs"))
def list_(context: typer.Context, attribute: AnyAttribute = "", source: InList = None) -> None:
    """List values, in the order in which they are offered."""
    from cormorant.operate.search import value_lists

    say = terminal.of(context)
    with say.house(new=True) as house:
        records = value_lists.listed(house, attribute, source)
    if say.json:
        say.table(records, ())
        return
    shown = [{**each, "source": each["source"] or "", "names": _said(each["names"])} for each in records]
    say.table(shown, ("attribute", "value", "source", "names"))


def _said(names: dict[str, str]) -> str:
    return ", ".join(f"{tag}={name}" if tag else name for tag, name in sorted(names.items()))


@app.command(epilog=examples("cormorant lov add Author hr --name 'Human Resources' --name de=Personal"))
def add(context: typer.Context, attribute: Attribute, value: Value, names: Names, source: InList = None) -> None:
    """Add a value to the list of an attribute."""
    from cormorant.operate.search import value_lists

    say = terminal.of(context)
    with say.house(new=True) as house:
        record = value_lists.add(house, attribute, value, value_lists.display_names(names), source)
    if say.json:
        say.record(record)
    else:
        say.note(f"Added {record['value']!r} to the list of {record['attribute']}.")


@app.command(
    epilog=examples("cormorant lov edit Author hr --name fr=Personnel", "cormorant lov edit Author hr --name fr=")
)
def edit(context: typer.Context, attribute: Attribute, value: Value, names: Names, source: InList = None) -> None:
    """Change display names of a value; one without text is taken out."""
    from cormorant.operate.search import value_lists

    say = terminal.of(context)
    with say.house() as house:
        record = value_lists.edit(house, attribute, value, value_lists.display_names(names), source)
    if say.json:
        say.record(record)
    else:
        say.note(f"Changed {record['value']!r} of {record['attribute']}: {_said(record['names']) or 'no names'}.")


@app.command(epilog=examples("cormorant lov delete Author hr", "cormorant lov delete Author --all"))
def delete(
    context: typer.Context,
    attribute: Attribute,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The value.", show_default=False)] = "",
    source: InList = None,
    every: Annotated[bool, typer.Option("--all", help="Every value of the list.")] = False,
) -> None:
    """Take a value out of the list of an attribute. Documents keep it."""
    from cormorant.operate.search import value_lists

    say = terminal.of(context)
    if bool(value) == every:
        raise UsageError("Name the value, or say --all for every value of the list.")
    with say.house() as house:
        record = value_lists.delete(house, attribute, value or None, source)
    if say.json:
        say.record(record)
    else:
        say.note(f"Deleted {plural(record['deleted'], 'value')} of {record['attribute']}.")


@app.command("export", epilog=examples("cormorant lov export", "cormorant lov export Author --format json"))
def export_(
    context: typer.Context,
    attribute: AnyAttribute = "",
    source: InList = None,
    form: Annotated[str, typer.Option("--format", metavar="FORMAT", help="csv or json (one object a line).")] = "csv",
) -> None:
    """Write lists as CSV or JSON, as `import` reads them."""
    from cormorant.operate.search import value_lists

    if form not in ("csv", "json"):
        raise UsageError(f"There is no format {form!r}. Lists are written as csv or json.")
    say = terminal.of(context)
    with say.house() as house:
        text = value_lists.exported(value_lists.listed(house, attribute, source), "json" if say.json else form)
    sys.stdout.write(text)


@app.command("import", epilog=examples("cormorant lov import values.csv"))
def import_(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV or JSON in UTF-8; - for standard input.")],
) -> None:
    """Read lists from a file: all of it, or nothing. Values that are there get the names of the file."""
    from cormorant.operate.search import value_lists

    say = terminal.of(context)
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from None
    with say.house() as house:
        record = value_lists.load(house, data)
    if say.json:
        say.record(record)
    else:
        say.note(f"Added {plural(record['added'], 'value')}, changed {record['changed']:,}.")
