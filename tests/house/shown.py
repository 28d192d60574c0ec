"""What pages show of the command line: blocks, and in them commands with their words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^>]+-->\s*)?^```(?P<kind>console|sh)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
PROMPT = "$ "
PROGRAM = "cormorant"
_INLINE = re.compile(r"`((?:CORMORANT_\w+=\S+ )?cormorant [^`\n]+)`")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_OPERATORS = frozenset("();<>|&\n")
_ASSIGNMENT = re.compile(r"[A-Z_]+=.*", re.DOTALL)


class Shown(NamedTuple):
    """A line of a block, and what it answers there."""

    command: str
    answer: str


class Block(NamedTuple):
    """A block of commands: the page's line where it begins, whether it has prompts, and whether it says why not run."""

    line: int
    prompted: bool
    left_out: bool
    lines: tuple[Shown, ...]

    @property
    def is_run(self) -> bool:
        """Whether it is run with the page: it begins with our command, after a prompt."""
        return self.prompted and not self.left_out and self.lines[0].command.startswith((PROGRAM, "CORMORANT_"))


def blocks(markdown: str) -> Iterator[Block]:
    """The blocks of a page, lines that end in a backslash joined."""
    for found in BLOCK.finditer(markdown):
        body = found["body"].replace("\\\n", "")
        prompted = body.startswith(PROMPT)
        if prompted:
            pieces = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
            lines = [Shown(*piece.partition("\n")[::2]) for piece in pieces]
        else:
            lines = [Shown(line, "") for line in body.splitlines()]
        yield Block(markdown[: found.start()].count("\n") + 1, prompted, bool(found["skip"]), tuple(lines))


def inline(markdown: str) -> Iterator[str]:
    """Commands that stand in the text of a page."""
    return (found[1] for found in _INLINE.finditer(_FENCE.sub("", markdown)))


def programs(line: str) -> Iterator[list[str]]:
    """The programs that a shell would start for a line, each with its words; variables before them are left out."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = "#"
    current: list[str] = []
    for word in [*words, ";"]:
        if word and set(word) <= _OPERATORS:
            given = len(list(takewhile(_ASSIGNMENT.fullmatch, current)))
            if current[given:]:
                yield current[given:]
            current = []
        else:
            current.append(word)
