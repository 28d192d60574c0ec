"""Metadata in an HTML page: title, metas, headings, language, canonical address."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from turbohtml import Document, Element, Namespace

from cormorant.extract.html.links import parse_refresh
from cormorant.extract.html.text_layout import words_of
from cormorant.extract.sanitize import MAX_VALUE, one_line
from cormorant.model.content import Value
from cormorant.model.text.robots_directives import DIRECTIVES, parse_directives

EVERY_AGENT: Final = "robots"
"""The name of metas whose directives are for every robot."""

MAX_HEADLINES: Final = 20
MAX_HEADLINE: Final = 200
MAX_KEYWORDS: Final = 100
MAX_DIRECTIVES: Final = 50
REFRESH_MAX_S: Final = 10
"""A refresh after at most this many seconds is a redirection; a later one turns the leaves of a show."""

_ATTRIBUTE: Final = {
    "author": "Author",
    "dc.creator": "Author",
    "dcterms.creator": "Author",
    "description": "Description",
    "dc.description": "Description",
    "dcterms.description": "Description",
    "og:description": "Description",
    "keywords": "Keywords",
    "subject": "Subject",
    "dc.subject": "Subject",
    "dcterms.subject": "Subject",
}
_OF_DIRECTIVES: Final = frozenset((EVERY_AGENT,))
_TOKEN: Final = re.compile(r"[a-z_-]+")
"""A product token, by which robots are named (RFC 9309 section 2.2.1)."""
_NO_AGENTS: Final = frozenset(
    (
        "application-name", "color-scheme", "csrf-token", "format-detection", "generator", "google-site-verification",
        "rating", "referrer", "theme-color", "title", "viewport",
    )
)  # fmt: skip
"""The commonest names of metas that are no robot's."""
_CHARSET: Final = re.compile(r"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']*))""", re.IGNORECASE)
_LANGUAGE: Final = re.compile(r"[a-z]{2,8}(?:-[a-z0-9]{1,8})*")


class HtmlHead(NamedTuple):
    """The values of the meta elements of a page.

    `refresh` is as written, not yet joined, `later` one that comes late; `charset` is the first label, if any.
    """

    attributes: dict[str, Value]
    directives: tuple[str, ...]
    language: str
    refresh: str
    charset: str = ""
    later: str = ""


def read_metas(metas: Sequence[Element], wanted: Collection[str] = ()) -> HtmlHead:
    """Read the page's metas; the first of each attribute counts, the directives of all add up.

    The whole content of metas with names in `wanted`, in lower case, becomes an attribute as well.
    """
    attributes: dict[str, Value] = {}
    directives: list[str] = []
    language = refresh = charset = later = ""
    for meta in metas:
        content = meta.attr("content")
        if not content:
            charset = charset or meta.attr("charset") or ""
            continue
        name = meta.attr("name") or meta.attr("property") or ""
        if name:
            _note(name := name.strip().lower(), content, attributes, directives)
            if name in wanted and name not in _OF_DIRECTIVES:
                _add(attributes, _ATTRIBUTE.get(name, name), content)
            continue
        pragma = (meta.attr("http-equiv") or "").lower()
        if pragma == "refresh" and not refresh:
            refresh = _refresh(meta, content)
            later = later or ("" if refresh else _place(content))
        elif pragma == "content-language":
            language = language or language_tag(content.partition(",")[0])
        elif pragma == "content-type" and not charset:
            charset = meta.attr("charset") or _charset(content)
    return HtmlHead(attributes, tuple(dict.fromkeys(directives))[:MAX_DIRECTIVES], language, refresh, charset, later)


def _add(attributes: dict[str, Value], name: str, content: str) -> None:
    """Add one value of a requested attribute."""
    known, value = attributes.get(name), one_line(content, MAX_VALUE)
    texts = (known,) if isinstance(known, str) else tuple(map(str, known)) if isinstance(known, tuple) else ()
    if value and value not in texts and name != "Keywords" and len(texts) < MAX_KEYWORDS:
        attributes[name] = (*texts, value) if texts else value


def _charset(content: str) -> str:
    """https://html.spec.whatwg.org/#algorithm-for-extracting-a-character-encoding-from-a-meta-element."""
    match = _CHARSET.search(content[:MAX_VALUE])
    return (match[1] or match[2] or match[3] or "") if match else ""


def _note(name: str, content: str, attributes: dict[str, Value], directives: list[str]) -> None:
    if name == EVERY_AGENT:
        directives.extend(parse_directives(content))
        return
    attribute = _ATTRIBUTE.get(name)
    if attribute is None:
        directives.extend(_of_another_agent(name, content))
    elif attribute not in attributes:
        value = one_line(content, MAX_VALUE)
        if value:
            attributes[attribute] = _words(value) if attribute == "Keywords" else value


def meant_for(directives: tuple[str, ...], agent: str) -> tuple[str, ...]:
    """Return directives with those for this agent, `agent: noindex`, as if they were for every robot."""
    mark = f"{agent.lower()}: "
    return tuple(each.removeprefix(mark) for each in directives)


def _of_another_agent(name: str, content: str) -> list[str]:
    """Return `name: directive` for a meta that addresses another robot, so that a source with that name can obey.

    The names of robots are unknown here, so only known directives are taken, without other content.
    """
    if name in _NO_AGENTS or not _TOKEN.fullmatch(name):
        return []
    known = (each for each in parse_directives(content) if each.partition(":")[0].rstrip() in DIRECTIVES)
    return [f"{name}: {directive}" for directive in known]


def _words(value: str) -> tuple[str, ...]:
    """Return keywords, which are separated by commas."""
    words = (word.strip() for word in value.split(",", MAX_KEYWORDS)[:MAX_KEYWORDS])
    return tuple(dict.fromkeys(word for word in words if word))


def _place(content: str) -> str:
    parsed = parse_refresh(content)
    return parsed[1] if parsed else ""


def _refresh(meta: Element, content: str) -> str:
    """Return the target of a refresh that happens soon and for everyone, not only for readers without scripts."""
    parsed = parse_refresh(content)
    if parsed is None or parsed[0] > REFRESH_MAX_S:
        return ""
    parent = meta.parent
    return "" if isinstance(parent, Element) and parent.tag == "noscript" else parsed[1]


def language_tag(text: str) -> str:
    """Return a language tag in lower case with hyphens (BCP 47), "" when it is none."""
    tag = text.strip().lower().replace("_", "-")
    return tag if len(tag) <= 35 and _LANGUAGE.fullmatch(tag) else ""


def language_of(document: Document) -> str:
    """Return the language of the root element, "" when it says none."""
    root = document.root
    if root is None:
        return ""
    return language_tag(root.attr("lang") or root.attr("xml:lang") or "")


def title_of(titles: Iterable[Element]) -> str:
    """Return the first title that is the page's own, not a drawing's."""
    for title in titles:
        if title.namespace is Namespace.HTML:
            return one_line(title.text)
    return ""


def headlines(headings: Sequence[Element]) -> tuple[str, ...]:
    """Return the text of headings, without the pilcrow that documentation generators hang to them."""
    texts = (one_line(words_of(heading).rstrip("¶ \n"), MAX_HEADLINE) for heading in headings[:MAX_HEADLINES])
    return tuple(text for text in texts if text)
