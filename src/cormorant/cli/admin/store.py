"""`cormorant store`: maintenance of the database and all stored data."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cormorant.base.errors import DataFolderError, Incomplete
from cormorant.cli import terminal
from cormorant.cli.formatting import duration, plural, size
from cormorant.cli.typer_apps import examples, file_of, new_app
from cormorant.model.schedule.timezones import wall_time

if TYPE_CHECKING:
    from cormorant.store.db.migrate import Upgraded

app = new_app("The database and the kept copies: check, backup, restore, export, import, compact, upgrade.", group=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file.", show_default=False, parser=file_of)]
Yes = Annotated[bool, typer.Option("--yes", help="Replace the present data.")]


@app.command(epilog=examples("cormorant store check", "cormorant store check --json", "cormorant store check --repair"))
def check(
    context: typer.Context,
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair the problems found. No crawl and no `serve` may run meanwhile.")
    ] = False,
) -> None:
    """Check that the database is sound and agrees with the kept copies and the index.

    Without --repair the check changes nothing, may run during a crawl, and ends with 1 if something is WRONG. With
    --repair it ends with 0 if all is well, 3 if the next crawl fetches some documents again, 1 if a problem remains
    that it cannot repair.
    """
    from cormorant.cli.admin.doctor import print_findings
    from cormorant.operate.storage import check as store_check

    say = terminal.of(context)
    if repair:
        _repair(say)
        return
    with say.house() as house:
        print_findings(say, store_check.store(house))


def _repair(say: terminal.Terminal) -> None:
    from cormorant.cli.admin.doctor import print_findings
    from cormorant.operate.storage import repair as store_repair

    with say.alone() as house:
        done, left = store_repair.store(house)
    for each in done:
        if say.json:
            say.record({"mended": True, **each._asdict()})
        else:
            say.print(f"{'mended' if each.number else 'later':<6} {each.check:<26} {each.said}")
    if not done:
        say.note("There was nothing to repair.")
    later = [each for each in done if each.later]
    say.explain(Incomplete(f"{each.check}: {each.said}") for each in later)
    print_findings(say, left)
    if later:
        raise typer.Exit(3)


@app.command(
    epilog=examples(
        "cormorant store backup /var/backups/cormorant.tar",
        "cormorant store backup /var/backups/rows.tar --no-copies",
    )
)
def backup(
    context: typer.Context,
    file: File,
    copies: Annotated[
        bool, typer.Option("--copies/--no-copies", help="With the kept copies, or only the rows.")
    ] = True,
) -> None:
    """Write the whole installation to one file, also while a crawl is running.

    The file is read again to verify it. It contains neither the index, which is rebuilt from the copies, nor the key of
    the secrets, which you keep apart. A file of an earlier backup is replaced when the new one is complete.
    """
    from cormorant.operate.storage import backups

    say = terminal.of(context)
    with say.house() as house:
        record = backups.backup(house, file, copies=copies)
    _print(say, record, "Wrote")


@app.command(epilog=examples("cormorant store export /var/backups/rows.tar"))
def export(context: typer.Context, file: File) -> None:
    """Write all rows to a file that `store import` reads, into SQLite and PostgreSQL alike."""
    from cormorant.operate.storage import backups

    say = terminal.of(context)
    with say.house() as house:
        record = backups.backup(house, file, copies=False)
    _print(say, record, "Wrote")


@app.command(epilog=examples("cormorant store restore /var/backups/cormorant.tar --yes"))
def restore(context: typer.Context, file: File, yes: Yes = False) -> None:
    """Restore an installation from a backup, also if its database can no longer be opened.

    The whole backup is read first. No crawl and no `serve` may run meanwhile; present data is replaced only with --yes.
    The index is rebuilt. The next crawl asks its sources for later changes, and deletes no document only because the
    backup does not have it.
    """
    _bring(terminal.of(context), file, yes=yes, copies=True)


@app.command("import", epilog=examples("cormorant store import /var/backups/rows.tar --yes"))
def import_(context: typer.Context, file: File, yes: Yes = False) -> None:
    """Import the rows of an export or a backup into this database; kept copies stay as they are.

    The next crawl fetches again only the documents whose copy is not here.
    """
    _bring(terminal.of(context), file, yes=yes, copies=False)


def _bring(say: terminal.Terminal, file: Path, *, yes: bool, copies: bool) -> None:
    from cormorant.app.commands.restore import restore

    record = restore(say.plan(), file, yes=yes, copies=copies)
    _print(say, record, "Took over")
    if record["set_aside"]:
        say.note(f"The unusable database was moved to {record['set_aside']}.")
    if record.get("erased_again"):
        say.note(f"Erased again, as before: {plural(record['erased_again'], 'takedown')}.")
    if record.get("not_erased_in"):
        raise DataFolderError(
            f"These files still contain passages that were to be erased: {', '.join(record['not_erased_in'][:5])}. "
            "Remove them, then run `cormorant takedown erase ID`; `cormorant takedown list` shows the ID."
        )
    if record["fetched_anew"]:
        what = plural(record["fetched_anew"], "document")
        say.problem(
            Incomplete(f"The copies of {what} are not here; the next crawl of their source fetches them again.")
        )
        if record["copies"] and not record["taken"]:
            say.note(
                f"This backup contains copies: `cormorant store restore {shlex.quote(str(file))} --yes` restores "
                "them, too."
            )
        raise typer.Exit(3)


def _print(say: terminal.Terminal, record: Mapping[str, Any], verb: str) -> None:
    if say.json:
        say.record(record)
        return
    copies = (
        f", {plural(record['packs'], 'file')} of copies ({size(record['packs_bytes'])})"
        if record.get("taken", record["copies"])
        else ""
    )
    of = wall_time(record["made_at"])
    say.note(
        f"{verb} {plural(record['documents'], 'document')} in {plural(record['rows'], 'row')}{copies}, of "
        f"{of}, in {duration(record['took_s'])}: {record['file']}, {size(record['size_bytes'])}."
    )


@app.command(epilog=examples("cormorant store compact", "cormorant store compact --json"))
def compact(context: typer.Context) -> None:
    """Free the disk space of replaced copies and deleted rows.

    No crawl and no `serve` may run meanwhile. A file of copies is written again if a quarter of it or more is unused.
    Older versions of documents, which `cache diff` shows, are deleted. Beyond CORMORANT_OLD_COPIES_BYTES this happens
    without a command.
    """
    from cormorant.operate.storage import compact as compaction

    say = terminal.of(context)
    with say.alone() as house:
        record = compaction.compact(house)
    if say.json:
        say.record(record)
        return
    say.print(f"copies  {size(record['copies_bytes_before'])} -> {size(record['copies_bytes'])}")
    say.print(f"store   {size(record['store_bytes_before'])} -> {size(record['store_bytes'])}")
    say.note(f"Rewrote {plural(record['packs_rewritten'], 'file')} of copies in {duration(record['took_s'])}.")
    if record["unreadable"]:
        what = plural(record["unreadable"], "copy", "copies")
        say.problem(Incomplete(f"{what} cannot be read: `cormorant store check --repair`."))
        raise typer.Exit(3)


@app.command(epilog=examples("cormorant store upgrade", "cormorant store upgrade --json"))
def upgrade(context: typer.Context) -> None:
    """Upgrade the database to the version of this program.

    The first command after an upgrade of the program does this by itself. The old state is kept: for SQLite a copy of
    the database beside it, for PostgreSQL an archive of all rows in the data folder. The answer names both versions.
    """
    from cormorant.app.commands.open import opened
    from cormorant.store.schema import SCHEMA_VERSION

    say = terminal.of(context)
    done: list[Upgraded] = []
    with opened(say.plan(), on_upgrade=done.append):
        pass
    before, backup = (done[0].before, done[0].backup) if done else (SCHEMA_VERSION, None)
    if say.json:
        say.record({"before": before, "now": SCHEMA_VERSION, "backup": str(backup) if backup else None})
    elif done:
        say.upgraded(done[0])
    else:
        say.note(f"The database already has version {SCHEMA_VERSION}, that of this program.")
