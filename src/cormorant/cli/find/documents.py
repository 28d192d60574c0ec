"""`cormorant document`: what is known about addresses."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cormorant.cli import terminal
from cormorant.cli.find import takedowns
from cormorant.cli.formatting import plural
from cormorant.cli.option_groups import taking
from cormorant.cli.typer_apps import Most, OfSource, examples, new_app
from cormorant.model.resource import SETS

if TYPE_CHECKING:
    from cormorant.cli.terminal import Terminal

app = new_app(
    "Known addresses, also before their first visit: list, show, links, recrawl, delete, takedown.",
    group=True,
)
_CHANGES = {"new": "new", "content": "changed", "access": "rights"}
"""Labels of what a visit changed. A changed outcome is labelled by the outcome itself."""
REFUSED = "refused"
"""Label of a document that a receiver rejected and that has no other fault."""
_WELL = ("ok", "unchanged", "moved", "gone")

OfState = Annotated[str | None, typer.Option("--state", metavar="S", help=f"In this state only: {', '.join(SETS)}.")]
OfStatus = Annotated[
    int | None, typer.Option("--status", metavar="N", min=0, max=9999, help="With this status only, like 404.")
]
Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="The address in full, or the path of a file.")]


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Options of a document list: which documents are listed, and how many."""

    source: OfSource = None
    state: OfState = None
    status: OfStatus = None
    excluded: Annotated[bool, typer.Option("--excluded", help="Addresses that a gate excluded, with the rule.")] = False
    no_text: Annotated[
        bool, typer.Option("--no-text", help="Documents without text, or with almost none, and the reason.")
    ] = False
    run: Annotated[
        int | None, typer.Option("--run", metavar="ID", help="Last visited by this run only.", show_default=False)
    ] = None
    changed: Annotated[
        int | None,
        typer.Option(
            "--changed", metavar="ID", help="Documents that this run found new, changed or gone.", show_default=False
        ),
    ] = None
    limit: Most = None


@app.command(
    "list",
    epilog=examples(
        "cormorant document list",
        "cormorant document list --source docs --status 404",
        "cormorant document list --state error --json",
        "cormorant document list --excluded",
        "cormorant document list --run 1",
        "cormorant document list --changed 1",
        "cormorant document list --limit 20",
    ),
)
@taking(ListOptions, "listed")
def list_(context: typer.Context, listed: ListOptions) -> None:
    """List every known address: status of the last visit, state, address.

    `--state` and `--json` use the sets: todo, found (on its way to a receiver), finished (visited in the run under
    way), old (visited in an earlier run: the normal state between runs), error (failed, or rejected by a receiver) and
    excluded.
    """
    from cormorant.operate.documents import listing

    say = terminal.of(context)
    wanted = listing.DocumentFilter(
        listed.source, listed.state, listed.status, listed.excluded, listed.no_text, listed.run, listed.changed
    )
    with say.house() as house:
        for record in islice(listing.listed(house, wanted), listed.limit):
            if say.json:
                say.record(record)
            else:
                explained = listed.excluded or listed.no_text or listed.state == "error" or listed.status is not None
                why = f"  {record['rule'] or record['reason'] or ''}" if explained or _word(record) == REFUSED else ""
                say.print(f"{record['status']:>4}  {_word(record):<8}  {record['url']}{why}".rstrip())


def _word(record: Mapping[str, Any]) -> str:
    """Return the label of an address: its change in a run, else its state in search or last outcome."""
    if record.get("change") in _CHANGES:
        return _CHANGES[record["change"]]
    if record["state"] == "todo":
        return "to visit"
    if record["state"] == "found" and record["indexed"]:
        return "to index"
    if record["state"] == "error" and record["outcome"] in _WELL:
        return REFUSED
    return "indexed" if record["indexed"] and record["outcome"] != "held" else str(record["outcome"])


