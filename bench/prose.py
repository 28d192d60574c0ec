"""Text of a million generated documents, and queries for them.

Words come as often as Zipf's law has it, each in some of its forms; texts are of 40, 150, 500 or 3,000 words; most
documents are for everyone, the others for one of a few groups. The same documents and questions come out every time,
on every machine, and every part of them by itself: filling may go on where it was interrupted.
"""

from __future__ import annotations

import hashlib
import random
from bisect import bisect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

SOURCES = ("docs", "wiki", "minutes")
STAFF, SALES, BOARD, INTERNS = "group:staff", "group:sales", "group:board", "group:interns"
RIGHTS: tuple[tuple[int, tuple[str, ...], tuple[str, ...]], ...] = (
    (70, ("everyone",), ()), (15, (STAFF,), ()), (10, (SALES,), ()), (5, (BOARD, STAFF), (INTERNS,)),
)  # fmt: skip
"""Of a hundred documents so many have these grants and these denies."""
SIZES = ((60, 40), (30, 150), (9, 500), (1, 3_000))
"""Of a hundred documents so many have so many words."""
CHUNK = 10_000
COPIES = 33  # every so manieth document says what one before it says

_LEMMAS = 100_000
_EXPONENT = 1.05
_OFFSET = 2.7  # Mandelbrot's: the first words are not as frequent as Zipf alone would have them
_FORMS = (("", 0.6), ("s", 0.2), ("ed", 0.1), ("ing", 0.1))
_SYLLABLES = (
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "ro", "su", "ta", "ve", "wi", "xo",
    "zu", "bra", "ster", "men", "lin", "tor", "con", "pro", "gal", "ner",
)  # fmt: skip
_EPOCH = 1_500_000_000  # seconds; documents were changed between then and ten years later
_SPAN = 315_000_000


@dataclass(frozen=True, slots=True)
class Page:
    """One document."""

    number: int
    source: str
    url: str
    title: str
    text: str
    language: str
    modified_at: float
    grants: tuple[str, ...]
    denies: tuple[str, ...]
    content_hash: bytes


@cache
def vocabulary() -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Every word, and the sum of the weights up to it, as `random.choices` takes them."""
    words, weights = [], []
    for rank in range(_LEMMAS):
        lemma, share = _lemma(rank), (rank + _OFFSET) ** -_EXPONENT
        for ending, part in _FORMS:
            words.append(lemma + ending)
            weights.append(share * part)
    return tuple(words), tuple(accumulate(weights))


def _lemma(rank: int) -> str:
    """The word of a rank; frequent ones are short."""
    base = len(_SYLLABLES)
    number, parts = rank + base, []
    while number:
        number, place = divmod(number, base)
        parts.append(_SYLLABLES[place])
    return "".join(parts)


def pages(start: int, end: int) -> Iterator[Page]:
    """The documents of these numbers; `start` is where a chunk begins."""
    for first in range(start, end, CHUNK):
        yield from _chunk(first, min(first + CHUNK, end))


def _chunk(first: int, end: int) -> Iterator[Page]:
    chance = random.Random(first)
    words, weights = vocabulary()
    sizes, rights = list(accumulate(share for share, _ in SIZES)), list(accumulate(share for share, *_ in RIGHTS))
    text = ""
    for number in range(first, end):
        if not text or number % COPIES:
            size = SIZES[bisect(sizes, chance.randrange(100))][1]
            text = " ".join(chance.choices(words, cum_weights=weights, k=size))
        _, grants, denies = RIGHTS[bisect(rights, chance.randrange(100))]
        yield Page(
            number=number,
            source=SOURCES[number % len(SOURCES)],
            url=f"https://h{number % 50}.known.example/section-{number % 97}/page-{number}.html",
            title=" ".join(chance.choices(words, cum_weights=weights, k=4)),
            text=text,
            language="en" if number % 5 else "",
            modified_at=float(_EPOCH + chance.randrange(_SPAN)),
            grants=grants,
            denies=denies,
            content_hash=hashlib.blake2b(text.encode(), digest_size=16).digest(),
        )


def questions(count: int, seed: int = 1) -> list[str]:
    """The queries: words as they occur, rare words, phrases of documents, and words that must or must not occur."""
    chance = random.Random(seed)
    words, weights = vocabulary()
    standing = [page.text.split() for page in pages(0, 1_000)]

    def some(number: int) -> list[str]:
        """Words of some text, as a reader knows them, without the very frequent ones."""
        text = chance.choice(standing)
        return [chance.choice(text) for _ in range(number)]

    def phrase() -> str:
        text = chance.choice(standing)
        at = chance.randrange(len(text) - 2)
        return f'"{" ".join(text[at : at + 2])}"'

    def rare() -> str:
        return words[chance.randrange(len(words) // 20, len(words) // 2)]

    shapes: tuple[tuple[int, Callable[[], str]], ...] = (
        (30, lambda: " ".join(some(2))),
        (20, lambda: " ".join(some(3))),
        (15, lambda: some(1)[0]),
        (10, rare),
        (10, phrase),
        (5, lambda: " ".join([*some(1), phrase()])),
        (5, lambda: "+{} {}".format(*some(2))),
        (3, lambda: "{} -{}".format(*some(2))),
        (2, lambda: f"title:{chance.choices(words, cum_weights=weights)[0]}"),
    )  # fmt: skip
    made = chance.choices([shape for _, shape in shapes], [share for share, _ in shapes], k=count)
    return [shape() for shape in made]
