"""`cormorant doctor` and `cormorant version`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from cormorant.base.errors import CormorantError, NotFoundError
from cormorant.cli import terminal
from cormorant.cli.typer_apps import examples, new_app

if TYPE_CHECKING:
    from cormorant.operate.storage.check import Finding

app = new_app()
version = new_app()


@app.command(epilog=examples("cormorant doctor", "cormorant doctor --json"))
def doctor(context: typer.Context) -> None:
    """Check the installation and this machine, and say how to mend each problem.

    Each line names a check, its result and a remedy. Ends with 1 if one of them is WRONG; a dash marks a part that
    works but could be better.
    """
    from cormorant.app import data_dir
    from cormorant.app.commands.tika_check import tika_findings
    from cormorant.app.processes import web
    from cormorant.operate.system.doctor import at_work, examine

    say = terminal.of(context)
    plan = say.plan()
    try:
        with say.house() as house:
            resting = data_dir.resting(plan.folder)
            more = [*tika_findings(plan, house), at_work(house, resting), web.port_free(plan, busy=resting is None)]
            found = examine(plan.folder, plan.cache, house, None, more)
    except NotFoundError:
        more = [*tika_findings(plan, None), web.port_free(plan, busy=False)]
        found = examine(plan.folder, plan.cache, None, None, more)
    except CormorantError as error:
        found = examine(plan.folder, plan.cache, None, error, tika_findings(plan, None))
    print_findings(say, found)


def print_findings(say: terminal.Terminal, found: Sequence[Finding]) -> None:
    """Print findings; ends with 1 if one of them is a fault."""
    for each in found:
        if say.json:
            say.record(each._asdict())
            continue
        mark = {True: "ok", False: "WRONG", None: "-"}[each.ok]
        say.sentence(f"{mark:<6} {each.check:<26} {each.said}")
        if each.mend and each.ok is not True:
            say.print(f"{'':<33} {each.mend}")
    wrong = [each for each in found if each.ok is False]
    say.explain(CormorantError(f"{each.check}: {each.said} {each.mend or ''}".strip()) for each in wrong)
    if wrong:
        raise typer.Exit(1)


@version.command("version", epilog=examples("cormorant version", "cormorant version --json"))
def version_(context: typer.Context) -> None:
    """Show the version."""
    import platform
    from importlib.metadata import version as installed

    say = terminal.of(context)
    if say.json:
        say.record({"cormorant": installed("cormorant"), "python": platform.python_version()})
    else:
        say.print(f"cormorant {installed('cormorant')} (Python {platform.python_version()})")
