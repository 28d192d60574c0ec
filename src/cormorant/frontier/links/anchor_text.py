"""Anchor text and link score of a page, from the links that lead to it.

Pure.

Texts: each once, the most frequent first; links of other sites and of a site's navigation are weighed as below. Score:
the logarithm of the number of linking pages, so that the hundredth counts far less than the third.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

MOST_TEXTS: Final = 10
"""Texts that are kept of a page: further texts are rare."""
LONGEST: Final = 120
"""Characters that are kept of a text: a longer one is a paragraph that was made a link."""
NAVIGATION: Final = 0.5
"""Share of a site's pages from which on a link on all of them counts as navigation."""
LEAST_PAGES: Final = 10
"""Pages that a site needs before navigation can be distinguished from editorial links."""
OF_NAVIGATION: Final = 2
"""Pages that a navigation link counts for, on however many pages it stands."""
OTHER_SITE: Final = 3
"""Pages that a page of another site counts for."""
STEPS: Final = 10
"""Steps from a score of 0 to 1, each for twice as many pages."""
FIRST: Final = 16
"""Pages of the first step, less one: a few links do not distinguish a page."""

_WORDLESS = re.compile(r"[\W\d_]*")
_ADDRESS = re.compile(r"\S+://\S*|www\.\S+|[\w-]+(?:\.[\w-]+)+/\S*", re.IGNORECASE)
_EDGES = re.compile(r"^\W+|\W+$")
_WORD = re.compile(r"[^\W_]+")
_SPACE = re.compile(r"\s+")

SAYING_NOTHING: Final = frozenset(
    """
    here|click here|more|read more|learn more|see more|show more|more info|more information|details|link|this|this page|
    this link|page|top|back to top|back|next|next page|next topic|next chapter|previous|previous page|previous topic|
    prev|up|home|start|index|contents|table of contents|permalink|permanent link|edit|edit this page|view source|
    show source|source|print|download|continue|continue reading|go|skip to content|skip to main content|modules|search|
    code|source code|docs|documentation|frames|no frames|list of all members|all members|all classes|class list|
    inheritance diagram|module|package|class|tree|overview|
    hier|mehr|weiter|weiterlesen|mehr erfahren|mehr lesen|zurück|nach oben|startseite|inhalt|vorherige|nächste|
    ici|cliquez ici|plus|lire la suite|en savoir plus|suite|suivant|précédent|retour|accueil|haut|
    aquí|haga clic aquí|más|leer más|ver más|siguiente|anterior|volver|inicio|
    qui|clicca qui|di più|leggi|leggi tutto|continua|avanti|indietro|successivo|precedente|
    aqui|clique aqui|mais|leia mais|saiba mais|seguinte|próximo|próxima|voltar|início|
    klik hier|lees meer|meer|verder|volgende|vorige|terug|här|läs mer|mer|nästa|föregående|tillbaka|
    her|læs mere|mere|næste|forrige|tilbage|les mer|neste|lue lisää|lisää|seuraava|edellinen|
    tutaj|kliknij tutaj|więcej|czytaj więcej|dalej|wstecz|następny|poprzedni|zde|více|číst dále|další|předchozí|
    здесь|тут|далее|подробнее|ещё|еще|назад|вперёд|вперед|читать далее|наверх|главная|
    こちら|ここ|詳細|続きを読む|もっと見る|次へ|前へ|戻る|这里|更多|点击这里|下一页|上一页|返回|首页|여기|더보기|다음|이전
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
"""Texts that describe no target, folded as `folded` does."""


_NUMBERS = re.compile(r"[\s\d.:()-]+")
PARTS: Final = frozenset(
    """
    section|chapter|appendix|page|figure|table|part|step|abschnitt|kapitel|anhang|seite|abbildung|tabelle|teil|schritt|
    chapitre|annexe|tableau|partie|sección|capítulo|página|tabla|sezione|capitolo|pagina|seção|hoofdstuk|kapittel|avsnitt|
    раздел|глава|страница|rozdział|strona
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
"""Words for a part of a document; with a number they say no more than the number."""


class AnchorLink(NamedTuple):
    """A counted link: its text, and the site of the page it stands on."""

    text: str
    site: int


Heap: TypeAlias = Mapping[AnchorLink, int]
"""The counted links, and the number of pages that each stands on."""


def texts(links: Heap, sizes: Mapping[int, int], known: str, more: float = 1.0) -> tuple[str, ...]:
    """Return the anchor texts of a page, best first; `sizes` are the page counts of each site.

    Texts without a word beyond those of `known`, such as its title and address, are omitted: most links repeat the
    title, and the document is indexed again for each change of its texts. The real number of links is `more` times
    those given.
    """
    counted: Counter[tuple[str, int]] = Counter()
    for each, count in links.items():
        if each.text:
            counted[each.text[:LONGEST], each.site] += count
    weights: Counter[str] = Counter()
    written: dict[str, str] = {}
    own = _words(known)
    for (text, site), count in sorted(counted.items(), key=lambda each: (-each[1], each[0])):
        key, words = _read(text)
        if key and not words <= own:
            written.setdefault(key, _SPACE.sub(" ", text).strip())
            weights[key] += _worth(round(count * more), sizes[site])
    best = sorted(weights, key=lambda key: (-weights[key], key))[:MOST_TEXTS]
    return tuple(written[key] for key in best)


@lru_cache(1024)
def _read(text: str) -> tuple[str, frozenset[str]]:
    """Return a text, folded, and its words; "" for a text that says nothing.

    The same few stand on all pages of a site.
    """
    key = folded(text)
    return (key, _words(text)) if says_something(text, key) else ("", frozenset())


def score(links: Heap, sizes: Mapping[int, int], own: int, more: float = 1.0) -> float:
    """Return the link score of a page, from 0 to 1 in steps.

    `own` is the page's site. The real number of links is `more` times those given, since no more are kept.
    """
    counted: Counter[int] = Counter()
    for each, count in links.items():
        counted[each.site] += count
    worth = sum(
        _worth(round(count * more), sizes[site]) * (1 if site == own else OTHER_SITE) for site, count in counted.items()
    )
    return max(0, min(int(1 + math.log2((1 + worth) / FIRST)), STEPS)) / STEPS


def _worth(count: int, pages: int) -> int:
    """Return the number of pages that links on `count` of a site's pages count for."""
    return OF_NAVIGATION if pages >= LEAST_PAGES and count >= NAVIGATION * pages else count


def _words(text: str) -> frozenset[str]:
    """Return the words of a text; parts between underscores count as words too, as in addresses."""
    return frozenset(_WORD.findall(text.casefold()))


def folded(text: str) -> str:
    """Return a text without differences in case, white space and punctuation around it."""
    return _EDGES.sub("", _SPACE.sub(" ", text)).casefold()


def says_something(text: str, key: str) -> bool:
    """Return whether a text describes its target: not "here", a lone number, a numbered section or an address."""
    descriptive = (
        bool(key) and key not in SAYING_NOTHING and not _WORDLESS.fullmatch(key) and not _ADDRESS.fullmatch(text)
    )
    return descriptive and (key in PARTS or _NUMBERS.sub("", key) not in PARTS)
