"""``python -m bench.likeness``: see how well near duplicates are told, and write docs/reference/near-duplicates.md.

Precision is how many of the pairs that are told to be near duplicates are some, recall how many of those that are some
are told to be. MinHash is the product's own sketch, with its bands; SimHash (Charikar, 2002) is here to compare with:
64 bits over three words at a time of the same text, told by how many bits differ.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import xxhash

from bench.alike import Pair, pairs
from cormorant.extract.compare.minhash import sketch
from cormorant.model.text.near_duplicates import ALIKE, FIGURES, PLACES, bands, called_alike, named_alike, shared

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "near-duplicates.md"
_SHARES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
_BITS = (3, 6, 10, 14)
_WORD = re.compile(r"\w+")


_HOW = """MinHash is told by 64 places and six bands of six, as documents are compared in a crawl: from so many places
on that are equal. SimHash is told by 64 bits, of which at most so many differ; only up to 3 could be looked up by
bands. Without the title, pages of people and things that are all frame are taken for one another. *Words* are those of
the title without its figures: a version that has its number in the title is found by them, and so is the report of
another year, which is another page. Which of both a figure means cannot be told, and what is shown twice is found,
where what is folded away may not be: so figures count, at the price of those versions."""


class Measures(NamedTuple):
    """How well pairs are told."""

    precision: float
    recall: float


Telling = Callable[[Pair], bool]
"""Says whether the pages of a pair are near duplicates."""
Titled = Callable[[bytes, bytes], bool]
"""Says of two sketches whether their titles let them be."""


def anyhow(one: bytes, other: bytes) -> bool:  # noqa: ARG001 - the shape of Titled
    """Take titles for alike whatever they say."""
    return True


def measured(some: Sequence[Pair], tell: Telling) -> Measures:
    """Return precision and recall; precision is 1 where nothing is told to be a near duplicate."""
    told = [pair.near for pair in some if tell(pair)]
    return Measures(sum(told) / len(told) if told else 1.0, sum(told) / sum(pair.near for pair in some))


def minhash(share: float, titled: Titled = called_alike) -> Telling:
    """Tell by the product's sketches, from this share on, by a band that both have, and by their titles."""

    def tell(pair: Pair) -> bool:
        one, other = sketch(*pair.one), sketch(*pair.other)
        filed = bool(one and other) and bool(_filed(one) & _filed(other))
        return filed and titled(one, other) and shared(one, other) >= share

    return tell


def _filed(made: bytes) -> set[int]:
    """Return the bands of a text whose title has no figures: what these are is told by the titles."""
    return set(bands(made[:PLACES] + bytes(FIGURES), 0))


def simhash(bits: int, *, titles: bool = True) -> Telling:
    """Tell by SimHash: at most so many bits differ."""

    def tell(pair: Pair) -> bool:
        if titles and not called_alike(sketch(*pair.one), sketch(*pair.other)):
            return False
        return (_simhash(pair.one.text) ^ _simhash(pair.other.text)).bit_count() <= bits

    return tell


def _simhash(text: str) -> int:
    words = _WORD.findall(text.lower())
    counts = [0] * 64
    for three in zip(words, words[1:], words[2:], strict=False):
        made = xxhash.xxh3_64_intdigest(" ".join(three).encode())
        for bit in range(64):
            counts[bit] += 1 if made >> bit & 1 else -1
    return sum(1 << bit for bit, count in enumerate(counts) if count > 0)


def report() -> str:
    """Return the page with all figures."""
    some = list(pairs())
    lines = [
        "# Near duplicates", "",
        "Written by `.venv/bin/python -m bench.likeness`: how well documents that are nearly the same are told, and",
        f"why from a share of {ALIKE} on.", "",
        f"{len(some)} pairs of pages are made from this manual, {sum(pair.near for pair in some)} of them near",
        "duplicates: each page in the frame of a site, and the same changed as pages are. *Precision* is how many of",
        "the pairs that are told to be near duplicates are some, *recall* how many of those that are some are told",
        "to be.", "",
        "## By kind of change", "", "| change | near duplicate | pairs | told to be |", "|---|---|--:|--:|",
        *_by_kind(some), "", "## By threshold", "", "| told by | from | precision | recall |", "|---|--:|--:|--:|",
    ]  # fmt: skip
    for share in _SHARES:
        name = "**MinHash and title**" if share == ALIKE else "MinHash and title"
        lines.append(_row(name, share, measured(some, minhash(share))))
    lines += [_row("MinHash and words", share, measured(some, minhash(share, named_alike))) for share in _SHARES]
    lines += [_row("MinHash alone", share, measured(some, minhash(share, anyhow))) for share in _SHARES]
    lines += [_row("SimHash and title", f"{bits} bits", measured(some, simhash(bits))) for bits in _BITS]
    lines += [_row("SimHash alone", f"{bits} bits", measured(some, simhash(bits, titles=False))) for bits in _BITS]
    lines += ["", _HOW, ""]
    return "\n".join(lines)


def _by_kind(some: Sequence[Pair]) -> list[str]:
    kinds: dict[tuple[str, bool], list[bool]] = defaultdict(list)
    tell = minhash(ALIKE)
    for pair in some:
        kinds[pair.kind, pair.near].append(tell(pair))
    return [
        f"| {kind} | {'yes' if near else 'no'} | {len(told)} | {sum(told)} |" for (kind, near), told in kinds.items()
    ]


def _row(name: str, threshold: object, found: Measures) -> str:
    return f"| {name} | {threshold} | {found.precision:.3f} | {found.recall:.3f} |"


def main() -> int:
    """Write the page."""
    PAGE.write_text(report())
    sys.stdout.write(f"wrote {PAGE}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
