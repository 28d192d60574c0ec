"""`cormorant receiver`: where crawled documents are delivered."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cormorant.base.errors import Interrupted, UsageError
from cormorant.cli import terminal
from cormorant.cli.crawl.sources import given, set_option
from cormorant.cli.formatting import plural
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cormorant.app.build import BuildPlan
    from cormorant.operate.records.receivers import ReceiverRecord

app = new_app(
    "Receivers of crawled documents, one of them the search index: add, list, show, faulty, edit, resend, delete.",
    group=True,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the receiver.")]
Set = Annotated[list[str], set_option("receiver kinds")]


@app.command(epilog=examples("cormorant receiver kinds", "cormorant receiver kinds jsonlines --json"))
def kinds(
    context: typer.Context, kind: Annotated[str, typer.Argument(help="Only this kind, with its settings.")] = ""
) -> None:
    """List the kinds of receivers, or the settings of one kind."""
    from cormorant.operate.sources import kinds as of_kinds
    from cormorant.plugins import receiver_kind

    say = terminal.of(context)
    if not kind:
        say.table(of_kinds.of_receivers(), ("kind", "about", "package"))
        return
    say.described(of_kinds.settings_of(receiver_kind(kind).settings))


@app.command(
    epilog=examples(
        "cormorant receiver add jsonlines found --source docs --set path=/tmp/found.jsonl",
        "cormorant receiver add webhook shop --set url=https://hooks.example.org/found --set secret=secret:shop",
        "cormorant receiver add opensearch engine --set url=https://search.example.org:9200 --set index=papers",
        "cormorant receiver add warc archive --set folder=/srv/archive",
    )
)
def add(
    context: typer.Context,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="Kind: jsonlines, warc, webhook, opensearch, python. `receiver kinds` lists them."
        ),
    ],
    name: Name,
    pairs: Set,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="S", help="Only documents of this source; default: of all sources."),
    ] = None,
) -> None:
    """Add a receiver. It gets the documents that change from now on."""
    from cormorant.operate.delivery import receivers

    say = terminal.of(context)
    with say.house(new=True) as house:
        record = receivers.add(house, kind, name, source, given(pairs))
    if say.json:
        say.record(record)
    else:
        everything = f"`cormorant receiver resend {shlex.quote(name)}` sends all kept documents."
        say.note(f"Added {kind} receiver {name!r}. It gets new and changed documents from now on; {everything}")


@app.command("list", epilog=examples("cormorant receiver list", "cormorant receiver list --json"))
def list_(context: typer.Context) -> None:
    """List the receivers and their backlogs."""
    from cormorant.operate.delivery import receivers
    from cormorant.operate.search import reindex_lock

    say = terminal.of(context)
    with say.house() as house:
        records = receivers.listed(house)
    say.table(
        records,
        (
            "receiver",
            "kind",
            "source",
            "place",
            "backlog",
            "oldest_undelivered_at",
            "paused",
            "refused",
            "next_try_at",
            "error",
        ),
    )
    if any(each["made_anew"] for each in records):
        say.note(reindex_lock.NOTICE)


@app.command(epilog=examples("cormorant receiver show index"))
def show(context: typer.Context, name: Name) -> None:
    """Show a receiver with its settings and its progress."""
    from cormorant.operate.delivery import receivers

    say = terminal.of(context)
    with say.house() as house:
        say.fields(receivers.shown(house, name))


@app.command(epilog=examples("cormorant receiver edit found --set rotate_bytes=100MB"))
def edit(context: typer.Context, name: Name, pairs: Set) -> None:
    """Change settings of a receiver.

    Settings that you do not name stay; an empty value (NAME=) restores the default. Delivery continues after the last
    confirmed event, also into another file.
    """
    from cormorant.operate.delivery import receivers

    say = terminal.of(context)
    if not pairs:
        raise UsageError(f"Name a change: cormorant receiver edit {name} --set NAME=VALUE.")
    with say.house() as house:
        record = receivers.edit(house, name, given(pairs))
    if say.json:
        say.record(record)
    else:
        say.note(f"Changed receiver {name!r}. The next delivery uses the new settings.")


@app.command(epilog=examples("cormorant receiver delete old"))
def delete(context: typer.Context, name: Name) -> None:
    """Delete a receiver. The files that it wrote stay."""
    from cormorant.operate.delivery import receivers

    say = terminal.of(context)
    with say.house() as house:
        receivers.delete(house, name)
    if say.json:
        say.record({"receiver": name, "deleted": True})
    else:
        say.note(f"Deleted receiver {name!r}; the files that it wrote stay.")


@app.command(epilog=examples("cormorant receiver faulty shop", "cormorant receiver faulty shop --json"))
def faulty(context: typer.Context, name: Name) -> None:
    """List the documents that a receiver rejected, with the reasons. `resend --faulty` sends them again."""
    from cormorant.operate.delivery import receivers

    say = terminal.of(context)
    with say.house() as house:
        say.table(receivers.faulty(house, name), ("seq", "event", "source", "url", "reason", "told_at"))


@app.command(
    epilog=examples(
        "cormorant receiver resend found", "cormorant receiver resend found --source docs",
        "cormorant receiver resend shop --faulty",
    )
)  # fmt: skip
def resend(
    context: typer.Context,
    name: Name,
    source: Annotated[str | None, typer.Option("--source", metavar="S", help="Only documents of this source.")] = None,
    only_faulty: Annotated[bool, typer.Option("--faulty", help="Only the documents that it rejected.")] = False,
    detach: Annotated[bool, typer.Option("--detach", help="Return at once, without waiting for the end.")] = False,
) -> None:
    """Send a receiver all kept documents again, without visiting any source.

    For the index use `index rebuild`. If no `serve` and no crawl is running, the documents are delivered now; Ctrl-C
    stops that, and the next delivery continues. Ends with 3 if some documents could not be sent, 1 if the receiver took
    none, 6 if it could not be reached.
    """
    from cormorant.operate.delivery import receivers

    say = terminal.of(context)
    plan = say.plan()
    with say.house() as house:
        before = record = receivers.resend(house, name, source, faulty=only_faulty)
    if before["backlog"] and not detach:
        record = _delivered(plan, name)
    if say.json:
        say.record(record)
    said = _nothing(name, only_faulty=only_faulty)
    if before["backlog"]:
        said = _ordered(plan, before) if detach else _ended(say, before, record)
    if not say.json:
        say.note(said)


def _nothing(name: str, *, only_faulty: bool) -> str:
    """Return the sentence that there is nothing to send to a receiver."""
    if only_faulty:
        return f"There is nothing to send: {name!r} has rejected nothing."
    return f"There is nothing to send to {name!r}: no document is kept."


def _ordered(plan: BuildPlan, record: Mapping[str, Any]) -> str:
    """Describe what happens to deliveries that this command does not wait for."""
    from cormorant.app import data_dir

    waits = f"{plural(record['backlog'], 'delivery waits', 'deliveries wait')} for {record['receiver']!r}."
    if record["paused"]:
        return f"{waits} Deliveries are paused; `cormorant provider resume` resumes them."
    if data_dir.is_free(plan.folder):
        return f"{waits} The next crawl, or `cormorant serve`, makes them."
    return f"{waits} They are made in the background."


def _ended(say: terminal.Terminal, before: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """Return the sentence for a replay after which everything was delivered.

    Prints rejected documents, and ends with another code then.
    """
    from cormorant.operate.delivery import replay_result

    with say.house() as house:
        end = replay_result.end(house, before, record)
    for each in end.problems:
        say.problem(each)
    if end.code:
        raise typer.Exit(end.code)
    name = record["receiver"]
    if not before["resending"]:
        return f"Nothing had to be sent again to {name!r}; its backlog is delivered."
    return f"Sent again to {name!r}."


def _delivered(plan: BuildPlan, name: str) -> ReceiverRecord:
    """Watch until a receiver has received everything, or makes no progress. Raises Interrupted on Ctrl-C."""
    from cormorant.app.commands import deliver

    try:
        return deliver.carry_out(plan, name)
    except KeyboardInterrupt:
        raise Interrupted("Interrupted. `cormorant serve`, or the next crawl, continues.") from None
