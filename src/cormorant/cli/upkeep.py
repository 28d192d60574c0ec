"""`cormorant index`, `cormorant cache`, `cormorant store`: what is derived and what is kept."""

from __future__ import annotations

from collections.abc import Callable

import typer

from cormorant.cli import terminal
from cormorant.cli.calling import examples, new_app
from cormorant.cli.figures import duration, plural

index = new_app("The search index: rebuild, stats.", group=True)
cache = new_app("Kept copies of documents: show, check.", group=True)
store = new_app("The database: check.", group=True)


@index.command(epilog=examples("cormorant index rebuild"))
def rebuild(context: typer.Context) -> None:
    """Make the index anew from the kept copies, without asking any source.

    Search goes on with the old one meanwhile.
    """
    from cormorant.base.errors import CacheDamaged
    from cormorant.operate import indexing

    say = terminal.of(context)
    with say.alone() as house:
        record = indexing.rebuild(house, _told(say))
    if say.json:
        say.record(record)
    else:
        say.note(f"Indexed {plural(record['documents'], 'document')} in {duration(record['took_s'])}.")
    for url in record["damaged_urls"]:
        say.problem(
            CacheDamaged(f"The kept copy of {url} is damaged, so it is not in the index; `crawl --force` mends it.")
        )
    if record["damaged"]:
        raise typer.Exit(3)


def _told(say: terminal.Terminal) -> Callable[[int, int], None]:
    """Says how far a rebuild is, every ten thousand documents."""

    def tell(done: int, total: int) -> None:
        if done % 10_000 < 500 <= done:
            say.note(f"{done:,} of {plural(total, 'document')}")

    return tell


@index.command(epilog=examples("cormorant index stats", "cormorant index stats --json"))
def stats(context: typer.Context) -> None:
    """Show how big the index is, and how far behind."""
    from cormorant.operate import indexing

    say = terminal.of(context)
    with say.house() as house:
        say.fields(indexing.stats(house))


@cache.command("show", epilog=examples("cormorant cache show"))
def show_cache(context: typer.Context) -> None:
    """Show how many copies are kept, and how much room they take."""
    from cormorant.operate import checking

    say = terminal.of(context)
    with say.house() as house:
        say.fields(checking.copies_size(house))


@cache.command("check", epilog=examples("cormorant cache check", "cormorant cache check --json"))
def check_cache(context: typer.Context) -> None:
    """Read every kept copy and compare it with its checksum. Ends with 1 when one is damaged."""
    from cormorant.base.errors import CacheDamaged
    from cormorant.operate import checking

    say = terminal.of(context)
    with say.house() as house:
        record = checking.copies(house)
    say.fields(record)
    if record["damaged"]:
        what = plural(record["damaged"], "kept copy", "kept copies")
        raise CacheDamaged(f"Damaged: {what}. `cormorant crawl --force` fetches the damaged ones anew.")


@store.command("check", epilog=examples("cormorant store check", "cormorant store check --json"))
def check_store(context: typer.Context) -> None:
    """Check the database, and that it agrees with kept copies and index.

    Changes nothing; ends with 1 when it does not.
    """
    from cormorant.cli.doctor import tell
    from cormorant.operate import checking

    say = terminal.of(context)
    with say.house() as house:
        tell(say, checking.store(house))
