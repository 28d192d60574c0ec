"""`cormorant run`: look at runs, steer them, answer one that is held."""

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
    int | None, typer.Argument(metavar="[ID]", help="Number of the run; none: the newest.", show_default=False)
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
    """Show the report of a run; of a held one, which documents would go too."""
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
    """Watch a run that is under way, to its end, and print its report. Ctrl-C stops the watching, not the run."""
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
            f"Nothing is at work on run {record['run']}. `cormorant run resume {record['run']}` goes on."
        )
    raise typer.Exit(carry_out(say, plan, [Ordered(record["run"], record["source"], resumed=False)], report=True))


@app.command(epilog=examples("cormorant run log", "cormorant run log 1 --level warning", "cormorant run log --json"))
def log(
    context: typer.Context,
    number: Number = None,
    level: Annotated[str, typer.Option(help="Lines of this level and above: debug, info, warning or error.")] = "debug",
    only: Annotated[
        str | None,
        typer.Option(help="Only run (what is said anyway), fetch, screened, site or header.", show_default=False),
    ] = None,
    last: Annotated[int, typer.Option(min=0, max=MOST_LINES, help="Only so many lines from its end; 0: all.")] = 0,
) -> None:
    """Print the log of a run, as far as it is written; `logs` of its source says what is.

    With --json it is the lines as they were written, to be kept in a file.
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
    """Leave a run where it is, until `run resume` or the next crawl of its source goes on with it."""
    from cormorant.operate.runs import control

    say = terminal.of(context)
    with say.house() as house:
        row = control.suspend(house, number)
    _told(say, row.id, "suspended", f"Suspended run {row.id}. `cormorant run resume {row.id}` goes on with it.")


@app.command(epilog=examples("cormorant run resume", "cormorant run resume 1"))
def resume(context: typer.Context, number: Number = None) -> None:
    """Go on with a run that was suspended or interrupted, and watch it to its end."""
    from cormorant.cli.crawl.crawl import carry_out, tell_cut_off
    from cormorant.operate.runs import control

    say = terminal.of(context)
    with say.house() as house:
        tell_cut_off(say, say.plan(), house)
        ordered = control.resume(house, number)
    raise typer.Exit(carry_out(say, say.plan(), [ordered]))


@app.command(epilog=examples("cormorant run stop", "cormorant run stop 1"))
def stop(context: typer.Context, number: Number = None) -> None:
    """End a run for good; the next crawl of its source begins anew. What was found is kept.

    What was examined and is not indexed yet is dropped: the next crawl fetches it anew.
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
    what = f"{plural(dropped, 'document')} that waited to be indexed {are} dropped; the next crawl fetches {them} anew."
    kept = "What it found is kept; the next crawl begins anew."
    _told(say, row.id, "stopped", f"Stopped run {row.id}. {what if dropped else kept} {waits}".strip())


@app.command(epilog=examples("cormorant run delete 1"))
def delete(
    context: typer.Context, number: Annotated[int, typer.Argument(metavar="ID", help="Number of the run.")]
) -> None:
    """Forget a run that has ended, with its figures. What it found stays, but what a test has found."""
    from cormorant.operate.runs import control

    say = terminal.of(context)
    with say.house() as house:
        deleted = control.delete(house, number)
    sentence = f"Deleted run {number}." if deleted else f"There is no run {number} any more: it was deleted before."
    _told(say, number, "deleted", sentence)


def _told(say: terminal.Terminal, number: int, state: str, sentence: str) -> None:
    if say.json:
        say.record({"run": number, "state": state})
    else:
        say.note(sentence)


@app.command(epilog=examples("cormorant run prune 3 path:/drafts/", "cormorant run prune 3 ext:zip 'name:draft-*'"))
def prune(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="ID", help="Number of the run.")],
    rules: Annotated[
        list[str], typer.Argument(metavar="RULE...", help="Written as those of `exclude`, like path:/drafts/.")
    ],
) -> None:
    """Leave some of what a run has examined out of what is to be indexed. The next crawl finds it again.

    To keep it out for good, add the rules to the source: `source edit NAME --set exclude=...`.
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
            f"What the rule {rule!r} matches has nothing waiting to be indexed: it is gone, unchanged, not to be "
            "indexed, or was left out before."
        )
    for rule in record["idle"]:
        say.note(f"The rule {rule!r} matches nothing that this run has visited. Check how it is written.")


@app.command(epilog=examples("cormorant run index", "cormorant run index 3"))
def index(context: typer.Context, number: Number = None) -> None:
    """Index what a run has examined, without a request, and carry the run to its end."""
    from cormorant.cli.crawl.crawl import carry_out
    from cormorant.operate.runs import review, start
    from cormorant.operate.runs.start import Ordered

    say = terminal.of(context)
    with say.house() as house:
        row = review.index(house, number)
        source = start.report(house, row.id)["source"]
    raise typer.Exit(carry_out(say, say.plan(), [Ordered(row.id, source, resumed=False)]))


@app.command(epilog=examples("cormorant run accept", "cormorant run accept 1"))
def accept(context: typer.Context, number: Number = None) -> None:
    """Let the documents of a held run go, or take their new text, and carry the run to its end."""
    _answer(terminal.of(context), number, accept=True)


@app.command(epilog=examples("cormorant run refuse", "cormorant run refuse 1"))
def refuse(context: typer.Context, number: Number = None) -> None:
    """Keep the documents of a held run as they are until the next crawl, and carry the run to its end."""
    _answer(terminal.of(context), number, accept=False)


def _answer(say: terminal.Terminal, number: int | None, *, accept: bool) -> None:
    from cormorant.cli.crawl.crawl import carry_out
    from cormorant.operate.runs import start
    from cormorant.operate.runs.start import Ordered

    with say.house() as house:
        row = start.answer(house, number, accept=accept)
        source = start.report(house, row.id)["source"]
    raise typer.Exit(carry_out(say, say.plan(), [Ordered(row.id, source, resumed=False)]))
