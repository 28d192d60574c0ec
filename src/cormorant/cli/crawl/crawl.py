"""`cormorant crawl`: run sources now, show how it goes, report how it went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from cormorant.base.errors import ConflictError, Interrupted, UsageError
from cormorant.cli import terminal
from cormorant.cli.invocation import copyable
from cormorant.cli.option_groups import taking
from cormorant.cli.typer_apps import examples, new_app
from cormorant.model.run import Mode, Refresh

if TYPE_CHECKING:
    from cormorant.app.build import BuildPlan
    from cormorant.cli.terminal import Terminal
    from cormorant.operate.installation import Installation
    from cormorant.operate.runs.start import Ordered

app = new_app()


@dataclass(frozen=True, kw_only=True)
class CrawlOptions:
    """Options of a crawl order."""

    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help=(
                "Fetch, read and deliver every document again, also unchanged ones. The report counts only real "
                "changes as changed."
            ),
        ),
    ] = False
    restart: Annotated[
        bool, typer.Option("--restart", help="Start again instead of continuing an interrupted run.")
    ] = False
    refresh: Annotated[
        Refresh | None,
        typer.Option(
            "--refresh",
            help=(
                "all: every known and new document. due: documents left over or put off, and changed files. append: "
                "only documents never visited. scratch: everything, after forgetting the source. Default: the setting "
                "refresh of each source, or all."
            ),
        ),
    ] = None
    examine: Annotated[
        bool, typer.Option("--examine", help="Fetch pages and follow links, but index nothing until `run index`.")
    ] = False
    index_only: Annotated[bool, typer.Option("--index-only", help="Index the known documents; ignore their links.")] = (
        False
    )
    test: Annotated[
        bool, typer.Option("--test", help="Crawl a copy of the source as if for the first time; deliver nothing.")
    ] = False
    detach: Annotated[
        bool, typer.Option("--detach", help="Order the crawl and return; `run watch` shows its progress.")
    ] = False
    forget: Annotated[bool, typer.Option("--forget", help="Delete the run when it ends; its documents stay.")] = False

    @property
    def mode(self) -> Mode | None:
        """The requested mode, None for that of each source. Raises UsageError for several."""
        asked = {Mode.EXAMINE: self.examine, Mode.INDEX_ONLY: self.index_only, Mode.TEST: self.test}
        modes = [mode for mode, wanted in asked.items() if wanted]
        if len(modes) > 1:
            raise UsageError("Choose one of --examine, --index-only and --test.")
        return modes[0] if modes else None


@app.command(
    epilog=examples(
        "cormorant crawl",
        "cormorant crawl docs",
        "cormorant crawl docs papers --json",
        "cormorant crawl docs --refresh due",
        "cormorant crawl docs --examine",
        "cormorant crawl docs --detach",
    )
)
@taking(CrawlOptions, "how")
def crawl(
    context: typer.Context,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help="The sources; without any, all except those with a held run.",
            show_default=False,
            default_factory=list,
        ),
    ],
    how: CrawlOptions,
) -> None:
    """Crawl sources now, with progress, and report at the end. Ctrl-C stops it; the next crawl goes on.

    With -q there is no report, only what a person should look at, on standard error.

    Where another command is at work on the data folder, like `serve`, that one crawls; Ctrl-C stops the runs all the
    same, but those that another user has ordered.

    Ends with 0 when all went well, 3 when some documents failed that had not failed so at their last visit, a run is
    held, was stopped or waits for another node, or search does not find what was found, as when the index cannot be
    read; 6 when no start address answered. With known_failures=report of a source, 3 also when they fail as before.
    """
    raise typer.Exit(_crawl(terminal.of(context), names, how))


def crawl_due(say: Terminal, names: Sequence[str]) -> int:
    """Crawl due documents of these sources, and return the exit code."""
    return _crawl(say, names, CrawlOptions(refresh=Refresh.DUE))


def _crawl(say: Terminal, names: Sequence[str], how: CrawlOptions) -> int:
    """Order runs, have them carried out, list those that are held; returns the exit code."""
    from cormorant.app import data_dir
    from cormorant.operate.runs import start as runs

    plan = say.plan()
    ordered: list[Ordered] = []
    try:
        with say.house() as house:
            report_cut_off(say, plan, house)
            wish = runs.RunOrder(how.refresh, how.force, how.restart, how.mode, how.forget)
            report_exposed(say, house, names)
            left_out = runs.left_out(house, names, wish)
            ordered = runs.order(house, names, wish, data_dir.resting(plan.folder))
    except KeyboardInterrupt as asked:
        if not ordered:
            raise
        raise _interrupted(say, asked, plan, ordered) from None
    for each in left_out:
        say.problem(each)
    if how.detach:
        return 3 if _detach(say, plan, ordered) or left_out else 0
    codes = [carry_out(say, plan, ordered) if ordered else 0, *(3 for _ in left_out)]
    return runs.worst(codes)


def report_cut_off(say: Terminal, plan: BuildPlan, house: Installation) -> None:
    """Stop interrupted runs that are not to be resumed, and report them."""
    from cormorant.app.processes.restarts import end_cut_off

    for row in end_cut_off(plan, house):
        say.note(f"Run {row.id} was stopped, because it was interrupted and survives_restart is off.")


def report_exposed(say: Terminal, house: Installation, names: Sequence[str]) -> None:
    """Print before a first crawl which restricted files everyone could find, unless `source add` did.

    A program reads it in the report.
    """
    from cormorant.operate.checks import exposure

    for sentence in exposure.first_looks(house, names) if not say.json else ():
        say.warn(sentence)


def _detach(say: Terminal, plan: BuildPlan, ordered: Sequence[Ordered]) -> bool:
    """Leave ordered runs to the owner of the folder, or to a detached process, and report that.

    Returns whether any of them is for another node.
    """
    from cormorant.app.commands.follow import carry_out_later

    away = _report_elsewhere(say, plan, ordered)
    log = carry_out_later(plan, [each for each in ordered if each.run not in away], say.asked.config)
    for each in ordered:
        if say.json:
            say.record(each.record())
        else:
            say.print(f"Run {each.run} of {each.source!r}. `cormorant run watch {each.run}` shows its progress.")
    if log is not None:
        say.note(f"It continues in the background; its messages are in {log}.")
    elif len(ordered) > len(away):
        say.note("The running command carries it out.")
    return bool(away)


def _report_elsewhere(say: Terminal, plan: BuildPlan, ordered: Sequence[Ordered]) -> dict[int, str]:
    """Report which of these runs are for another node than this one; returns them."""
    from cormorant.app.commands.follow import elsewhere

    away = elsewhere(plan, [each.run for each in ordered])
    for each in ordered:
        if each.run in away:
            say.problem(
                ConflictError(
                    f"Run {each.run} of {each.source!r} waits for node {away[each.run]!r}, the only one that crawls "
                    f"this source. `cormorant run show {each.run}` shows its progress."
                )
            )
    return away


def carry_out(say: Terminal, plan: BuildPlan, ordered: Sequence[Ordered], *, report: bool = False) -> int:
    """Have ordered runs carried out, show progress, print the reports; returns the exit code.

    `report`: print them with -q as well. Raises Interrupted on Ctrl-C or SIGTERM, after the processes have ended; all
    finished work is kept.
    """
    away = _report_elsewhere(say, plan, ordered)
    try:
        _follow(say, plan, [each for each in ordered if each.run not in away])
    except KeyboardInterrupt as asked:
        raise _interrupted(say, asked, plan, ordered) from None
    from cormorant.cli.display.report import print_reports

    shown = [each.run for each in ordered if say.json or each.run not in away]
    return print_reports(say, plan, shown, failed=bool(away), asked=report)


def _follow(say: Terminal, plan: BuildPlan, ordered: Sequence[Ordered]) -> None:
    """Announce the followed runs, and show their progress until they end."""
    if not ordered:
        return
    from cormorant.app import data_dir
    from cormorant.app.commands import follow
    from cormorant.app.sample import sample_source
    from cormorant.cli.display.progress import watcher

    under_way = any(each.resumed for each in ordered) and not data_dir.is_free(plan.folder)
    for each in ordered:
        if each.resumed and under_way and not each.mine:
            say.note(f"Following run {each.run} of {each.source!r}, which is under way.")
        elif each.resumed:
            was = "suspended" if each.mine else "interrupted"
            restart = f"`{copyable(say.asked, 'crawl', each.source, '--restart')}` starts again."
            say.note(f"Continuing run {each.run} of {each.source!r}, which was {was}. {restart}")
        if each.as_before:
            say.note("It keeps its own options; the options of this command apply to the next run.")
    numbers = [each.run for each in ordered]
    with sample_source.in_reach(plan, numbers) as sample, watcher(say, numbers) as watching:
        if sample:
            say.note(f"Serving the bundled sample at {sample} during the crawl.")
        follow.carry_out(plan, ordered, watching)


def _interrupted(say: Terminal, asked: KeyboardInterrupt, plan: BuildPlan, ordered: Sequence[Ordered]) -> Interrupted:
    """Return the error after Ctrl-C, which describes what happens to the runs next."""
    from cormorant.app.commands.follow import left_by

    left = left_by(asked, plan, ordered)
    return Interrupted(f"Interrupted. {_kept(say, ordered, left)}" if left is None else _left(say, ordered, left))


def _kept(say: Terminal, ordered: Sequence[Ordered], left: Sequence[Ordered] | None) -> str:
    """Describe how stopped runs go on: suspended runs (`left`), or runs cut off as the program ended."""
    again = copyable(say.asked, "crawl", *dict.fromkeys(each.source for each in ordered))
    survives = left is not None or any(each.survives for each in ordered)
    what = "continues it" if survives else "starts again, because survives_restart is off"
    return f"The work so far is kept; `{again}` {what}."


def _left(say: Terminal, ordered: Sequence[Ordered], suspended: Sequence[Ordered]) -> str:
    """Describe what happens to runs that another command carries out, after this one stops watching."""
    said = ["Interrupted."]
    if suspended:
        said.append(_kept(say, suspended, suspended))
    if others := [each for each in ordered if each not in suspended]:
        which = ", ".join(f"run {each.run} of {each.source!r}" for each in others)
        what = "this command stops watching" if not suspended else "it does not stop"
        said.append(f"The running command continues: {what} {which}.")
    return " ".join(said)
