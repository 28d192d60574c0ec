"""`cormorant push`: hand documents of a program to a source, from files or standard input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from cormorant.cli.terminal import Terminal
    from cormorant.operate.records.sources import PushAnswer

app = new_app("Hand documents of a program to a source of kind push.")
MOST_SHOWN = 20
"""Items of one file whose reasons are shown."""


@app.command(
    epilog=examples(
        "cormorant push tickets tickets.json",
        "cormorant push tickets part1.xml part2.xml",
        "cormorant push tickets tickets.json --key export-4711",
    )
)
def push(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="Name of the source.")],
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Batches in JSON or XML; - is standard input.")],
    key: Annotated[
        str, typer.Option("--key", metavar="WORD", help="Name of the batch: the same once more changes nothing.")
    ] = "",
) -> None:
    """Push batches of items to a source, one file after the other; see docs/how-to/push.md for their form.

    Accepted items are kept, and found after the next run of the source: `serve` starts it at once, else
    `cormorant crawl SOURCE` does. It ends with 3 when some items were refused or are older than what came before.
    """
    from cormorant.base.errors import UsageError
    from cormorant.operate.sources import push as pushing

    say = terminal.of(context)
    if key and len(files) > 1:
        raise UsageError("One key names one batch. Push the files one by one, or leave --key out.")
    bad = 0
    with say.house() as house:
        for each in files:
            answer = pushing.accept(house, source, _read(each, pushing.MOST_BYTES), key=key)
            bad += answer["refused"] + answer["stale"]
            _tell(say, each, answer)
    if bad:
        raise typer.Exit(3)


def _read(name: str, most: int) -> bytes:
    """Read a file, or standard input for `-`, and at most one byte more than may be."""
    import sys

    from cormorant.base.errors import NotFoundError

    if name == "-":
        return sys.stdin.buffer.read(most + 1)
    try:
        with Path(name).open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise NotFoundError(f"{name} cannot be read: {(error.strerror or str(error)).lower()}.") from None


def _tell(say: Terminal, name: str, answer: PushAnswer) -> None:
    if say.json:
        say.record(answer)
        return
    counts = ", ".join(
        f"{answer[word]} {word}" for word in ("unchanged", "stale", "refused", "deleted") if answer[word]
    )
    again = ", as before" if answer["repeated"] else ""
    say.note(f"{name}: {plural(answer['accepted'], 'item')} accepted{f', {counts}' if counts else ''}{again}.")
    troubled = [each for each in answer["results"] if each["reason"]]
    for each in troubled[:MOST_SHOWN]:
        say.note(f"  {each['id'] or '(no id)'}: {each['reason']}")
    if len(troubled) > MOST_SHOWN:
        say.note(f"  and {len(troubled) - MOST_SHOWN} more")
