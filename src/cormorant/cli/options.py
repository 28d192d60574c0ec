"""Options that every command takes, before or after its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from cormorant.base.errors import UsageError

HELP = """\
Options of every command, before or after its name:
  --data DIR     The data folder. Else CORMORANT_DATA, else ./cormorant-data, else
                 the place your system has for such data.
  --config FILE  A configuration file (TOML).
  --json         Answer in JSON: one object, or one a line for a list.
  -q, --quiet    Say nothing but what was asked for, and problems.
  -v, --verbose  Say more; -vv shows where an error comes from.
  -h, --help     Explain the command."""

_QUIET = ("-q", "--quiet")
_LOUDER = {"-v": 1, "--verbose": 1, "-vv": 2}


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """Values of the global options. `verbosity` is -1 for quiet, 0 by default, 1 and 2 for -v and -vv."""

    data: str | None = None
    config: str | None = None
    json: bool = False
    verbosity: int = 0


def split(argv: Sequence[str]) -> tuple[GlobalOptions, list[str]]:
    """Take out the global options, at any place before a bare `--`; return them and the rest.

    Raises UsageError if --data or --config has no value.
    """
    named: dict[str, str] = {}
    rest: list[str] = []
    json = False
    words = iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
        elif name in ("--data", "--config"):
            named[name[2:]] = _value(name, value if equals else next(words, None))
        elif word == "--json":
            json = True
        elif word not in _QUIET and word not in _LOUDER:
            rest.append(word)
    return GlobalOptions(named.get("data"), named.get("config"), json, verbosity(argv)), rest


def verbosity(argv: Sequence[str]) -> int:
    """Return the verbosity, as in `GlobalOptions`, even if other words of the command line are wrong."""
    said = 0
    for word in takewhile(lambda word: word != "--", argv):
        if word in _QUIET:
            said = -1
        elif word in _LOUDER:
            said = max(said, 0) + _LOUDER[word]
    return min(said, 2)


def _value(name: str, value: str | None) -> str:
    if not value or value.startswith("-"):
        what = "folder" if name == "--data" else "file"
        raise UsageError(f"{name} needs a {what}, like {name} {'DIR' if name == '--data' else 'FILE'}.")
    return value
