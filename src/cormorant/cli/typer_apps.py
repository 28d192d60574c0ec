"""Runs one command with typer, and turns its usage errors into our words."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from cormorant.base.errors import Interrupted, UsageError
from cormorant.cli import options
from cormorant.cli.options import GlobalOptions
from cormorant.cli.registry import Command
from cormorant.cli.terminal import Terminal

OfSource = Annotated[str | None, typer.Option("--source", metavar="S", help="Only of this source.")]
"""The source of a list; none: all sources."""

MOST_LINES: Final = 2**31 - 1
"""Longer than any list or log."""


def file_of(text: str) -> Path:
    """The named file. Raises UsageError for an empty name, which would mean the current folder."""
    if not text:
        raise UsageError("You named no file. Give its path.")
    return Path(text)


Most = Annotated[
    int | None,
    typer.Option(
        "--limit", metavar="N", min=0, max=MOST_LINES, help="At most this number; default: all.", show_default=False
    ),
]  # fmt: skip
"""The maximum length of a list; none: unlimited."""


def new_app(about: str = "", *, group: bool = False) -> typer.Typer:
    """An application for one command, or for a group of them."""
    app = typer.Typer(
        add_completion=False, rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]},
        help=about, no_args_is_help=False,
    )  # fmt: skip
    if group:
        app.callback()(lambda: None)
    return app


def examples(*lines: str) -> str:
    """The end of a command's help: examples, then the global options."""
    shown = "\n".join(f"  {line}" for line in lines)
    return f"\b\nExamples:\n{shown}\n\n\b\n{options.HELP}"


def call(command: Command, asked: GlobalOptions, rest: Sequence[str]) -> int:
    """Run a command; return its exit code. Raises UsageError for invalid usage."""
    app: typer.Typer = getattr(importlib.import_module(f"cormorant.cli.{command.module}"), command.app)
    program, terminal = f"cormorant {command.name}", Terminal(asked)
    try:
        code: Any = app(list(rest), prog_name=program, standalone_mode=False, obj=terminal)
    except typer.Exit as ended:
        code = ended.exit_code
    except typer.Abort:
        raise Interrupted("Nothing was changed.") from None
    except SystemExit as ended:  # typer's reaction to a closed pipe
        raise BrokenPipeError from ended
    except typer.TyperException as wrong:
        if type(wrong).__name__ == "NoArgsIsHelpError" and not asked.json:
            return 2
        raise UsageError(_sentence(wrong, program)) from wrong
    if code == _TYPED_INTERRUPT:
        raise KeyboardInterrupt
    terminal.see_explained(int(code or 0))
    return int(code or 0)


_TYPED_INTERRUPT = 130
"""Typer's exit code for Ctrl-C."""


_VALUE: Final = r"Invalid value for '\[?(?P<name>[^']*?)\]?': "
_IN_OUR_WORDS: Final = tuple(
    (re.compile(f"{before}{theirs}", re.DOTALL), ours)
    for before, theirs, ours in (
        (_VALUE, r"Input should be a valid integer.*", r"\g<name> takes a whole number."),
        (_VALUE, r"Input should be a valid number.*", r"\g<name> takes a number."),
        (_VALUE, r"Input should be greater than or equal to (\S+)", r"\g<name> takes \2 or more."),
        (_VALUE, r"Input should be less than or equal to (\S+)", r"\g<name> takes at most \2."),
        (_VALUE, r"Value error, (.*)", r"\g<name>: \2"),
        ("", r"Got unexpected extra argument(?:s|\(s\))? \((.*)\)", "There are too many arguments: \\1"),
    )
)
"""Messages of typer and its library about a value, and ours."""


def _sentence(wrong: typer.TyperException, program: str) -> str:
    """Return the error message of typer as a sentence, and where to find help."""
    said = " ".join(wrong.format_message().split()).replace("(Possible options:", "(there is:")
    for theirs, ours in _IN_OUR_WORDS:
        said = theirs.sub(ours, said)
    ended = said if said.endswith((".", "?", "!", ")")) else f"{said}."
    context = getattr(wrong, "ctx", None)
    path = getattr(context, "command_path", program)
    return f"{ended} See `{path} --help`."
