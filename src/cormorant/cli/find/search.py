"""`cormorant search`: search the index."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, zip_longest
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from cormorant.base.errors import UsageError
from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.option_groups import taking
from cormorant.cli.terminal import clean
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from cormorant.search.reader import Answer, Hit, Question, ScoreExplanation

app = new_app()

NAME_A_WORD = "Name a word, like cormorant search harbour; cormorant search '*' shows every document."


class _Search(TyperCommand):
    """Explains to users who exclude a word, like -ferry, how to distinguish it from an option."""

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
                f"{word} looks like an option. Write -- before a query that leaves a word out: cormorant search -- "
                f"{shlex.join(words)}"
            ) from None


class SortOptions(StrEnum):
    """Orders of hits."""

    RELEVANCE = "relevance"
    NEWEST = "newest"
    OLDEST = "oldest"
    TITLE = "title"


class By(StrEnum):
    """Groupings of hits."""

    SOURCE = "source"
    SITE = "site"


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """Options of a search: the requested results of a query."""

    source: Annotated[
        list[str],
        typer.Option(
            "--source", metavar="S", help="In this source only; may repeat.", default_factory=list, show_default=False
        ),
    ]
    since: Annotated[
        str, typer.Option("--since", metavar="DAY", help="Changed on this day or later; also a month or a year.")
    ] = ""
    until: Annotated[
        str, typer.Option("--until", metavar="DAY", help="Changed on this day or before; also a month or a year.")
    ] = ""
    sort: Annotated[SortOptions, typer.Option("--sort", help="Order of the hits; title is from A to Z.")] = (
        SortOptions.RELEVANCE
    )
    group: Annotated[
        By | None, typer.Option("--group", help="Groups of one source or site, at most three hits of each.")
    ] = None
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=0, max=1000, help="Hits, or groups, to show, at most 1000.")
    ] = 10
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Hits, or groups, to skip.")] = 0
    as_typed: Annotated[
        bool, typer.Option("--as-typed", help="Find nothing rather than correct the spelling of the query.")
    ] = False
    every: Annotated[bool, typer.Option("--all", help="Show duplicates too, instead of folding them into one.")] = False
    facets: Annotated[bool, typer.Option("--facets", help="Count results by source, site, type, language and age.")] = (
        False
    )
    facet: Annotated[
        list[str],
        typer.Option(
            "--facet",
            metavar="NAME",
            help="Count the values of this attribute; may repeat.",
            default_factory=list,
            show_default=False,
        ),
    ]
    attribute: Annotated[
        list[str],
        typer.Option(
            "--attribute",
            metavar="NAME=VALUE",
            help="With this whole value of an attribute; may repeat.",
            default_factory=list,
            show_default=False,
        ),
    ]
    why: Annotated[bool, typer.Option("--why", help="Explain the score of each hit.")] = False


@app.command(
    cls=_Search,
    epilog=examples(
        "cormorant search harbour",
        "cormorant search '\"annual meeting\"' --source docs",
        "cormorant search 'ferry type:pdf' --limit 3 --json",
        "cormorant search 'timetable date:2026 title:ferry'",
        "cormorant search timetable --since 2026-03 --sort newest",
        "cormorant search harbour --group site --facets",
        "cormorant search harbour --all --offset 10",
        "cormorant search '*' --source docs",
        "cormorant search harbour --limit 3 --why",
        "cormorant search 'Author:ada ferry' --facet Author",
    ),
)
@taking(ResultOptions, "wanted")
def search(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words; an exact phrase in quotes.")],
    wanted: ResultOptions,
) -> None:
    """Search. One of the words is enough; documents with more of them come first."""
    from cormorant.operate.search import search as searching, value_lists
    from cormorant.operate.search.federation import Federation
    from cormorant.operate.sources.secrets import Opened

    say = terminal.of(context)
    if not "".join(words).strip():
        raise UsageError(f"The query is empty. {NAME_A_WORD}")
    question = _question(" ".join(words), wanted)
    with say.house() as house, closing(Federation(house, Opened(house))) as federation:
        shelf = searching.library(house)
        answer = searching.search(house, question, shelf=shelf, federation=federation)
        scores = searching.whys(question, answer, shelf=shelf) if wanted.why else []
        labels = value_lists.labels(house, wanted.facet, sources=wanted.source)
    if say.json:
        for hit, why in zip_longest(answer.hits, scores):
            record = searching.hit_record(hit) | ({"answered": answer.answered} if answer.is_corrected else {})
            say.record(record | {"why": searching.why_record(why)["parts"]} if why else record)
        if wanted.facets:
            say.record({"facets": searching.facets_record(answer)})
        if wanted.facet:
            say.record({"attribute_facets": searching.attribute_facets_record(answer, labels)})
        if answer.is_corrected:
            say.note(_corrected(answer))
        for each in answer.federated:
            if each.note:
                say.note(each.note)
        return
    show(say, answer, wanted.offset, scores, labels)


def _question(text: str, wanted: ResultOptions) -> Question:
    """Return the question in the form of the search library."""
    from cormorant.search.reader import Filters, GroupBy, Question, Sort, attribute_choice

    return Question(
        text, tuple(wanted.source), wanted.limit, wanted.offset, Sort(wanted.sort.value), fold=not wanted.every,
        chosen=Filters(
            since=wanted.since, until=wanted.until, attributes=tuple(map(attribute_choice, wanted.attribute))
        ),
        facets=wanted.facets, facet_attributes=tuple(wanted.facet),
        group=GroupBy(wanted.group.value) if wanted.group else None, as_typed=wanted.as_typed, every_attribute=True,
    )  # fmt: skip


def show(
    say: terminal.Terminal, answer: Answer, offset: int = 0, scores: Sequence[ScoreExplanation | None] = (),
    labels: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> None:  # fmt: skip
    """Print an answer; `scores` explain the scores of its hits, if requested.

    `labels` are the display names of values of attributes, by attribute in lower case.
    """
    for note in answer.notes:
        say.note(note)
    say.detail(f"Understood as {answer.understood.text!r}, answered in {answer.took_ms:.1f} ms.")
    meant = f"Did you mean {answer.suggestion!r}?" if answer.suggestion and not answer.is_corrected else ""
    if answer.is_corrected:
        say.note(_corrected(answer))
    elif meant and answer.hits:
        say.note(meant)
    _show_facets(say, answer, labels)
    if not answer.hits:
        say.note(f"{_none(answer, offset)} {meant}".strip())
        return
    reasons = {why.id: why for why in scores if why is not None}
    if answer.groups:
        _show_groups(say, answer, offset, reasons)
        return
    number = offset
    for hit in answer.hits:
        number += not hit.federated
        _show_hit(say, "   >" if hit.federated else f"{number:>3}.", hit, reasons.get(hit.id))
    last = offset + answer.own
    next_ones = f" --offset {last} shows the next ones." if last < answer.reachable else ""
    beside = "".join(_beside(answer))
    if last < answer.total or offset:
        say.note(f"{offset + 1} to {last} of {plural(answer.total, 'result')}{beside}.{next_ones}")
    else:
        say.note(f"{plural(answer.total, 'result')}{beside}.")


def _beside(answer: Answer) -> Iterator[str]:
    """Yield the number of hits that each federated source has in an answer."""
    for each in answer.federated:
        if each.hits:
            yield f", and {each.hits:,} from {each.source}"


def _show_facets(say: terminal.Terminal, answer: Answer, labels: Mapping[str, Mapping[str, str]]) -> None:
    """Print the number of results for each facet value."""
    for facet in (*answer.facets, *answer.attribute_facets):
        if facet.choices:
            say.raw(say.bold(facet.name))
        named = labels.get(facet.name.lower(), {})
        for choice in facet.choices:
            since = f"  since {choice.since}" if choice.since else ""
            label = f"  {named[choice.value]}" if named.get(choice.value, choice.value) != choice.value else ""
            say.print(f"{choice.results:>7,}  {choice.value}{label}{since}")
        if facet.others:
            say.print(f"         and {facet.others:,} more")
        if facet.choices:
            say.raw("")


def _show_groups(say: terminal.Terminal, answer: Answer, offset: int, reasons: Mapping[int, ScoreExplanation]) -> None:
    """Print hits in their groups."""
    totals = {each.value: each.total for each in answer.groups}
    count = 0
    for value, hits in groupby(answer.hits, key=lambda hit: hit.id if hit.group is None else hit.group):
        count += 1
        if isinstance(value, str):
            say.raw(f"{say.bold(clean(value))}, {plural(totals.get(value, 0), 'result')}")
        for hit in hits:
            _show_hit(say, "   -", hit, reasons.get(hit.id))
    last = offset + count - len({hit.source for hit in answer.hits if hit.federated})
    next_ones = f" --offset {last} shows the next ones." if last < answer.reachable else ""
    said = (
        f"{offset + 1} to {last} of {plural(answer.reachable, 'group')}, {plural(answer.total, 'result')} in all"
        f"{''.join(_beside(answer))}."
    )
    say.note(f"{said}{next_ones}")


def _corrected(answer: Answer) -> str:
    """Return the sentence that a corrected query was answered."""
    return (
        f"Showing results for {answer.answered!r}, because nothing was found for {answer.understood.text!r}; "
        "--as-typed searches as typed."
    )


def _none(answer: Answer, offset: int) -> str:
    """Why there are no hits."""
    if not answer.understood.text:
        return f"The query contains no word. {NAME_A_WORD}"
    if not answer.total:
        return f"Nothing found for {answer.understood.text!r}."
    all_there_are = f"There are {plural(answer.total, 'result')} for {answer.answered!r}"
    if offset < answer.reachable:
        return f"{all_there_are}; --limit 0 shows none of them."
    if answer.reachable < answer.total:
        return f"{all_there_are}, of which the best {answer.reachable:,} can be shown; --offset is beyond them."
    return f"{all_there_are}; --offset is beyond them."


def _show_hit(say: terminal.Terminal, mark: str, hit: Hit, why: ScoreExplanation | None) -> None:
    say.raw(f"{mark} {say.bold(clean(hit.title or hit.url))}")
    say.print(f"     {hit.url}")
    if hit.federated:
        say.print(f"     from {hit.source}")
    shown, at = "", 0
    for start, end in hit.highlights:
        shown += clean(hit.snippet[at:start]) + say.bold(clean(hit.snippet[start:end]))
        at = end
    shown += clean(hit.snippet[at:])
    if shown:
        say.raw(f"     {shown}")
    if hit.duplicates:
        say.print(f"     and {plural(hit.duplicates, 'document')} of equal content")
    if hit.near_duplicates:
        say.print(f"     and {plural(hit.near_duplicates, 'document')} nearly the same")
    if why is not None:
        _show_why(say, why)
    say.raw("")


def _show_why(say: terminal.Terminal, why: ScoreExplanation) -> None:
    for part in why.parts:
        say.raw(f"     {part.points:>10,.2f}  {part.name:<20}  {clean(part.about)}")
    say.raw(f"     {why.score:>10,.2f}  in all")
