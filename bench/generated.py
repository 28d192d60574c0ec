"""What is crawled where no documentation packages can be had?

Pages of the same shape: 40 kB, 100 links of which about 18 differ, a third of the bytes text, the rest markup. The
same pages come out every time, on every machine.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

SITES = 15
PAGES = 1_400
_PAGE_BYTES = 40_000
_FOLDER = 100
_AGE = 1_700_000_000  # seconds since the epoch; the pages' Last-Modified
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu stra ment ing ter con pro al er"


def write(folder: Path, site: int, pages: int = PAGES) -> None:
    """Write one site of generated pages below ``folder``."""
    chance = random.Random(site)
    syllables = _SYLLABLES.split()
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(6_000)]
    for number in range(pages):
        file = folder / _path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_page(chance, words, number, pages), encoding="utf-8")
        os.utime(file, (_AGE, _AGE))


def _path(number: int) -> str:
    """Where page ``number`` of a site lies; the first is the entry."""
    return "index.html" if number == 0 else f"part{number // _FOLDER}/page{number}.html"


def _neighbours(chance: random.Random, number: int, pages: int) -> list[int]:
    """The pages that a page links: its children in a tree that reaches all, siblings, and some at random."""
    children = [child for child in range(number * 4 + 1, number * 4 + 5) if child < pages]
    return [*children, 0, max(number - 1, 0), min(number + 1, pages - 1), *(chance.randrange(pages) for _ in range(11))]


def _page(chance: random.Random, words: list[str], number: int, pages: int) -> str:
    """The HTML of one page."""
    up = "" if number == 0 else "../"
    links = [f"{up}{_path(target)}" for target in _neighbours(chance, number, pages)]
    title = f"{words[number % len(words)]} {number}"
    head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n<body>'
    parts = [head, f'<div class="document" role="main"><h1 id="top">{title}</h1>']
    size = sum(map(len, parts))
    for block in _blocks(chance, words, links):
        parts.append(block)
        size += len(block)
        if size > _PAGE_BYTES:
            break
    parts.append("</div></body></html>\n")
    return "\n".join(parts)


def _blocks(chance: random.Random, words: list[str], links: list[str]) -> Iterator[str]:
    """Sections without end, two links in each, every page linked once before any is linked again."""
    place = 0
    while True:
        text = " ".join(chance.choices(words, k=18))
        href, other = links[place % len(links)], links[(place + 1) % len(links)]
        spans = "".join(
            f'<span class="pre token kind-{word[:2]}">{word}</span> ' for word in chance.choices(words, k=8)
        )
        yield (
            f'<section class="section" id="s{place}"><h2>{text[:30]}'
            f'<a class="headerlink" href="#s{place}" title="Link to this heading">#</a></h2>\n'
            f'<p>{text} <a class="reference internal" href="{href}#s{place}">{text[:12]}</a></p>\n'
            f'<code class="docutils literal notranslate">{spans}</code>'
            f'<a class="reference internal" href="{other}">{text[12:22]}</a></section>'
        )
        place += 2
