"""`cormorant parameters`: settings that many sources share."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.base.errors import UsageError
from cormorant.cli import terminal
from cormorant.cli.crawl.sources import Set, agreed, given, print_effects
from cormorant.cli.formatting import plural
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from cormorant.operate.records.sources import SourcePreview

app = new_app("Settings that several sources share: list, show, add, edit, delete.", group=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the set; `system` applies to every source.")]
COLUMNS = ("parameters", "settings", "sources")


@app.command("list", epilog=examples("cormorant parameters list", "cormorant parameters list --json"))
def list_(context: typer.Context) -> None:
    """List the sets and the sources that use them."""
    from cormorant.operate.sources import profiles

    say = terminal.of(context)
    with say.house(new=True) as house:
        records = profiles.listed(house)
    say.table(records, COLUMNS)


@app.command(epilog=examples("cormorant parameters show system", "cormorant parameters show gentle --json"))
def show(context: typer.Context, name: Name) -> None:
    """Show a set."""
    from cormorant.operate.sources import profiles

    say = terminal.of(context)
    with say.house(new=True) as house:
        record = profiles.show(house, name)
    say.fields(record)


@app.command(epilog=examples("cormorant parameters add gentle --set delay_s=5 --set max_documents=2000"))
def add(context: typer.Context, name: Name, pairs: Set) -> None:
    """Add a set. `source edit SOURCE --set parameters=NAME` makes a source use it."""
    from cormorant.operate.sources import profiles

    say = terminal.of(context)
    with say.house(new=True) as house:
        record = profiles.add(house, name, given(pairs))
    if say.json:
        say.record(record)
    else:
        uses = f"`cormorant source edit SOURCE --set parameters={shlex.quote(name)}`"
        say.note(f"Added the set {name!r}. {uses} makes a source use it.")


@app.command(
    epilog=examples(
        "cormorant parameters edit system --set delay_s=2",
        "cormorant parameters edit gentle --set delay_s=10 --preview",
        "cormorant parameters edit gentle --set delay_s=",
    )
)
def edit(
    context: typer.Context,
    name: Name,
    pairs: Set,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show the effect of the edit, and change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before documents leave the index.")] = False,
) -> None:
    """Change settings of a set.

    Settings that you do not name stay; an empty value (NAME=) removes one. Shows the effect on each source that uses
    the set, and asks before documents leave the index.
    """
    from cormorant.operate.sources import impact_preview, profiles

    say = terminal.of(context)
    if not pairs:
        raise UsageError(f"Name a change: cormorant parameters edit {name} --set NAME=VALUE.")
    wanted = given(pairs)
    with say.house(new=True) as house:
        changed = profiles.edited(house, name, wanted)
        effects = [impact_preview.of_whole(house, source, whole) for source, whole in changed.items()]
        if say.json and preview:
            say.record({"parameters": name, "sources": effects})
            return
        for effect in effects:
            _print(say, effect)
        if preview:
            return
        if not yes and not agreed(say, effects):
            say.note("Nothing was changed.")
            raise typer.Exit(1)
        record = profiles.edit(house, name, wanted, {each["source"]: impact_preview.agreed(each) for each in effects})
    if say.json:
        say.record(record)
    else:
        which = ", ".join(changed) or "no source"
        say.note(f"Changed the set {name!r}. It affects {which}, from the next crawl of each.")


def _print(say: terminal.Terminal, effect: SourcePreview) -> None:
    if not say.json:
        say.note(f"{effect['source']}:")
    print_effects(say, effect)


@app.command(epilog=examples("cormorant parameters delete gentle"))
def delete(
    context: typer.Context,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Delete the set although sources use it.")] = False,
) -> None:
    """Delete a set.

    If sources use it, shows what each of them loses, and asks. A program passes --yes.
    """
    import sys

    from cormorant.operate.sources import profiles

    say = terminal.of(context)
    with say.house(new=True) as house:
        seen = profiles.foreseen(house, name)
        asks = bool(seen.effects) and not yes and not say.json and sys.stdin.isatty()
        for effect in seen.effects if yes or asks else ():
            _print(say, effect)
        if asks and not typer.confirm(_question(seen.going), err=True):
            say.note("Nothing was changed.")
            raise typer.Exit(1)
        record = profiles.delete(house, name, used=yes or asks, seen=seen)
    used = record["sources"]
    if say.json:
        say.record(record)
        return
    if not record["deleted"]:
        say.note(f"The set {name!r} was empty, so there is nothing to delete: the defaults apply.")
        return
    verb = "does" if len(used) == 1 else "do"
    without = f" {', '.join(used)} {verb} without it from the next crawl on." if used else ""
    say.note(f"Deleted the set {name!r}.{without}")


def _question(going: int) -> str:
    left = f", and let {plural(going, 'document')} leave at the next crawl" if going else ""
    return f"Delete it{left}?"
