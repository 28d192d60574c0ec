"""Detector of pages that only a script fills: the empty shell of a single-page application.

    little text ──> a script that runs? ──> an empty root, or nothing else, or a plea to switch JavaScript on

Only pages with little text are tested. Links, pictures, frames, forms, or a sentence or two are signs of a page that is
no shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from turbohtml import Document, Element, parse

MAX_CHARACTERS: Final = 800
"""The longest text of a shell, in characters, with its plea for JavaScript."""

MAX_LINKS: Final = 15
"""The most links of a shell, in its head and a footer."""
MAX_PLEAS: Final = 20
"""Texts for readers without scripts that are read."""
MAX_SHELL: Final = 1_000_000
"""The largest shell, in bytes, with the data of its script."""
_MAX_WORDS: Final = 25
"""Words beside that plea, when there is an empty root: a footer, a cookie notice."""
_BARE_WORDS: Final = 8
"""Words when there is none."""
_MAX_LOOKED_AT: Final = 300
_MAX_SCRIPT: Final = 50_000

_ROOT: Final = re.compile(
    r"_{2,3}next|_{2,3}nuxt|___gatsby|root|app|spa|outlet|mount|svelte|application|content-?app|q-app"
    r"|(?:react|vue|ng|angular|ember|blazor|ionic|svelte|main|page|web|my|single-spa)[-_]?(?:app|root|mount|container)"
    r"|(?:app|root|spa)[-_]?(?:root|app|main|mount|content|container|wrapper|shell)"
    r"|sppagechromeappdiv|spoappcomponent|workbenchpagecontent|spfx\w*",
    re.IGNORECASE,
)
"""Ids of the elements that frameworks fill."""
_OUTLETS: Final = "[ng-view], [data-ng-view], [ui-view], [data-ui-view], ng-view, ui-view, router-outlet, router-view"
_RUNS: Final = re.compile(r"|module|(?:text|application)/(?:x-)?(?:java|ecma)script(?:;.*)?", re.IGNORECASE)
"""Types of scripts that run; others hold data or templates."""
_BUNDLE: Final = re.compile(
    r"/_next/|/_nuxt/|/_app/immutable/|/_framework/|\.nocache\.js|main\.dart\.js|flutter|sap-ui-core|ext-all"
    r"|(?:^|/)(?:main|runtime|polyfills|app|bundle|index|chunk|vendors?|chunk-vendors|client|umi|webpack)\b[\w.~-]*\.m?js",
    re.IGNORECASE,
)
_STARTS_ONE: Final = re.compile(
    r"__NUXT__|__NEXT_DATA__|_spPageContextInfo|__INITIAL_STATE__|webpackJsonp|webpackChunk|__sveltekit|__remixContext"
    r"|\bimport\(|ReactDOM|createApp\(|createRoot\(|new Vue\(|angular\.module|_flutter|Blazor\.start|Ext\.application"
)
_LEADS_AWAY: Final = re.compile(r"\blocation(?:\.href|\.replace|\.assign)?\s*(?:=|\()")
_PLEA: Final = re.compile(
    r"java\s?script|(?:enable|allow|activate|aktivieren|activer|activar|habilit\w+|включите)\W+(?:\w+\W+){0,3}s[ck]ript"
    r"|s[ck]ripts?\W+(?:\w+\W+){0,3}(?:enabled|disabled|aktivier\w+)",
    re.IGNORECASE,
)
_WAITS: Final = re.compile(
    r"\s*(?:(?:please )?wait|loading|lädt|laden|wird geladen|chargement|cargando|carregando|caricamento|загрузка"
    r"|加载中|読み込み中|ładowanie|laster|initiali[sz]ing|starting)\b.{0,40}",
    re.IGNORECASE | re.DOTALL,
)
_HONEST: Final = ("area", "audio", "embed", "frame", "input", "object", "textarea", "video")
"""Elements that no shell has."""


def is_application(body: bytes, encoding: str | None, text: str, pleas: Sequence[str]) -> bool:
    """Return whether a page looks as if a script fills it.

    `text` is its extracted text, which is short; `pleas` are the texts for readers without scripts. Only a page with
    hardly any other words is parsed again, since the extraction of the text changed the tree.
    """
    words = _words(text) - sum(map(_words, pleas))
    if words > _MAX_WORDS or (b"<script" not in body and b"<SCRIPT" not in body):
        return False
    document = parse(body, encoding=encoding or "utf-8", positions=False)
    scripts = [each for each in document.find_all("script") if _RUNS.fullmatch((each.attr("type") or "").strip())]
    bundles = [each.attr("src") or "" for each in scripts if each.attr("src")]
    code = "\n".join(each.text[:_MAX_SCRIPT] for each in islice(scripts, _MAX_LOOKED_AT) if not each.attr("src"))
    starts = _STARTS_ONE.search(code) is not None
    if not (bundles or starts) or any(_outside(document, tag, 1) for tag in _HONEST):
        return False
    links, pictures = _outside(document, "a", 12), _outside(document, "img", 4) + _outside(document, "iframe", 4)
    if links > 10 or pictures > 3:
        return False
    if _has_empty_root(document):
        return True
    waits = _WAITS.fullmatch(text) is not None
    if words > _BARE_WORDS or links or pictures > waits:
        return False
    asks = any(_PLEA.search(each[:MAX_CHARACTERS]) for each in pleas)
    made = starts or any(_BUNDLE.search(each) for each in bundles)
    return asks or waits or (words <= 0 and (made or not _LEADS_AWAY.search(code)))


def _words(text: str) -> int:
    """Count words, at least one for every eight characters: some scripts have no spaces."""
    return max(len(text.split()), len(text) // 8)


def _has_empty_root(document: Document) -> bool:
    """Return whether there is an empty element of a kind that frameworks fill."""
    named = (each for each in document.select("body [id]") if _ROOT.fullmatch((each.attr("id") or "").strip()))
    own = (each for each in document.select("body > *") if "-" in each.tag or each.tag == "app")
    roots: Iterable[Element] = (*islice(named, 20), *islice(own, 20), *islice(document.select(_OUTLETS), 20))
    return any(_is_empty(each) for each in roots)


def _is_empty(root: Element) -> bool:
    if root.find("a") is not None or len(root.find_all("img")) > 1:
        return False
    pleas = sum(len(each.to_text().split()) for each in root.find_all("noscript"))
    text = root.to_text()
    return len(text.split()) <= pleas or _WAITS.fullmatch(text) is not None


def _outside(document: Document, tag: str, most: int) -> int:
    """Count elements outside of `noscript`, up to `most`: visitor counters put pictures and frames there."""
    found = (each for each in islice(document.find_all(tag), _MAX_LOOKED_AT) if _counts(each))
    return sum(1 for _ in islice(found, most))


def _counts(element: Element) -> bool:
    if element.tag == "input" and (element.attr("type") or "").lower() == "hidden":
        return False
    if element.tag == "a" and not element.attr("href"):
        return False
    if element.tag == "iframe" and (element.attr("src") or "about:").lower().startswith(("about:", "javascript:")):
        return False
    return element.closest("noscript") is None
