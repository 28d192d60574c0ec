"""`cormorant store`: look after the database, and everything that is kept."""

from __future__ import annotations

import shlex
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

app = new_app(
    "The database and all that is kept: check, backup, restore, export, import, compact, upgrade.", group=True
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The file.", show_default=False, parser=file_of)]
Yes = Annotated[bool, typer.Option("--yes", help="Replace what is there.")]


@app.command(epilog=examples("cormorant store check", "cormorant store check --json", "cormorant store check --repair"))
def check(
    context: typer.Context,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend what can be mended; nothing may be at work meanwhile.")
    ] = False,
) -> None:
    """Check the database, and that it agrees with kept copies and index.

    Without --repair it changes nothing, may run during a crawl, and ends with 1 when something is WRONG. With --repair
    it ends with 0 when all is well, 3 when the next crawl fetches some documents anew, 1 when something has to be done
    that it cannot do.
    """
    from cormorant.cli.admin.doctor import tell
    from cormorant.operate.storage import check as store_check

    say = terminal.of(context)
    if repair:
        _repair(say)
        return
    with say.house() as house:
        tell(say, store_check.store(house))


def _repair(say: terminal.Terminal) -> None:
    from cormorant.cli.admin.doctor import tell
    from cormorant.operate.storage import repair as store_repair

    with say.alone() as house:
        done, left = store_repair.store(house)
    for each in done:
        if say.json:
            say.record({"mended": True, **each._asdict()})
        else:
            say.print(f"{'mended' if each.number else 'later':<6} {each.check:<26} {each.said}")
    if not done:
        say.note("There was nothing to mend.")
    later = [each for each in done if each.later]
    say.explain(Incomplete(f"{each.check}: {each.said}") for each in later)
    tell(say, left)
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
    copies: Annotated[bool, typer.Option("--copies/--no-copies", help="With the kept copies, or rows alone.")] = True,
) -> None:
    """Write everything to one file, while a crawl may be running, and read it again to see that it is whole.

    The index is not in it, which is made anew of the copies, nor the key of secrets, to be kept apart. A file of an
    earlier backup is replaced once the new one is whole.
    """
    from cormorant.operate.storage import backups

    say = terminal.of(context)
    with say.house() as house:
        record = backups.backup(house, file, copies=copies)
    _tell(say, record, "Wrote")


@app.command(epilog=examples("cormorant store export /var/backups/rows.tar"))
def export(context: typer.Context, file: File) -> None:
    """Write all rows to a file that `store import` takes, into SQLite and PostgreSQL alike."""
    from cormorant.operate.storage import backups

    say = terminal.of(context)
    with say.house() as house:
        record = backups.backup(house, file, copies=False)
    _tell(say, record, "Wrote")


@app.command(epilog=examples("cormorant store restore /var/backups/cormorant.tar --yes"))
def restore(context: typer.Context, file: File, yes: Yes = False) -> None:
    """Have everything as it was when a backup was taken, also where the database can no longer be opened.

    The backup is read to its end first. Nothing may be at work; what is there is replaced only with --yes. The index is
    made anew; the next crawl finds what has changed since by asking for changes, and deletes nothing that is only not
    in the backup.
    """
    _bring(terminal.of(context), file, yes=yes, copies=True)


@app.command("import", epilog=examples("cormorant store import /var/backups/rows.tar --yes"))
def import_(context: typer.Context, file: File, yes: Yes = False) -> None:
    """Take the rows of an export, or of a backup, into this database; kept copies stay as they are.

    Documents whose copy is not here are fetched anew by the next crawl, and only they.
    """
    _bring(terminal.of(context), file, yes=yes, copies=False)


def _bring(say: terminal.Terminal, file: Path, *, yes: bool, copies: bool) -> None:
    from cormorant.app.commands.restore import restore

    record = restore(say.plan(), file, yes=yes, copies=copies)
    _tell(say, record, "Took over")
    if record["set_aside"]:
        say.note(f"The database that could not be used is in {record['set_aside']}.")
    if record.get("erased_again"):
        say.note(f"Erased again, as before: {plural(record['erased_again'], 'takedown')}.")
    if record.get("not_erased_in"):
        raise DataFolderError(
            f"Passages that were to be erased are in {', '.join(record['not_erased_in'][:5])}. Remove these files, "
            "then run `cormorant takedown erase ID`; `cormorant takedown list` has the ID."
        )
    if record["fetched_anew"]:
        what = plural(record["fetched_anew"], "document")
        say.problem(
            Incomplete(f"The copies of {what} are not here; the next crawl of their source fetches these again.")
        )
        if record["copies"] and not record["taken"]:
            say.note(
                f"This backup has copies: `cormorant store restore {shlex.quote(str(file))} --yes` takes them, too."
            )
        raise typer.Exit(3)


def _tell(say: terminal.Terminal, record: dict[str, Any], verb: str) -> None:
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
    """Give room back: that of replaced copies, and of deleted rows. Nothing may be at work meanwhile.

    Files of copies of which a quarter or more is used by nobody are written anew. Older versions of documents, which
    `cache diff` shows, are gone then. By itself this happens beyond CORMORANT_OLD_COPIES_BYTES.
    """
    from cormorant.operate.storage import compact as compaction

    say = terminal.of(context)
    with say.alone() as house:
        record = compaction.compact(house)
    if say.json:
        say.record(record)
        return
    for what in ("copies", "store"):
        before, after = (size(record[f"{what}_bytes{end}"]) for end in ("_before", ""))
        say.print(f"{what:<7} {before} -> {after}")
    say.note(f"Wrote {plural(record['packs_rewritten'], 'file')} of copies anew in {duration(record['took_s'])}.")
    if record["unreadable"]:
        what = plural(record["unreadable"], "copy", "copies")
        say.problem(Incomplete(f"{what} cannot be read: `cormorant store check --repair`."))
        raise typer.Exit(3)


@app.command(epilog=examples("cormorant store upgrade", "cormorant store upgrade --json"))
def upgrade(context: typer.Context) -> None:
    """Bring the database to the version of this program, as the first command after an upgrade does by itself.

    What it was before is kept: of SQLite a copy beside it, of PostgreSQL an archive of all rows in the data folder.
    Says from which version to which.
    """
    from cormorant.app.commands.open import opened
    from cormorant.store.schema import SCHEMA_VERSION

    say = terminal.of(context)
    done: list[Upgraded] = []
    with opened(say.plan(), told=done.append):
        pass
    before, backup = (done[0].before, done[0].backup) if done else (SCHEMA_VERSION, None)
    if say.json:
        say.record({"before": before, "now": SCHEMA_VERSION, "backup": str(backup) if backup else None})
    elif done:
        say.upgraded(done[0])
    else:
        say.note(f"The database is of version {SCHEMA_VERSION}, which is that of this program.")
