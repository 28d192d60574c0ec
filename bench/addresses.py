"""Which addresses does a filled frontier know?

Generated ones, by number: every even one on a site that is crawled, so that what a retriever must remember of a leased
site is large; every odd one on one of sixteen sites that nobody visits. No page links to any of them, and none is
served.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

OTHERS = tuple(f"h{number}.known.example" for number in range(1, 17))
_SECTIONS = 97


class Known(NamedTuple):
    """An address and the key of its site."""

    site: str
    address: str


def known(number: int, crawled: Sequence[str]) -> Known:
    """The address of this number, beside these crawled sites."""
    turn, odd = divmod(number, 2)
    sites = OTHERS if odd else crawled
    site = sites[turn % len(sites)]
    return Known(site, f"http://{site}/known/section-{turn % _SECTIONS}/page-{number}.html")


def sample(count: int, crawled: Sequence[str], most: int) -> Iterator[str]:
    """A few of the first ``count`` addresses, far from each other, on crawled sites and on others."""
    step = count // most | 1  # an odd step takes even and odd numbers in turn
    return (known(number, crawled).address for number in range(0, min(count, step * most), step))
