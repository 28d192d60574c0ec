"""`cormorant source`: the origins of documents."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cormorant.base.errors import CormorantError, Incomplete, Unreachable, UsageError
from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from cormorant.operate.checks.exposure import Seen
    from cormorant.operate.records.sources import SourcePreview
    from cormorant.store.catalog.sources import SourceRow

app = new_app("Sources of documents: add, list, show, edit, test, script, delete.", group=True)


def set_option(listed: str) -> Any:
    """The option that sets settings, which the command `listed` lists."""
    about = f"A setting; may be repeated, also for a list. `{listed}` lists them."
    return typer.Option("--set", metavar="NAME=VALUE", help=about, default_factory=list, show_default=False)


Set = Annotated[list[str], set_option("source kinds")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the source.")]


def given(pairs: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE pairs; a name given twice makes a list. Raises UsageError."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"--set takes NAME=VALUE, like --set depth=2; {pair!r} has no value.")
        if name in found:
            before = found[name]
            found[name] = [*before, value] if isinstance(before, list) else [before, value]
        else:
            found[name] = value
    return found


@app.command(
    epilog=examples(
        "cormorant source kinds",
        "cormorant source kinds web",
        "cormorant source kinds program --set command=/srv/tickets.py",
    )
)
def kinds(
    context: typer.Context,
    pairs: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            default_factory=list,
            show_default=False,
            help="A setting of the kind; then the parameters are listed that its place declares.",
        ),
    ],
    kind: Annotated[str, typer.Argument(help="Only this kind, with its settings.")] = "",
) -> None:
    """List the kinds of sources, the settings of one kind, or the parameters that a program declares."""
    from cormorant.operate.sources import kinds as of_kinds
    from cormorant.plugins import source_kind

    say = terminal.of(context)
    if not kind:
        say.table(of_kinds.of_sources(), ("kind", "about", "package"))
        return
    if not pairs:
        say.described(of_kinds.settings_of(source_kind(kind).settings))
        return
    declared = of_kinds.declared(kind, given(pairs))
    say.described(declared)
    if not declared and not say.json:
        say.note("Such a place declares no parameters of its own.")


@app.command(epilog=examples("cormorant source services", "cormorant source services redact"))
def services(
    context: typer.Context,
    service: Annotated[str, typer.Argument(help="Only this service, with its parameters.")] = "",
) -> None:
    """List the document services, or the parameters of one."""
    from cormorant.operate.sources import kinds as of_kinds
    from cormorant.plugins import SERVICES

    say = terminal.of(context)
    if not service:
        say.table(of_kinds.of_services(), ("kind", "about", "package"))
        return
    say.described(of_kinds.settings_of(SERVICES.get(service).Settings))


@app.command(
    epilog=examples(
        "cormorant source add web handbook --set start=https://handbook.example.org/",
        "cormorant source add web wiki --set start=https://wiki.example.org/ --set depth=3 --set 'exclude=path:/old/*'",
        "cormorant source add files reports --set path=/srv/reports",
    )
)
def add(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Kind: web, files, table. `source kinds` lists them.")],
    name: Name,
    pairs: Set,
) -> None:
    """Add a source."""
    from cormorant.operate.sources import sources
    from cormorant.plugins import source_kind

    say = terminal.of(context)
    wanted = given(pairs)
    with say.house(new=True) as house:
        seen = sources.foreseen(house, kind, name, wanted)
        if say.asks and "owner_grants" not in wanted and _is_to_be_closed(say, name, seen):
            wanted["owner_grants"], seen = "true", None
        row = sources.add(house, kind, name, wanted, seen)
        record, live = sources.as_record(house, row), source_kind(row.kind).live
    if say.json:
        say.record(record)
    else:
        quoted = shlex.quote(row.name)
        then = f"source test {quoted}` asks it once" if live else f"crawl {quoted}` crawls it"
        say.note(f"Added {row.kind} source {row.name!r}. `cormorant {then}.")
        if not say.asks:
            print_exposed(say, name, seen)
    _doubt(say, row)


def _is_to_be_closed(say: terminal.Terminal, name: str, seen: Seen) -> bool:
    """Print which files everyone could find although access is restricted, and ask whether to restrict search too."""
    print_exposed(say, name, seen)
    closable = seen is not None and seen[0].inside > 0
    return closable and typer.confirm(
        "Use the rights of the files, so that only people who may read them find them (owner_grants)?",
        default=None, err=True,
    )  # fmt: skip


def print_exposed(say: terminal.Terminal, name: str, seen: Seen) -> None:
    """Print which files everyone could find although access is restricted, with -q as well."""
    from cormorant.operate.checks import exposure

    for sentence in exposure.sentences(name, seen[0]) if seen is not None else ():
        say.warn(sentence)


def _doubt(say: terminal.Terminal, row: SourceRow, *, conflict_shown: bool = False) -> None:
    """Warn of a source that cannot be crawled now, or not as it was meant; it is kept all the same.

    `conflict_shown`: conflicts of its settings were shown before.
    """
    from cormorant.operate.sources import sources

    doubt = sources.doubt(row)
    if doubt is not None:
        say.problem(doubt)
    if not say.json and not conflict_shown:
        for sentence in sources.doubts(row):
            say.note(sentence)


@app.command("list", epilog=examples("cormorant source list", "cormorant source list --json"))
def list_(context: typer.Context) -> None:
    """List the sources."""
    from cormorant.operate.sources import sources

    say = terminal.of(context)
    with say.house() as house:
        records = [sources.as_record(house, row) for row in sources.every(house)]
    if not say.table(records, ("source", "kind", "documents", "last_run")) and not say.json:
        say.note("There is no source yet. Add one: cormorant source add web NAME --set start=https://...")


@app.command(epilog=examples("cormorant source show docs", "cormorant source show docs --effective --json"))
def show(
    context: typer.Context,
    name: Name,
    effective: Annotated[
        bool, typer.Option("--effective", help="Show every setting and the origin of its value.")
    ] = False,
) -> None:
    """Show a source and its settings."""
    from cormorant.operate.sources import sources

    say = terminal.of(context)
    with say.house() as house:
        record = sources.as_record(house, sources.named(house, name), effective=effective)
    if say.json:
        say.record(record)
        return
    settings, every, exposed = record["settings"], record.get("effective"), record["exposed_files"]
    fields = {name: value for name, value in record.items() if name not in ("settings", "effective")}
    say.fields(fields | {"exposed_files": exposed["files"] if exposed is not None else None})
    say.print()
    if every is None:
        say.fields(settings)
    else:
        say.table(({"setting": key, **value} for key, value in every.items()), ("setting", "value", "from"))


@app.command(
    epilog=examples(
        "cormorant source edit docs --set depth=2 --preview",
        "cormorant source edit docs --set depth=9 --yes",
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
    """Change settings of a source.

    Settings that you do not name stay; an empty value (NAME=) restores the default. Shows how many documents would
    leave the index, and asks before they do.
    """
    say = terminal.of(context)
    if not pairs:
        raise UsageError(f"Name a change: cormorant source edit {name} --set NAME=VALUE.")
    apply_edit(say, name, given(pairs), preview=preview, yes=yes)


def apply_edit(say: terminal.Terminal, name: str, wanted: Mapping[str, Any], *, preview: bool, yes: bool) -> None:
    """Show the effects of an edit, ask if documents would leave, and make it."""
    from cormorant.app import data_dir
    from cormorant.operate.sources import impact_preview, sources

    plan = say.plan()
    with say.house() as house:
        effect = impact_preview.preview(house, name, wanted)
        if say.json and preview:
            say.record(effect)
            return
        print_effects(say, effect)
        if preview:
            return
        if not yes and not agreed(say, [effect]):
            say.note("Nothing was changed.")
            raise typer.Exit(1)
        before = sources.exposed(house, name)
        row = sources.edit(house, name, wanted, impact_preview.agreed(effect))
        record, after = sources.as_record(house, row), sources.exposed(house, name)
    if say.json:
        say.record(record)
    else:
        say.note(f"Changed {name!r}. {_followed(effect, resting=data_dir.is_free(plan.folder))}")
        for sentence in after if after != before else ():
            say.warn(sentence)
    _doubt(say, row, conflict_shown=True)


def print_effects(say: terminal.Terminal, effect: SourcePreview) -> None:
    """Print the effects of an edit."""
    if say.json:
        return
    from cormorant.operate.sources.impact_preview import sentences

    for change in effect["changes"]:
        say.note(f"{change['setting']}: {terminal.show(change['before'])} -> {terminal.show(change['after'])}")
    for sentence in sentences(effect):
        say.note(sentence)


def _followed(effect: SourcePreview, *, resting: bool) -> str:
    """Describe the run that follows an edit. `resting` means that no process owns the data folder."""
    later = [each["setting"] for each in effect["changes"] if each["setting"] not in effect["at_once"]]
    if effect["suspended"]:
        return f"Run {effect['run']}, which is suspended, continues with it."
    if effect["run"] is None or not effect["at_once"]:
        return "The next crawl uses it."
    which, when = ("was interrupted", "when it continues") if resting else ("is under way", "at once")
    now = f"Run {effect['run']}, which {which}, uses {', '.join(effect['at_once'])} {when}"
    return f"{now}; the next crawl uses all of them." if later else f"{now}."


def agreed(say: terminal.Terminal, effects: Sequence[SourcePreview]) -> bool:
    """Ask if documents would leave; a program gets an error with their number and the option to use instead."""
    import sys

    from cormorant.operate.sources import impact_counts

    going = impact_counts.going(effects)
    if going and (not sys.stdin.isatty() or say.json):
        raise UsageError(
            f"{plural(going, 'document')} would leave the index. Pass --yes to agree, or --preview to see them.",
            **impact_counts.of_edits(effects),
        )
    return not going or typer.confirm(f"Save, and let {plural(going, 'document')} leave at the next crawl?", err=True)


@app.command(
    "test",
    epilog=examples(
        "cormorant source test docs",
        "cormorant source test docs --address http://localhost:8000/",
        "cormorant source test docs --address https://elsewhere.example/old/ --no-fetch",
        "cormorant source test intranet --query 'opening hours'",
    ),
)
def try_(
    context: typer.Context,
    name: Name,
    address: Annotated[
        str | None,
        typer.Option("--address", metavar="A", help="The address to fetch; default: the first start address."),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(
            "--query", metavar="Q", help="The query for a source that is asked at search time; default: test."
        ),
    ] = None,
    no_fetch: Annotated[
        bool, typer.Option("--no-fetch", help="Send no request: judge the address by the rules and by the known facts.")
    ] = False,
) -> None:
    """Fetch one address now, and show its content, each gate and the rule that decided. Nothing is kept.

    A source that is asked at each search is asked once with a query instead.
    """
    from cormorant.app.commands.test_source import try_source
    from cormorant.operate.sources import fetch_test, sources

    say = terminal.of(context)
    if no_fetch:
        with say.house() as house:
            record: dict[str, Any] = {**fetch_test.judge(house, name, address)}
    else:
        record = {**try_source(say.plan(), name, address, query)}
    with say.house() as house:
        record["doubts"] = sources.doubts(sources.named(house, name))
    code = record.pop("exit_code")
    if say.json:
        say.fields(record)
        say.explain([_ended_badly(record, code)] if code else [])
    else:
        gates, doubts = record.pop("gates", ()), record.pop("doubts")
        for sentence in doubts:
            say.note(sentence)
        say.fields(record)
        if gates:
            say.print()
            say.table(gates, ("gate", "ruling", "rule"))
    raise typer.Exit(code)


def _ended_badly(record: Mapping[str, Any], code: int) -> CormorantError:
    """Return the error of a failed trial: its outcome, or the rule that excludes the address."""
    if "status" not in record:
        return Incomplete(f"{record['address']} is excluded by {record['rule']}.")
    parts = [f"{record['address']}: {record['status']} {record['status_text']}."]
    parts += [str(record[name]) for name in ("reason", "advice") if record.get(name)]
    return (Unreachable if code == Unreachable.exit_code else Incomplete)(" ".join(parts))


@app.command(epilog=examples("cormorant source script desk", "cormorant source script desk --json"))
def script(context: typer.Context, name: Name) -> None:
    """Print the statements that have a database note its changes in a log table. Nothing is run."""
    from cormorant.operate.sources.change_script import change_script

    say = terminal.of(context)
    with say.house() as house:
        record = change_script(house, name)
    if say.json:
        say.record(record)
    else:
        say.print(record["script"].rstrip())


@app.command(epilog=examples("cormorant source delete wiki --yes"))
def delete(
    context: typer.Context,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a source and all its data. Its documents leave the index."""
    import sys

    from cormorant.operate.runs import schedules
    from cormorant.operate.sources import impact_counts, sources

    say = terminal.of(context)
    with say.house() as house:
        record = sources.as_record(house, sources.named(house, name))
        planned = schedules.naming(house, name)
        if record["documents"] and not yes:
            if not sys.stdin.isatty() or say.json:
                raise UsageError(
                    f"{plural(record['documents'], 'document')} would leave the index. Pass --yes to agree.",
                    **impact_counts.of_deletion(house, name),
                )
            if not typer.confirm(f"Delete {name!r} and its {plural(record['documents'], 'document')}?", err=True):
                say.note("Nothing was changed.")
                raise typer.Exit(1)
        left = sources.delete(house, name)
    if say.json:
        say.record({"source": name, "deleted": True, "documents": left, "schedules": planned})
        return
    say.note(f"Deleted {name!r}; {left} documents leave the index.")
    for each in planned:
        what = "is deleted with it" if each["alone"] else "crawls its other sources from now on"
        say.note(f"Schedule {each['schedule']!r} {what}.")
