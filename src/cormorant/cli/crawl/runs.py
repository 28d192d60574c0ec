"""`cormorant run`: show runs, control them, answer a held one."""

from __future__ import annotations

from typing import Annotated

import typer

from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.typer_apps import MOST_LINES, OfSource, examples, new_app

app = new_app(
    "Runs, each one crawl of one source: list, show, watch, log, suspend, resume, stop, delete, accept, refuse, prune, "
    "index.",
    group=True,
)

Number = Annotated[
    int | None, typer.Argument(metavar="[ID]", help="Number of the run; default: the newest.", show_default=False)
]


@app.command("list", epilog=examples("cormorant run list", "cormorant run list --source docs --json"))
def list_(
    context: typer.Context,
    source: OfSource = None,
) -> None:
    """List runs, the newest first."""
    from cormorant.app import data_dir
    from cormorant.operate.runs import start

    say = terminal.of(context)
    plan = say.plan()
    with say.house() as house:
        records = start.listed(house, source, data_dir.resting(plan.folder))
    say.table(records, ("run", "source", "state", "started_at", "seconds", "fetched", "indexed", "failed"))
    for each in records if not say.json else ():
        if each["waits"] and each["reason"]:
            say.sentence(f"Run {each['run']} of {each['source']!r}: {each['reason']}")


@app.command(epilog=examples("cormorant run show", "cormorant run show 1 --json"))
def show(context: typer.Context, number: Number = None) -> None:
    """Show the report of a run; for a held run also the documents that would leave."""
    from cormorant.app import data_dir
    from cormorant.cli.display.report import leaving_lines, lines
    from cormorant.operate.runs import eta_summary, start

    say = terminal.of(context)
    plan = say.plan()
    with say.house() as house:
        record = eta_summary.shown(house, number, data_dir.resting(plan.folder))
        going = start.leaving_count(house, record["run"]) if record.get("leaving") else 0
    if say.json:
        say.record(record)
        return
    for line in lines(record):
        say.print(line)
    for line in leaving_lines(record, going, start.MOST_LEAVING):
        say.print(line)


@app.command(epilog=examples("cormorant run watch", "cormorant run watch 1"))
def watch(context: typer.Context, number: Number = None) -> None:
    """Watch a run until it ends, and print its report.

    Ctrl-C stops the watching, not the run.
    """
    from cormorant.app import data_dir
    from cormorant.base.errors import ConflictError
    from cormorant.cli.crawl.crawl import carry_out
    from cormorant.model.run import OPEN_STATES
    from cormorant.operate.runs import start
    from cormorant.operate.runs.start import Ordered

    say = terminal.of(context)
    plan = say.plan()
    with say.house() as house:
        record = start.report(house, number)
    if record["state"] in OPEN_STATES and data_dir.is_free(plan.folder):
        raise ConflictError(
            f"No process works on run {record['run']}. `cormorant run resume {record['run']}` continues it."
        )
    raise typer.Exit(carry_out(say, plan, [Ordered(record["run"], record["source"] or "", resumed=False)], report=True))


@app.command(epilog=examples("cormorant run log", "cormorant run log 1 --level warning", "cormorant run log --json"))
def log(
    context: typer.Context,
    number: Number = None,
    level: Annotated[str, typer.Option(help="Lines of this level and above: debug, info, warning or error.")] = "debug",
    only: Annotated[
        str | None,
        typer.Option(help="Only lines of these kinds: run, fetch, screened, site or header.", show_default=False),
    ] = None,
    last: Annotated[
        int, typer.Option(min=0, max=MOST_LINES, help="Only this number of lines from the end; 0: all.")
    ] = 0,
) -> None:
    """Print the log of a run, as far as it is written.

    The setting `logs` of its source selects the lines. With --json they are printed as they were written, for a file.
    """
    from cormorant.operate.runs import log as run_log

    say = terminal.of(context)
    with say.house() as house:
        for line in run_log.lines(house, number, run_log.LogFilter(level, only, last)):
            if say.json:
                say.record(line)
            else:
                say.print(run_log.as_text(line))


@app.command(epilog=examples("cormorant run suspend", "cormorant run suspend 1"))
def suspend(context: typer.Context, number: Number = None) -> None:
    """Suspend a run until `run resume`, or the next crawl of its source, continues it."""
    from cormorant.operate.runs import control

    say = terminal.of(context)
    with say.house() as house:
        row = control.suspend(house, number)
    _print_state(say, row.id, "suspended", f"Suspended run {row.id}. `cormorant run resume {row.id}` continues it.")


@app.command(epilog=examples("cormorant run resume", "cormorant run resume 1"))
def resume(context: typer.Context, number: Number = None) -> None:
    """Continue a suspended or interrupted run, and watch it until it ends."""
    from cormorant.cli.crawl.crawl import carry_out, report_cut_off
    from cormorant.operate.runs import control

    say = terminal.of(context)
    with say.house() as house:
        report_cut_off(say, say.plan(), house)
        ordered = control.resume(house, number)
    raise typer.Exit(carry_out(say, say.plan(), [ordered]))


