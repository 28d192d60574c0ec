"""Near duplicate detection of two documents.

It compares the sketches that `extract.compare.minhash` makes.

A sketch is 64 bytes of MinHash (Broder, 1997): two texts agree in a byte as often as they have pieces in common, and by
chance once in 256. Four bytes for the figures of the title follow, and two for each of its words, in order.

A page about a person or a thing may consist mostly of the frame of its site; its title distinguishes it. So near
duplicates need titles of which one has all words of the other (a title may end with the name of a site), and with the
same figures: reports of two years, or data sheets of two models, often differ only in figures.
"""

from __future__ import annotations

from operator import eq
from typing import Final

import xxhash

PLACES: Final = 64
"""Bytes of MinHash."""
FIGURES: Final = 4
"""Bytes for the figures of the title, zeros for none."""
_WORDS: Final = PLACES + FIGURES
ALIKE: Final = 0.75
"""The least likeness of near duplicates; `docs/reference/near-duplicates.md` gives the reasons."""
BANDS: Final = 6
_ROWS: Final = 6
"""Documents are compared if they agree in one of BANDS bands of _ROWS bytes each."""


def likeness(one: bytes, other: bytes) -> float:
    """Return the approximate likeness of two documents, from 0 to 1; 0 if their titles differ."""
    return shared(one, other) if called_alike(one, other) else 0.0


def called_alike(one: bytes, other: bytes) -> bool:
    """Return whether one of two titles has all words of the other, and both have the same figures."""
    return one[PLACES:_WORDS] == other[PLACES:_WORDS] and named_alike(one, other)


def named_alike(one: bytes, other: bytes) -> bool:
    """Return whether one of two titles has all words of the other."""
    mine, others = _named(one), _named(other)
    return mine <= others or others <= mine


def shared(one: bytes, other: bytes) -> float:
    """Return the likeness of the texts alone."""
    same: int = sum(map(eq, one[:PLACES], other))
    return max(0.0, (same / PLACES * 256 - 1) / 255)


def bands(sketch: bytes, seed: int) -> list[int]:
    """Return the keys (signed, 64 bits) under which a document is filed: near duplicates share one of them.

    Keys of another `seed` differ, and so do those of titles with other figures.
    """
    found, figures = [], sketch[PLACES:_WORDS]
    for band in range(BANDS):
        rows = sketch[band * _ROWS : (band + 1) * _ROWS]
        key = xxhash.xxh3_64_intdigest(bytes((band,)) + rows + figures, seed)
        found.append(key - (1 << 64) if key >> 63 else key)
    return found


def _named(sketch: bytes) -> frozenset[bytes]:
    return frozenset(sketch[at : at + 2] for at in range(_WORDS, len(sketch), 2))
