"""`cormorant secret`: passwords, tokens and keys that sources need."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from cormorant.base.errors import NotFoundError, UsageError
from cormorant.cli import terminal
from cormorant.cli.formatting import plural
from cormorant.cli.typer_apps import examples, file_of, new_app

app = new_app("Passwords, tokens and keys that sources need: add, list, edit, delete, rotate.", group=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the secret; settings refer to it as secret:NAME.")]
File = Annotated[
    Path | None,
    typer.Option(
        "--file", metavar="FILE", help="Read the value from this file instead of the terminal.", parser=file_of
    ),
]

MOST_READ = 1_000_000
"""Bytes that are read from a file or pipe: more than a value may have."""


def _value(name: str, file: Path | None, *, quiet: bool) -> str:
    """The value, from a file, from a pipe, or typed twice without echo; never from the command line."""
    if file is not None:
        try:
            with file.expanduser().open("rb") as opened:
                return _text(opened.read(MOST_READ))
        except OSError as error:
            raise NotFoundError(f"{file} cannot be read: {error.strerror}.") from None
    if not sys.stdin.isatty():
        return _text(sys.stdin.buffer.read(MOST_READ))
    if quiet:
        raise UsageError(
            "With --json the command asks no questions: give the value on standard input, or name a --file."
        )
    return str(typer.prompt(f"Value of {name}", hide_input=True, confirmation_prompt=True, err=True))


def _text(data: bytes) -> str:
    """The value in a file or pipe, without the line end that an editor or echo appends."""
    try:
        return data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise UsageError("The value is not UTF-8 text.") from None


@app.command(epilog=examples("cormorant secret add wiki", "cormorant secret add intranet --file password.txt"))
def add(context: typer.Context, name: Name, file: File = None) -> None:
    """Store a secret.

    The command asks for the value, or reads it from standard input or from a file. The value is never shown again.
    """
    from cormorant.operate.sources import secrets

    say = terminal.of(context)
    with say.house(new=True) as house:
        record = secrets.add(house, name, _value(name, file, quiet=say.json))
    if say.json:
        say.record(record)
    else:
        say.note(
            f"Stored. A source uses it as secret:{name}, for example --set credentials='https://... basic USER "
            f"secret:{name}'."
        )


@app.command("list", epilog=examples("cormorant secret list", "cormorant secret list --json"))
def list_(context: typer.Context) -> None:
    """List the secrets and the sources that use them, without their values."""
    from cormorant.operate.sources import secrets

    say = terminal.of(context)
    with say.house() as house:
        records = secrets.listed(house)
    if not say.table(records, ("secret", "used_by", "opens", "changed_at")) and not say.json:
        say.note("There is no secret yet. Add one: cormorant secret add NAME")


@app.command(epilog=examples("cormorant secret edit wiki", "cormorant secret edit wiki --file password.txt"))
def edit(context: typer.Context, name: Name, file: File = None) -> None:
    """Replace the value of a secret. The next crawl uses the new one."""
    from cormorant.operate.sources import secrets

    say = terminal.of(context)
    with say.house() as house:
        record = secrets.edit(house, name, _value(name, file, quiet=say.json))
    if say.json:
        say.record(record)
    else:
        say.note(f"Changed {name!r}. The next crawl uses it.")


@app.command(epilog=examples("cormorant secret delete old"))
def delete(context: typer.Context, name: Name) -> None:
    """Delete a secret that no source uses any more."""
    from cormorant.operate.sources import secrets

    say = terminal.of(context)
    with say.house() as house:
        secrets.delete(house, name)
    if say.json:
        say.record({"secret": name, "deleted": True})
    else:
        say.note(f"Forgot {name!r}.")


@app.command(epilog=examples("cormorant secret rotate"))
def rotate(context: typer.Context) -> None:
    """Seal all secrets with a new key and forget the old key."""
    from cormorant.operate.sources import secrets

    say = terminal.of(context)
    with say.house() as house:
        count = secrets.rotate(house)
    if say.json:
        say.record({"rotated": count})
    else:
        kept = f"A new key seals {plural(count, 'secret')}. The cookies of all sites are deleted."
        say.note(f"{kept} Keep a copy of secret.key, apart from the copy of the database.")