@app.command(epilog=examples("cormorant run stop", "cormorant run stop 1"))
def stop(context: typer.Context, number: Number = None) -> None:
    """End a run for good; the next crawl of its source starts again.

    Visited documents are kept. Examined documents that are not indexed yet are dropped: the next crawl fetches them
    again.
    """
    from cormorant.app import data_dir
    from cormorant.cli.display.report import undelivered
    from cormorant.operate.delivery import receivers
    from cormorant.operate.runs import control, review

    say = terminal.of(context)
    plan = say.plan()
    with say.house() as house:
        row = control.stop(house, number, data_dir.resting(plan.folder))
        dropped = review.waiting_count(house, row)
        waits = undelivered(*receivers.waiting(house), resting=data_dir.is_free(plan.folder))
    are, them = ("is", "it") if dropped == 1 else ("are", "them")
    what = (
        f"{plural(dropped, 'document')} that waited to be indexed {are} dropped; the next crawl fetches {them} again."
    )
    kept = "Its documents are kept; the next crawl starts again."
    _print_state(say, row.id, "stopped", f"Stopped run {row.id}. {what if dropped else kept} {waits}".strip())


@app.command(epilog=examples("cormorant run delete 1"))
def delete(
    context: typer.Context, number: Annotated[int, typer.Argument(metavar="ID", help="Number of the run.")]
) -> None:
    """Delete a run that has ended, with its figures.

    Its documents stay, except those of a test.
    """
    from cormorant.operate.runs import control

    say = terminal.of(context)
    with say.house() as house:
        deleted = control.delete(house, number)
    sentence = f"Deleted run {number}." if deleted else f"Run {number} does not exist any more: it was deleted before."
    _print_state(say, number, "deleted", sentence)


def _print_state(say: terminal.Terminal, number: int, state: str, sentence: str) -> None:
    if say.json:
        say.record({"run": number, "state": state})
    else:
        say.note(sentence)


@app.command(epilog=examples("cormorant run prune 3 path:/drafts/", "cormorant run prune 3 ext:zip 'name:draft-*'"))
def prune(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="ID", help="Number of the run.")],
    rules: Annotated[
        list[str], typer.Argument(metavar="RULE...", help="Rules as in `exclude`, for example path:/drafts/.")
    ],
) -> None:
    """Leave documents of an examined run out of the index.

    The next crawl finds them again. To keep them out for good, add the rules to the source: `source edit NAME --set
    exclude=...`.
    """
    from cormorant.operate.runs import review

    say = terminal.of(context)
    with say.house() as house:
        record = review.prune(house, number, rules)
    if say.json:
        say.record(record)
        return
    say.note(f"Left out: {plural(record['pruned'], 'document')}; {record['left']:,} are left to be indexed.")
    for each in record["rules"]:
        say.note(f"  {each['rule']}: {each['documents']:,}")
    for rule in record["settled"]:
        say.note(
            f"No document that the rule {rule!r} matches waits to be indexed: it is gone, unchanged, excluded, or was "
            "left out before."
        )
    for rule in record["idle"]:
        say.note(f"The rule {rule!r} matches no document that this run has visited. Check its spelling.")


@app.command(epilog=examples("cormorant run index", "cormorant run index 3"))
def index(context: typer.Context, number: Number = None) -> None:
    """Index the documents of an examined run, without a request, and complete the run."""
    from cormorant.cli.crawl.crawl import carry_out
    from cormorant.operate.runs import review, start
    from cormorant.operate.runs.start import Ordered

    say = terminal.of(context)
    with say.house() as house:
        row = review.index(house, number)
        source = start.report(house, row.id)["source"] or ""
    raise typer.Exit(carry_out(say, say.plan(), [Ordered(row.id, source, resumed=False)]))


@app.command(epilog=examples("cormorant run accept", "cormorant run accept 1"))
def accept(context: typer.Context, number: Number = None) -> None:
    """Let the documents of a held run leave, or take their new text, and complete the run."""
    _answer(terminal.of(context), number, accept=True)


@app.command(epilog=examples("cormorant run refuse", "cormorant run refuse 1"))
def refuse(context: typer.Context, number: Number = None) -> None:
    """Keep the documents of a held run as they are until the next crawl, and complete the run."""
    _answer(terminal.of(context), number, accept=False)


def _answer(say: terminal.Terminal, number: int | None, *, accept: bool) -> None:
    from cormorant.cli.crawl.crawl import carry_out
    from cormorant.operate.runs import start
    from cormorant.operate.runs.start import Ordered

    with say.house() as house:
        row = start.answer(house, number, accept=accept)
        source = start.report(house, row.id)["source"] or ""
    raise typer.Exit(carry_out(say, say.plan(), [Ordered(row.id, source, resumed=False)]))