@app.command(
    epilog=examples(
        "cormorant document show http://localhost:8000/", "cormorant document show http://localhost:8000/ --json"
    )
)
def show(context: typer.Context, address: Address) -> None:
    """Show the facts about an address, once for each source that knows it."""
    from cormorant.operate.documents import lookup

    say = terminal.of(context)
    with say.house() as house:
        records = lookup.shown(house, address)
    for record in records:
        say.fields(record)


@app.command(epilog=examples("cormorant document links http://localhost:8000/"))
def links(context: typer.Context, address: Address) -> None:
    """List the links of a document, out of it and into it, with their texts."""
    from cormorant.operate.documents import links as of_links

    say = terminal.of(context)
    with say.house() as house:
        records = of_links.links(house, address)
    say.table(records, ("direction", "address", "text", "rel"))


@app.command(
    epilog=examples(
        "cormorant document recrawl http://localhost:8000/",
        "cormorant document recrawl --source docs --status 404",
        "cormorant document recrawl --source docs --state error --now",
    )
)
def recrawl(
    context: typer.Context,
    addresses: Annotated[
        list[str],
        typer.Argument(
            metavar="ADDRESS",
            help="Addresses in full, or paths of files; without any, all that the options choose.",
            show_default=False,
            default_factory=list,
        ),
    ],
    source: OfSource = None,
    state: OfState = None,
    status: OfStatus = None,
    now: Annotated[
        bool, typer.Option("--now", help="Crawl the due documents at once, as `crawl --refresh due` does.")
    ] = False,
) -> None:
    """Fetch documents again, completely: they are due, so the run under way visits them, or the next one.

    An address that was never visited, because a gate excluded it, is visited by the next crawl that meets it.
    """
    from cormorant.operate.documents import listing, recrawl as recrawls

    say = terminal.of(context)
    with say.house() as house:
        chosen = recrawls.RecrawlSelection(tuple(addresses), listing.DocumentFilter(source, state, status))
        record = recrawls.recrawl(house, chosen)
    if not now or not record["sources"]:
        _print_due(say, record["documents"], list(record["sources"]))
        if say.json:
            say.record(record)
        return
    from cormorant.cli.crawl.crawl import crawl_due

    raise typer.Exit(crawl_due(say, list(record["sources"])))


def _print_due(say: Terminal, count: int, names: list[str]) -> None:
    """Print which documents are due, and how they are visited."""
    if say.json:
        return
    if not count:
        say.note("There is no such document, so nothing is due.")
        return
    command = f"cormorant crawl {shlex.join(names)} --refresh due"
    say.note(
        f"Due: {plural(count, 'document')}. `{command}` visits the due documents now; any other crawl does so as well."
    )


@app.command(epilog=examples("cormorant document delete http://localhost:8000/draft.html --yes"))
def delete(
    context: typer.Context,
    addresses: Annotated[list[str], typer.Argument(metavar="ADDRESS", help="Addresses in full, or paths of files.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. Nobody is asked without a terminal.")] = False,
) -> None:
    """Remove documents from search at once, with their kept copies. The next crawl fetches them again.

    To keep them out, take them down: `cormorant document takedown`, which can also erase them from the disk.
    """
    import sys

    from cormorant.operate.documents import recrawl as recrawls

    say = terminal.of(context)
    with say.house() as house:
        asks = sys.stdin.isatty() and not (yes or say.json)
        if asks and not typer.confirm(f"Remove {plural(len(addresses), 'address')} from search?", err=True):
            say.note("Nothing was changed.")
            raise typer.Exit(1)
        record = recrawls.delete(house, addresses)
    if say.json:
        say.record(record)
        return
    names = shlex.join(record["sources"])
    say.note(f"Deleted: {plural(record['deleted'], 'address')}, of which search had found {record['documents']:,}.")
    say.note(f"The next crawl of {names} fetches them again. To keep them out: cormorant document takedown ADDRESS.")


app.command("takedown", epilog=examples(*takedowns.ADD_EXAMPLES))(takedowns.add)
