"""`cormorant search`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from cormorant.base.errors import UsageError
from cormorant.cli import terminal
from cormorant.cli.calling import examples, new_app
from cormorant.cli.figures import plural
from cormorant.cli.gathering import gathered
from cormorant.cli.terminal import clean

if TYPE_CHECKING:
    from cormorant.search.reader import Answer, Hit, Why

app = new_app()

NAME_A_WORD = "Name a word, like cormorant search harbour; cormorant search '*' shows every document."


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of the answer."""

    source: Annotated[
        list[str],
        typer.Option(
            "--source", metavar="S", help="In this source only; may repeat.", default_factory=list, show_default=False
        ),
    ]
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, max=1000, help="Hits to show, at most 1000.")] = (
        10
    )
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Hits to pass over first.")] = 0
    every: Annotated[bool, typer.Option("--all", help="Show duplicates too, instead of folding them into one.")] = False
    why: Annotated[bool, typer.Option("--why", help="Say what made the score of each hit.")] = False


class _Search(TyperCommand):
    """Tells who leaves out a word, like -ferry, how to say that it is no option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raises UsageError for a word that reads as an option."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException:
            word = next((each for each in given if len(each) > 2 and each[0] == "-" != each[1]), None)
            if word is None or "--" in given:
                raise
            words = [word] if any(each.startswith("--") for each in given) else given
            raise UsageError(
                f"{word} reads as an option. Write -- before a query that leaves a word out: "
                f"cormorant search -- {shlex.join(words)}"
            ) from None


@app.command(
    cls=_Search,
    epilog=examples(
        "cormorant search harbour",
        "cormorant search '\"annual meeting\"' --source docs",
        "cormorant search 'ferry type:pdf' --limit 3 --json",
        "cormorant search 'timetable date:2026 title:ferry'",
        "cormorant search harbour --all --offset 10",
        "cormorant search '*' --source docs",
        "cormorant search harbour --limit 3 --why",
    ),
)
@gathered
def search(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words; an exact phrase in quotes.")],
    wanted: Wanted,
) -> None:
    """Search. Any word is enough; what has more of them comes first."""
    from cormorant.operate import searching
    from cormorant.search.reader import Question

    say = terminal.of(context)
    if not "".join(words).strip():
        raise UsageError(f"There is nothing to search for. {NAME_A_WORD}")
    question = Question(" ".join(words), tuple(wanted.source), wanted.limit, wanted.offset, fold=not wanted.every)
    with say.house() as house:
        shelf = searching.library(house)
        answer = searching.search(house, question, shelf=shelf)
        told = searching.whys(question, answer, shelf=shelf) if wanted.why else []
    if say.json:
        for hit, why in zip_longest(answer.hits, told):
            record = searching.hit_record(hit)
            say.record(record | {"why": searching.why_record(why)["parts"]} if why else record)
        return
    show(say, answer, wanted.offset, told)


def show(say: terminal.Terminal, answer: Answer, offset: int = 0, told: Sequence[Why | None] = ()) -> None:
    """Print an answer for a person; `told` are the reasons of its hits, if they were asked for."""
    for note in answer.understood.notes:
        say.note(note)
    say.detail(f"Understood as {answer.understood.text!r}, answered in {answer.took_ms:.1f} ms.")
    if answer.suggestion:
        say.note(f"Did you mean {answer.suggestion}")
    if not answer.hits:
        say.note(_none(answer, offset))
        return
    for number, (hit, why) in enumerate(zip_longest(answer.hits, told), offset + 1):
        _show_hit(say, number, hit)
        if why is not None:
            _show_why(say, why)
        say.raw("")
    last = offset + len(answer.hits)
    next_ones = f" --offset {last} shows the next ones." if last < answer.reachable else ""
    if last < answer.total or offset:
        say.note(f"{offset + 1} to {last} of {plural(answer.total, 'result')}.{next_ones}")
    else:
        say.note(f"{plural(answer.total, 'result')}.")


def _none(answer: Answer, offset: int) -> str:
    """Why no hit is shown."""
    if not answer.understood.text:
        return f"There is no word in it to search for. {NAME_A_WORD}"
    if not answer.total:
        return f"Nothing found for {answer.understood.text!r}."
    all_there_are = f"There are {plural(answer.total, 'result')} for {answer.understood.text!r}"
    if offset < answer.reachable:
        return f"{all_there_are}; --limit 0 shows none of them."
    if answer.reachable < answer.total:
        return f"{all_there_are}, of which the best {answer.reachable:,} can be shown; --offset is beyond them."
    return f"{all_there_are}; --offset is beyond them."


def _show_hit(say: terminal.Terminal, number: int, hit: Hit) -> None:
    say.raw(f"{number:>3}. {say.bold(clean(hit.title or hit.url))}")
    say.print(f"     {hit.url}")
    shown, at = "", 0
    for start, end in hit.highlights:
        shown += clean(hit.snippet[at:start]) + say.bold(clean(hit.snippet[start:end]))
        at = end
    shown += clean(hit.snippet[at:])
    if shown:
        say.raw(f"     {shown}")
    if hit.duplicates:
        say.print(f"     and {plural(hit.duplicates, 'document')} of equal content")


def _show_why(say: terminal.Terminal, why: Why) -> None:
    for part in why.parts:
        say.raw(f"     {part.points:>10,.2f}  {part.name:<20}  {clean(part.about)}")
    say.raw(f"     {why.score:>10,.2f}  in all")
