"""Invocation of the program: commands that a person can copy, as the running one was called."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from cormorant.cli.options import GlobalOptions

_NAME = "cormorant"


def copyable(asked: GlobalOptions, *words: str) -> str:
    """Return a command line of these words that finds the same program, data folder and configuration file."""
    data = asked.data or os.environ.get("CORMORANT_DATA")
    given = [("--data", data), ("--config", asked.config)]
    options = [word for name, value in given if value for word in (name, value)]
    return shlex.join([*_program(), *options, *words])


def _program() -> list[str]:
    """Return the words that start this program: its name where the shell finds it, else its path."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name == _NAME:
        return [_short(sys.executable), "-m", _NAME]
    if called.name != _NAME or called.parent == Path():
        return [_NAME]
    found = shutil.which(_NAME)
    return [_NAME] if found and Path(found).absolute() == called.absolute() else [_short(str(called))]


def _short(path: str) -> str:
    """Return a path relative to the current folder if it lies below that, else in full."""
    try:
        whole, here = Path(path).absolute(), Path.cwd()
    except OSError:  # the current folder was deleted
        return path
    is_below = here != Path(here.anchor) and whole.is_relative_to(here)
    return str(whole.relative_to(here) if is_below else whole)
