"""Which matches make a page, when equal documents count once?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby


def ties_by_id(values: Sequence[float | None], ids: Sequence[int]) -> Iterator[int]:
    """Yield the numbers of ranked matches in their final order: as ranked by `values`, equal ones by id.

    Lazy, because a page is the beginning of thousands.
    """
    for _, run in groupby(range(len(values)), key=values.__getitem__):
        yield from sorted(run, key=ids.__getitem__)


def distinct(folds: Sequence[int | None]) -> int:
    """Return how many matches there are when those of one key count once, and those without a key each."""
    without = folds.count(None)
    return without + len(set(folds)) - (without > 0)


def page(order: Iterable[int], folds: Sequence[int | None], offset: int, limit: int) -> list[tuple[int, int]]:
    """Return (number of the match, how many more are folded into it) for one page of what is left after folding."""
    seen: set[int] = set()
    kept: list[int] = []
    for number in order:
        if len(kept) >= offset + limit:
            break
        key = folds[number]
        if key is None or key not in seen:
            kept.append(number)
        if key is not None:
            seen.add(key)
    shown = kept[offset:]
    copies = Counter(filter({folds[number] for number in shown}.__contains__, folds))
    return [(number, 0 if folds[number] is None else copies[folds[number]] - 1) for number in shown]
