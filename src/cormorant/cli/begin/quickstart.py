"""`cormorant quickstart`: from an address or a folder to a search page in one command."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.base.errors import Unreachable
from cormorant.cli import terminal
from cormorant.cli.begin.serve import Port, listening, until_stopped
from cormorant.cli.invocation import copyable
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from cormorant.app.build import BuildPlan
    from cormorant.cli.terminal import Terminal
    from cormorant.operate.installation import Installation
    from cormorant.operate.runs.quickstart import Made
    from cormorant.operate.runs.start import Ordered

app = new_app()

SHOWN = 3
_GRAVE = ("run", "start", "folder")
"""Kinds of problems that make a first crawl a failure; others are about single documents, or advice."""


@app.command(
    epilog=examples(
        "cormorant quickstart --no-serve",
        "cormorant quickstart https://handbook.example.org/ ~/papers",
        "cormorant quickstart /srv/papers --port 9000",
    )
)
def quickstart(
    context: typer.Context,
    places: Annotated[
        list[str],
        typer.Argument(
            metavar="URL|FOLDER",
            help="Addresses or folders to crawl; without any, a bundled sample.",
            show_default=False,
            default_factory=list,
        ),
    ],
    port: Port = None,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="End after the first search; serve no page.")] = False,
) -> None:
    """Crawl addresses or folders and search them at once.

    Adds sources, crawls them, shows a first search, and serves a search page. The next time it uses the same sources.
    """
    from cormorant.app.processes import web
    from cormorant.operate.runs.quickstart import wish

    say = terminal.of(context)
    plan = say.plan()
    wishes = [wish(place) for place in places]
    reach = None if no_serve else web.reach_of(plan, None, port)
    with ExitStack() as held:
        listener = held.enter_context(listening(say, plan, reach)) if reach else None
        with say.house(new=True) as house:
            if wishes:
                from cormorant.operate.runs.quickstart import make

                made = make(house, wishes)
            else:
                from cormorant.app.sample import sample_source

                made = sample_source.make(house, held.enter_context(sample_source.serving()))
        code = _crawl_and_search(say, plan, made)
        if listener and reach and code not in (1, 6):
            until_stopped(say, plan, listener, reach)
    raise typer.Exit(code)


def _crawl_and_search(say: Terminal, plan: BuildPlan, made: Sequence[Made]) -> int:
    """Crawl the sources and search them once; the exit code. A source without any answer from its server is deleted."""
    from cormorant.cli.crawl.crawl import carry_out, report_cut_off
    from cormorant.cli.find.search import show
    from cormorant.operate.runs import start
    from cormorant.operate.runs.quickstart import sample_query
    from cormorant.operate.search import search
    from cormorant.operate.sources import sources
    from cormorant.search.reader import Question

    names = [each.name for each in made]
    say.note(f"Crawling {', '.join(names)} into {plan.folder}")
    with say.house() as house:
        new = [] if say.json else [each.name for each in made if each.new]
        for sentence in (each for name in new for each in sources.exposed(house, name)):
            say.warn(sentence)
        report_cut_off(say, plan, house)
        left_out = start.unanswered(house, names)
        ordered = start.order(house, names)
    for held in left_out:
        say.problem(held)
    if ordered:
        carry_out(say, plan, ordered)
    with say.house() as house:
        codes = {each.source: start.exit_code(house, [each.run]) for each in ordered}
        serious = [0 if not code or _minor(house, ordered, name) else code for name, code in codes.items()]
        for each in made:
            if each.new and codes.get(each.name) == 6:
                sources.delete(house, each.name)
                say.problem(Unreachable(f"{each.name!r} did not answer, so the source was not added."))
        reached = [name for name in names if codes.get(name) != 6]
        text = sample_query(house, reached) if reached and house.searchable else ""
        if text and not say.json:
            say.print(f"Try a search: {copyable(say.asked, 'search', text)}")
            say.print()
            show(say, search.search(house, Question(text, limit=SHOWN)))
    return start.worst([*serious, *(3 for _ in left_out)])


def _minor(house: Installation, ordered: Sequence[Ordered], name: str) -> bool:
    """Return whether the run finished and only single documents failed."""
    from cormorant.operate.runs import report, start

    number = next(each.run for each in ordered if each.source == name)
    found = report.of_run(house, number)
    return start.report(house, number)["state"] == "finished" and all(each["kind"] not in _GRAVE for each in found)
