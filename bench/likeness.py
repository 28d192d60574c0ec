"""``python -m bench.likeness``: measure the detection of near duplicates, and write docs/reference/near-duplicates.md.

Precision is the share of detected pairs that are near duplicates, recall the share of near duplicates that are
detected. MinHash is the product's own sketch, with its bands. SimHash (Charikar, 2002) is measured for comparison: 64
bits over triples of words of the same text, compared by the number of bits that differ.
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


_HOW = """MinHash compares 64 places in six bands of six, as a crawl does; two pages are near duplicates from this share
of equal places. SimHash compares 64 bits, of which at most so many may differ; a lookup by bands would find at most 3.
Without titles, pages about different people or things that consist mostly of the frame of the site are mistaken for one
another. *Words* compares titles without their digits: it finds a version that has its number in the title, but also the
report of another year, which is another page. A program cannot know which of both a number means. A duplicate that is
shown twice can still be found, while a page that is folded away by mistake may not be. So numbers in titles count, and
versions with a number in their title are not detected."""


class Measures(NamedTuple):
    """Precision and recall of a detector."""

    precision: float
    recall: float


Detector = Callable[[Pair], bool]
"""Decides whether the pages of a pair are near duplicates."""
Titled = Callable[[bytes, bytes], bool]
"""Decides by two sketches whether the titles permit near duplicates."""


def anyhow(one: bytes, other: bytes) -> bool:  # noqa: ARG001 - the shape of Titled
    """Accept any titles."""
    return True


def measured(some: Sequence[Pair], detects: Detector) -> Measures:
    """Return precision and recall; precision is 1 if no pair is detected."""
    detected = [pair.near for pair in some if detects(pair)]
    precision = sum(detected) / len(detected) if detected else 1.0
    return Measures(precision, sum(detected) / sum(pair.near for pair in some))


def minhash(share: float, titled: Titled = called_alike) -> Detector:
    """Detect by the product's sketches: a common band, this share of equal places, and the titles."""

    def detects(pair: Pair) -> bool:
        one, other = sketch(*pair.one), sketch(*pair.other)
        filed = bool(one and other) and bool(_filed(one) & _filed(other))
        return filed and titled(one, other) and shared(one, other) >= share

    return detects


def _filed(made: bytes) -> set[int]:
    """Return the bands of a text as if its title had no digits: titles are compared apart."""
    return set(bands(made[:PLACES] + bytes(FIGURES), 0))


def simhash(bits: int, *, titles: bool = True) -> Detector:
    """Detect by SimHash: at most so many bits differ."""

    def detects(pair: Pair) -> bool:
        if titles and not called_alike(sketch(*pair.one), sketch(*pair.other)):
            return False
        return (_simhash(pair.one.text) ^ _simhash(pair.other.text)).bit_count() <= bits

    return detects


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
        "This page shows how well near duplicates are detected, and why the threshold is a share of",
        f"{ALIKE}. `.venv/bin/python -m bench.likeness` writes it.", "",
        f"{len(some)} pairs of pages are made from this manual, {sum(pair.near for pair in some)} of them near",
        "duplicates: a page in the frame of a site, and the same page with a typical change. *Precision* is the share",
        "of detected pairs that are near duplicates, *recall* the share of near duplicates that are detected.", "",
        "## By kind of change", "", "| change | near duplicate | pairs | detected |", "|---|---|--:|--:|",
        *_by_kind(some), "", "## By threshold", "", "| detector | from | precision | recall |", "|---|--:|--:|--:|",
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
    detects = minhash(ALIKE)
    for pair in some:
        kinds[pair.kind, pair.near].append(detects(pair))
    return [
        f"| {kind} | {'yes' if near else 'no'} | {len(each)} | {sum(each)} |" for (kind, near), each in kinds.items()
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
