"""`cormorant index`, `cormorant cache`: the search index and the cached copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.base.errors import Incomplete
from cormorant.cli import terminal
from cormorant.cli.formatting import duration, plural
from cormorant.cli.typer_apps import examples, new_app
from cormorant.model.schedule.timezones import localized

if TYPE_CHECKING:
    from cormorant.operate.records.storage import OptimizedIndex, RebuiltIndex

index = new_app("The search index: rebuild, optimize, stats.", group=True)
cache = new_app("Kept copies of documents: show, check, repair, diff.", group=True)

HEADS = 2
"""Lines at the head of a difference, which name the two versions."""


@index.command(epilog=examples("cormorant index rebuild"))
def rebuild(context: typer.Context) -> None:
    """Rebuild the index from the kept copies, without visiting any source.

    Search goes on with the old index meanwhile. A crawl or `serve` goes on too: it delivers its documents to the other
    receivers, and to the index when that is rebuilt.
    """
    from cormorant.operate.search import reindex

    say = terminal.of(context)
    with say.beside() as (house, lent):
        record = reindex.rebuild(house, _progress(say), lent=lent)
    if say.json:
        say.record(record)
    else:
        say.note(f"Indexed {plural(record['documents'], 'document')} in {duration(record['took_s'])}.")
    _damaged(say, record)


def _damaged(say: terminal.Terminal, record: RebuiltIndex | OptimizedIndex) -> None:
    """List the documents that a rebuilt index lacks; ends with 3 if there are any."""
    from cormorant.base.errors import CacheDamaged

    for url in record["damaged_urls"]:
        say.problem(
            CacheDamaged(
                f"The kept copy of {url} is damaged, so the document is not in the index. The next crawl fetches it "
                "again; if the whole copy is missing, run `cormorant cache repair` first."
            )
        )
    if record["damaged"]:
        raise typer.Exit(3)


@index.command(epilog=examples("cormorant index optimize", "cormorant index optimize --json"))
def optimize(context: typer.Context) -> None:
    """Remove deleted documents from the index and join its parts.

    If many documents have left, or if the index has many parts, it is rebuilt from the kept copies beside the one in
    use; otherwise nothing happens. Addresses that are gone for good are purged first. Search goes on meanwhile, and so
    does a crawl or `serve`, as with `index rebuild`.
    """
    from cormorant.operate.search import reindex

    say = terminal.of(context)
    with say.beside() as (house, lent):
        record = reindex.optimize(house, _progress(say), lent=lent)
    if say.json:
        say.record(record)
    elif record["rebuilt"]:
        parts = f"{record['segments_before']:,} -> {plural(record['segments'], 'part')}"
        say.note(f"Dropped {plural(record['dropped'], 'deleted document')}, {parts}, in {duration(record['took_s'])}.")
    else:
        say.note("The index has nothing to remove or to join.")
    if record["purged"] and not say.json:
        say.note(f"Purged {plural(record['purged'], 'address', 'addresses')} gone for good.")
    _damaged(say, record)


def _progress(say: terminal.Terminal) -> Callable[[int, int], None]:
    """Return a function that prints the progress of a rebuild, every ten thousand documents."""

    def report(done: int, total: int) -> None:
        if done % 10_000 < 500 <= done:
            say.note(f"{done:,} of {plural(total, 'document')}")

    return report


@index.command(epilog=examples("cormorant index stats", "cormorant index stats --json"))
def stats(context: typer.Context) -> None:
    """Show the size of the index, and how far it is behind."""
    from cormorant.operate.search import reindex

    say = terminal.of(context)
    with say.house() as house:
        say.fields(reindex.stats(house))


@cache.command("show", epilog=examples("cormorant cache show"))
def show_cache(context: typer.Context) -> None:
    """Show the number of kept copies and the space that they take."""
    from cormorant.operate.storage import check

    say = terminal.of(context)
    with say.house() as house:
        say.fields(check.copies_size(house))


@cache.command("check", epilog=examples("cormorant cache check", "cormorant cache check --json"))
def check_cache(context: typer.Context) -> None:
    """Read every kept copy and compare it with its checksum.

    Ends with 1 if a copy is damaged.
    """
    from cormorant.base.errors import CacheDamaged
    from cormorant.operate.storage import check

    say = terminal.of(context)
    with say.house() as house:
        record = check.copies(house)
    say.fields(record)
    if record["damaged"] > record["awaited"]:
        what = plural(record["damaged"] - record["awaited"], "kept copy", "kept copies")
        raise CacheDamaged(
            f"Damaged: {what}. After `cormorant cache repair` the next crawl fetches these again; `crawl --force` "
            "fetches all documents again."
        )
    if record["damaged"]:
        what = plural(record["damaged"], "kept copy", "kept copies")
        say.note(f"Damaged: {what}. The next crawl fetches them again.")


@cache.command("repair", epilog=examples("cormorant cache repair", "cormorant cache repair --json"))
def repair_cache(context: typer.Context) -> None:
    """Repair documents whose kept copy is damaged.

    A document takes another copy of the same content if there is one; otherwise the next crawl fetches it again. No
    crawl and no `serve` may run meanwhile. Ends with 3 if the next crawl has to fetch documents; search finds them
    until then.
    """
    from cormorant.operate.storage import repair

    say = terminal.of(context)
    with say.alone() as house:
        done = repair.copies(house)
    for each in done:
        if say.json:
            say.record(each._asdict())
        elif each.number:
            say.print(f"{each.check}: {each.said}")
        else:
            say.note(each.said)
    later = [each for each in done if each.later]
    say.explain(Incomplete(f"{each.check}: {each.said}") for each in later)
    if later:
        raise typer.Exit(3)


Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="The address in full, or the path of a file.")]


@cache.command(
    "diff",
    epilog=examples("cormorant cache diff http://localhost:8000/", "cormorant cache diff /srv/papers/minutes.txt"),
)
def diff(
    context: typer.Context,
    address: Address,
    back: Annotated[
        int, typer.Option("--back", metavar="N", min=1, help="Number of versions before the newest to compare with.")
    ] = 1,
) -> None:
    """Show the differences between two kept versions of a document, line by line.

    Replaced versions stay until `store compact` frees their space.
    """
    from cormorant.operate.documents import diff as document_diff

    say = terminal.of(context)
    with say.house() as house:
        records = document_diff.diff(house, address, back)
    for each in records:
        if say.json:
            say.record(each)
            continue
        for number, line in enumerate(each["diff"]):
            say.print(localized(line, precision="seconds") if number < HEADS else line)
        if not each["diff"]:
            say.note(f"Both versions of {each['url']} have the same text.")
