"""Anchor text and link score of a page, from the links that lead to it.

Pure.

Texts: each once, those first that most pages use, links of other sites and of a site's navigation weighed as below.
Score: the logarithm of the pages that link there, so that the hundredth counts far less than the third.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

MOST_TEXTS: Final = 10
"""Texts kept of a page: what comes behind is said by few."""
LONGEST: Final = 120
"""Characters kept of a text: a longer one is a paragraph that somebody made a link of."""
NAVIGATION: Final = 0.5
"""Share of a site's pages from which on a link that stands on all of them belongs to what is around the pages."""
LEAST_PAGES: Final = 10
"""Pages of a site in which navigation can be told from links that somebody meant."""
OF_NAVIGATION: Final = 2
"""Pages that a link in the navigation counts for, however many pages have it."""
OTHER_SITE: Final = 3
"""Pages that a page of another site counts for."""
STEPS: Final = 10
"""Steps from a score of 0 to 1, each for twice as many pages."""
FIRST: Final = 16
"""Pages of the first step, less one: by a few links every page is found."""

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
"""Texts that are the same wherever they lead, folded as `folded` does."""


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
"""What is said with a number of a part of something, which tells no more than the number."""


class AnchorLink(NamedTuple):
    """A link that counts: its text, and the site of the page it stands on."""

    text: str
    site: int


Heap: TypeAlias = Mapping[AnchorLink, int]
"""The links that count, and on how many pages each stands."""


def texts(links: Heap, sizes: Mapping[int, int], known: str, more: float = 1.0) -> tuple[str, ...]:
    """Return the anchor texts of a page, best first; `sizes` are the page counts of each site.

    Without what says no word that is not `known`, as by its title and address: most links say the title again, and a
    document is written anew for what they say. There are `more` times as many links as those.
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
    """A text, folded, and its words; "" for one that says nothing. The same few stand on all pages of a site."""
    key = folded(text)
    return (key, _words(text)) if says_something(text, key) else ("", frozenset())


def score(links: Heap, sizes: Mapping[int, int], own: int, more: float = 1.0) -> float:
    """Return the link score of a page, from 0 to 1 in steps.

    `own` is the page's site.

    There are `more` times as many links as those, of which no more are kept.
    """
    counted: Counter[int] = Counter()
    for each, count in links.items():
        counted[each.site] += count
    worth = sum(
        _worth(round(count * more), sizes[site]) * (1 if site == own else OTHER_SITE) for site, count in counted.items()
    )
    return max(0, min(int(1 + math.log2((1 + worth) / FIRST)), STEPS)) / STEPS


def _worth(count: int, pages: int) -> int:
    """For how many pages links count that stand on `count` of a site's pages."""
    return OF_NAVIGATION if pages >= LEAST_PAGES and count >= NAVIGATION * pages else count


def _words(text: str) -> frozenset[str]:
    """The words of a text; those of what stands together with underscores too, as in addresses."""
    return frozenset(_WORD.findall(text.casefold()))


def folded(text: str) -> str:
    """A text without what tells equal ones apart: capitals, repeated spaces, signs around it."""
    return _EDGES.sub("", _SPACE.sub(" ", text)).casefold()


def says_something(text: str, key: str) -> bool:
    """Say whether a text tells of where it leads: not "here", no number alone or of a section, no address."""
    told = bool(key) and key not in SAYING_NOTHING and not _WORDLESS.fullmatch(key) and not _ADDRESS.fullmatch(text)
    return told and (key in PARTS or _NUMBERS.sub("", key) not in PARTS)
