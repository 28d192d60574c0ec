"""`cormorant takedown`: documents that are hidden from every reader, whatever a crawl finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.option_groups import taking
from cormorant.cli.typer_apps import OfSource, examples, new_app
from cormorant.model.schedule.timezones import wall_time

if TYPE_CHECKING:
    from cormorant.cli.terminal import Terminal
    from cormorant.operate.records.takedowns import Erasure

app = new_app("Documents hidden from every reader: list, show, lift, erase. `document takedown` adds one.", group=True)

Number = Annotated[int, typer.Argument(metavar="ID", help="Number of the takedown.", min=1)]


@dataclass(frozen=True, kw_only=True)
class Terms:
    """Terms of a takedown."""

    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="The reason, for people who ask later.")]
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="DATE",
            help="The last day on which it is hidden (2026-12-31), or a time; default: until it is lifted.",
            show_default=False,
        ),
    ] = None
    source: OfSource = None
    erase: Annotated[
        bool, typer.Option("--erase", help="Also remove text, copies and index entries from the disk.")
    ] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. Nobody is asked without a terminal.")] = False


@taking(Terms, "terms")
def add(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS or RULE",
            help="An address in full, the path of a file, or a rule like prefix:https://example.org/old/.",
        ),
    ],
    terms: Terms,
) -> None:
    """Hide documents from every reader at once: in search, suggestions, copies and receivers.

    Later crawls do not visit these addresses, and a rebuild of the index leaves them out, until the takedown is lifted
    or DATE is over. With --erase nothing of their text is left in the data folder when the command ends with 0: it
    scans all files for it. Backups that were taken before, and whatever receivers keep, are not in reach.
    """
    import sys

    from cormorant.operate.documents import takedowns

    say = terminal.of(context)
    order = takedowns.TakedownOrder(what, terms.reason, _author(), terms.source, terms.until, terms.erase)
    with say.house() as house:
        if sys.stdin.isatty() and not (terms.yes or say.json) and not _agreed(takedowns.meant(house, order)):
            say.note("Nothing was changed.")
            raise typer.Exit(1)
        record = takedowns.take_down(house, order)
    if not say.json:
        _print(say, record)
    erased = _erased(say, record["id"]) if terms.erase else None
    if say.json:
        say.record(record if erased is None else record | {"erasure": erased, "erased_at": erased["erased_at"]})
    _end(erased)


def _author() -> str:
    """The account that runs the command."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown account"


def _agreed(meant: Any) -> bool:
    """Ask at the terminal, listing the addresses that would be hidden."""
    shown = "".join(f"\n  {each}" for each in meant.examples)
    more = "\n  ..." if meant.known > len(meant.examples) else ""
    count = f"{plural(meant.documents, 'document')} that search finds now"
    erased = " and erase from the disk" if meant.wish.erase else ""
    return typer.confirm(f"Hide{erased} {count}?{shown}{more}\n", err=True)


def _print(say: Terminal, record: Mapping[str, Any]) -> None:
    """Print what a takedown hides, what it does not, and how it ends."""
    until = f", until {wall_time(record['expires_at'])}" if record["expires_at"] else ""
    say.note(
        f"Takedown {record['id']} is in force{until}: search found {plural(record['documents'], 'document')} of it."
    )
    if not record["addresses"]:
        say.note("No source knows such an address; a crawl that meets it excludes it. Check the spelling.")
    if record["duplicates"]:
        say.note("Search still finds the same content at other addresses:")
        for url in record["duplicates"]:
            say.note(f"  {url}")
    say.note(f"`cormorant takedown lift {record['id']}` ends it.")


def _erased(say: Terminal, number: int) -> Erasure:
    """Erase the documents of a takedown, and report what the scan found."""
    from cormorant.operate.documents import erasure

    with say.beside() as (house, lent):
        record = erasure.erase(house, number, lent=lent, on_step=lambda step: say.note(f"{step} ..."))
    scanned = f"{plural(record['files_scanned'], 'file')} ({record['bytes_scanned']:,} bytes)"
    if record["erased"] and not say.json:
        say.note(f"Erased: {plural(record['copies'], 'kept copy', 'kept copies')}. Nothing is left in {scanned}.")
    for path in record["kept_before"]:
        say.note(f"{path} is from before an upgrade and may still hold it. Delete that file if you do not need it.")
    return record


def _end(erased: Mapping[str, Any] | None) -> None:
    """End with 1 while the disk still holds erased text, and with 3 if a file from an upgrade may."""
    from cormorant.base.errors import DataFolderError

    if erased is None:
        return
    if not erased["erased"]:
        places = ", ".join(erased["left_in"][:5])
        raise DataFolderError(
            f"It is hidden, but passages of it are still in {places}. Remove these files, or the passages in them, and "
            f"run `cormorant takedown erase {erased['id']}`, which erases the kept copies as well."
        )
    if erased["kept_before"]:
        raise typer.Exit(3)


@app.command(
    "list",
    epilog=examples("cormorant takedown list", "cormorant takedown list --all", "cormorant takedown list --json"),
)
def list_(
    context: typer.Context,
    all_: Annotated[bool, typer.Option("--all", help="Include those that were lifted or have expired.")] = False,
) -> None:
    """List the takedowns in force: rule, author, reason and end."""
    from cormorant.operate.documents import takedowns

    say = terminal.of(context)
    with say.house() as house:
        records = takedowns.list_(house, ended=all_)
    columns = ("id", "state", "rule", "source", "hidden", "author", "created_at", "expires_at", "reason")
    if not say.table(records, columns) and not say.json:
        say.note("There are no takedowns. `cormorant document takedown ADDRESS --reason TEXT` hides a document.")


@app.command(epilog=examples("cormorant takedown show 1"))
def show(context: typer.Context, number: Number) -> None:
    """Show one takedown."""
    from cormorant.operate.documents import takedowns

    say = terminal.of(context)
    with say.house() as house:
        say.fields(takedowns.show(house, number))


@app.command(epilog=examples("cormorant takedown lift 1"))
def lift(context: typer.Context, number: Number) -> None:
    """End a takedown.

    Search finds documents with a kept copy at once, the others after the next crawl.
    """
    from cormorant.operate.documents import takedowns

    say = terminal.of(context)
    with say.house() as house:
        record = takedowns.lift(house, number, _author())
    if say.json:
        say.record(record)
        return
    count = plural(record["documents"], "document")
    say.note(f"Lifted takedown {number}: {count} found again as soon as `serve`, or the next crawl, has indexed it.")
    if record["next_crawl"]:
        say.note(f"The next crawl visits {plural(record['next_crawl'], 'address', 'addresses')} of it again.")


@app.command(epilog=examples("cormorant takedown erase 1"))
def erase(context: typer.Context, number: Number) -> None:
    """Erase the documents of a takedown from the disk, and scan the data folder for them.

    This also continues an erasure that was interrupted.
    """
    say = terminal.of(context)
    record = _erased(say, number)
    if say.json:
        say.record(record)
    _end(record)


ADD_EXAMPLES = (
    "cormorant document takedown http://localhost:8000/draft.html --reason 'Names a patient'",
    "cormorant document takedown prefix:http://localhost:8000/old/ --reason 'Court order' --until 2099-06-30",
    "cormorant document takedown http://localhost:8000/draft.html --reason 'Right to erasure' --erase --yes",
)
