"""Error boundary to the shell: every ending becomes an exit code and, if needed, one sentence."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

from cormorant.base.durability import reportable
from cormorant.base.errors import CormorantError, Interrupted, UsageError
from cormorant.cli import options, registry
from cormorant.cli.options import GlobalOptions

PIPE_CLOSED = 141
"""The exit code of a program that wrote into a closed pipe: 128 + SIGPIPE."""


def run(argv: Sequence[str]) -> int:
    """Carry out a command line and return its exit code. Never raises."""
    asked = GlobalOptions(json="--json" in argv, verbosity=options.verbosity(argv))
    try:
        asked, rest = options.split(argv)
        code = _carry_out(asked, rest)
        sys.stdout.flush()
        return code
    except CormorantError as error:
        return _say(asked, error)
    except KeyboardInterrupt:
        return _say(asked, Interrupted("Interrupted. The work so far is kept; run the same command again to continue."))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the outermost boundary: a person gets a sentence
        return _say(asked, reportable(error) or _ours(error))


def _carry_out(asked: GlobalOptions, rest: list[str]) -> int:
    """Find the command, import it, run it."""
    if not rest and asked.json:
        raise UsageError("You named no command. `cormorant --help` lists them.")
    if not rest or rest[0] in ("-h", "--help", "help"):
        print(registry.overview())
        return 0 if rest else 2
    if rest[0] == "--version":
        rest = ["version"]
    command = registry.find(rest[0])
    from cormorant.cli.typer_apps import call

    return call(command, asked, rest[1:])


def _say(asked: GlobalOptions, error: CormorantError) -> int:
    """Print an error: a sentence for a user, an object for a program."""
    if asked.verbosity >= 2:
        sys.excepthook(type(error), error, error.__traceback__)
    if asked.json:
        text = json.dumps(error.as_problem(), ensure_ascii=False)
    else:
        text = error.sentence
    sys.stderr.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    print(text, file=sys.stderr)
    return error.exit_code


def _ours(error: Exception) -> CormorantError:
    """A bug of the program itself, as one sentence."""
    what = " ".join(str(error).split())[:300]
    found = CormorantError(
        f"An internal error occurred in cormorant ({type(error).__name__}{(': ' if what else '')}{what}). No kept "
        "data is lost. Run the command again with -vv to see the place, and report it."
    )
    found.__cause__ = error
    found.__traceback__ = error.__traceback__
    return found
