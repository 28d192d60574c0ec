"""Text of a message in blocks: paragraphs, and lines that are quoted from other messages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import groupby
from typing import Final, NamedTuple

MOST_LEVELS: Final = 6
"""Levels of nested quotes that are distinguished; deeper ones are shown at the last level."""
_ATTACHMENT: Final = "Attachment: "
_QUOTED: Final = re.compile(r"(?:>[ \t]?){1,100}")


class QuotedText(NamedTuple):
    """Lines without the signs of a quote. `level` is 1 for a quote, 2 for a quote in a quote."""

    level: int
    text: str


class TextBlock(NamedTuple):
    """Lines of a message, quoted from another one or not."""

    text: str
    quoted: bool

    @property
    def lines(self) -> int:
        """The number of its lines."""
        return self.text.count("\n") + 1

    @property
    def quotes(self) -> list[QuotedText]:
        """Its lines by how deep they are quoted, those of one level together."""
        runs = groupby(map(_unquoted, self.text.split("\n")), key=lambda line: line.level)
        found = [QuotedText(level, "\n".join(each.text for each in lines).strip("\n")) for level, lines in runs]
        return [each for each in found if each.text.strip()]


def blocks_of(text: str) -> list[TextBlock]:
    """Split the text of a message at lines that are quoted: those that begin with >."""
    runs = groupby(text.split("\n"), key=lambda line: line.startswith(">"))
    found = [TextBlock("\n".join(lines).strip("\n"), quoted) for quoted, lines in runs]
    return list(_joined(each for each in found if each.text.strip()))


def _joined(blocks: Iterator[TextBlock]) -> Iterator[TextBlock]:
    """Merge neighbouring blocks of the same kind, which only an empty line separates."""
    last: TextBlock | None = None
    for each in blocks:
        if last is not None and last.quoted is each.quoted:
            last = TextBlock(f"{last.text}\n\n{each.text}", each.quoted)
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last


def body_of(text: str, attachments: Collection[str]) -> str:
    """Return the text between the head that converters put in front and the names of attachments that they add."""
    head, blank, rest = text.partition("\n\n")
    body = rest if blank and head.startswith(("From: ", "To: ", "Cc: ", "Date: ", "Subject: ")) else text
    lines = body.rstrip().split("\n")
    while lines and lines[-1].startswith(_ATTACHMENT) and lines[-1].removeprefix(_ATTACHMENT) in attachments:
        lines.pop()
    return "\n".join(lines)


def _unquoted(line: str) -> QuotedText:
    found = _QUOTED.match(line)
    if found is None:
        return QuotedText(1, line)
    return QuotedText(min(found[0].count(">"), MOST_LEVELS), line[found.end() :])
