"""Sentences about the pages of a document that could not be read, or not all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_MOST_NAMED: Final = 10
"""Pages or runs of pages that a sentence names."""


@dataclass(slots=True)
class PageFaults:
    """Faults of a document, with pages counted from 1.

    `damaged` pages cannot be read; the letters of `garbled` ones have no names; pages from `left_out` on, 0 for none,
    were not read; `cut_short`: the file has lost its end.
    """

    damaged: list[int] = field(default_factory=list)
    garbled: list[int] = field(default_factory=list)
    left_out: int = 0
    cut_short: bool = False

    @property
    def truncated(self) -> bool:
        """Return whether a part of the document is missing."""
        return bool(self.damaged or self.left_out or self.cut_short)

    def sentence(self) -> str:
        """Return the faults as sentences, "" for none."""
        said: list[str] = []
        if self.cut_short:
            said.append("The file has lost its end.")
        if self.damaged:
            said.append(f"{pages_named(self.damaged)} cannot be read.")
        if self.left_out:
            said.append(f"It is too long: nothing from page {self.left_out:,} on was read.")
        if self.garbled:
            said.append(f"{pages_named(self.garbled)} cannot be read: the fonts do not say which letters they show.")
        return " ".join(said)


def pages_named(numbers: Sequence[int]) -> str:
    """Return the words for some pages, in order: "Page 3", "Pages 3-5 and 9", "Pages 1, 3, 5 and 12 more"."""
    runs = list(_runs(numbers))
    named = [f"{first}-{last}" if last > first else str(first) for first, last in runs[:_MOST_NAMED]]
    missing = sum(last - first + 1 for first, last in runs[_MOST_NAMED:])
    if missing:
        named.append(f"{missing:,} more")
    listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"Page {listed}" if len(numbers) == 1 else f"Pages {listed}"


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
