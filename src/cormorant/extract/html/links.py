"""Link extraction from an HTML page.

References are gathered in one pass and joined once each.

Of a hundred references on a page eighteen differ once fragments are cut, so equal strings are dropped before anything
is parsed, and anchor texts are read only for those that become links.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterable, Iterator
from itertools import islice
from typing import Final

from turbohtml import Document, Element

from cormorant.extract.html.link_options import Reference
from cormorant.extract.html.query_encoding import in_charset, is_unicode
from cormorant.extract.html.text_layout import words_of
from cormorant.extract.sanitize import one_line
from cormorant.model.content import UNTRUSTED, PageLink
from cormorant.model.url import join

MAX_LINKS: Final = 5_000
"""Links of one page that are kept."""

MAX_ANCHOR: Final = 200
SCHEMES: Final = ("http:", "https:", "file:", "ftp:")
"""Schemes that may be links at all; the boundary decides further."""

_LEADING: Final = ("a", "area", "frame", "iframe", "link")
# References of one page that are joined, and references to one place in which an anchor text is looked for.
_MAX_DISTINCT: Final = 2 * MAX_LINKS
_MAX_ELEMENTS: Final = 8
# Resources that a browser needs to display the page or to preload: https://html.spec.whatwg.org/multipage/links.html#linkTypes
_NOT_A_PLACE: Final = frozenset(
    (
        "apple-touch-icon", "dns-prefetch", "edituri", "icon", "manifest", "mask-icon", "modulepreload", "pingback",
        "preconnect", "prefetch", "preload", "prerender", "search", "stylesheet", "wlwmanifest",
    )
)  # fmt: skip
_ASCII_SPACE: Final = re.compile("[\t\n\f\r ]+")
_TIME_AND_ADDRESS: Final = re.compile(
    r"""\s*(?P<seconds>\d*)(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:'(?P<single>[^']*)|"(?P<double>[^"]*)|(?P<bare>.*))""",
    re.IGNORECASE | re.DOTALL,
)


class References:
    """The references of a page: `first` has each text without its fragment once, with the first element that says it.

    That is one without a fragment where there is one: the others lead to parts of the place, and `whole` has the texts
    that are said without. `seen` counts every reference, repeats and those beyond the cap included.
    """

    __slots__ = ("_again", "_elements", "_raws", "first", "seen", "whole")

    def __init__(self, raws: list[str], elements: list[Element]) -> None:
        self._raws, self._elements = raws, elements
        self._again: dict[str, list[Element]] | None = None
        distinct: dict[str, Element] = {}
        deque(map(distinct.setdefault, raws, elements), maxlen=0)
        self.first: dict[str, Element] = {}
        for raw, element in distinct.items():
            if "#" in raw:
                self.first.setdefault(raw[: raw.index("#")], element)
            else:
                self.first[raw] = element
        self.whole: Container[str] = distinct
        self.seen = len(raws)

    def with_further(self, more: Iterable[Reference]) -> References:
        """Return the references, with optional kinds of links after them."""
        raws, elements = [*self._raws], [*self._elements]
        for each in more:
            if each.text.partition("#")[0]:
                raws.append(each.text)
                elements.append(each.element or Element("span"))
        return References(raws, elements)

    def beyond(self, kept: int) -> int:
        """Return the number of references beyond `kept` links, 0 if all fit."""
        return max(len(self.first) - kept, 0) if kept >= MAX_LINKS else 0

    def later(self, text: str) -> list[Element]:
        """Return the next elements that make the same reference."""
        if self._again is None:
            self._again = self._repeats()
        return self._again.get(text, [])[:_MAX_ELEMENTS]

    def _repeats(self) -> dict[str, list[Element]]:
        """Gather the elements after the first, on demand: most pages do not need any."""
        again: dict[str, list[Element]] = {}
        first = self.first
        for raw, element in zip(self._raws, self._elements, strict=True):
            text = raw[: raw.index("#")] if "#" in raw else raw
            if first[text] is not element:
                again.setdefault(text, []).append(element)
        return again


def gathered(document: Document, links: list[Element]) -> References:
    """Gather the references of a page; `links` are its `link` elements, which stand in its head.

    Where there is nothing but anchors they are taken from the parser's index, which is twice as fast as looking at
    every element in turn.
    """
    find = document.find_all
    places = [link for link in links if leads_somewhere(rel_of(link))]
    if find("area") or find("frame") or find("iframe"):
        wanted = set(places)
        every = document.iter_elements(_LEADING)
        elements = [element for element in every if element.tag != "link" or element in wanted]
    else:
        elements = places + find("a")
    raws = [element.attr("href") or "" for element in elements]
    if all(raws):
        return References(raws, elements)
    raws = [raw or _source_of(element) for raw, element in zip(raws, elements, strict=True)]
    elements = [element for element, raw in zip(elements, raws, strict=True) if raw]
    return References([raw for raw in raws if raw], elements)


def _source_of(element: Element) -> str:
    """Return the target of an element without `href`: `src` of a frame, or `xlink:href` of a drawing's link."""
    return element.attr("src") or element.attr("xlink:href") or ""


def rel_of(element: Element) -> list[str]:
    """Return the tokens of an element's `rel`, lower case."""
    return rel_tokens(element.attr("rel") or "")


def rel_tokens(value: str) -> list[str]:
    """Return the tokens of a `rel`, lower case, parted by ASCII white space: a comma or a no-break space parts none.

    Link types are ASCII, so a token with any other character in it is none and is left out.
    https://infra.spec.whatwg.org/#split-on-ascii-whitespace
    """
    if value.isascii():
        return value.lower().split()
    return [each.lower() for each in _ASCII_SPACE.split(value) if each and each.isascii()]


def leads_somewhere(rel: list[str]) -> bool:
    """Return whether a `link` element with these tokens leads to a page, not to a resource of its own page."""
    return _NOT_A_PLACE.isdisjoint(rel)


def joined(base: str, references: References, charset: str = "") -> dict[str, PageLink]:
    """Return at most MAX_LINKS links by address, in order of first appearance; `charset` is that of the page.

    The text is the first that is not empty, of a reference to the whole place if there is one. A place named once
    without nofollow, sponsored or ugc is not marked so.
    """
    links: dict[str, PageLink] = {}
    for reference, address in _addresses(base, islice(references.first, _MAX_DISTINCT), charset):
        if not address.startswith(SCHEMES):
            continue
        known = links.get(address)
        if known is not None:
            links[address] = _merged(known, reference, references)
        elif len(links) < MAX_LINKS:
            links[address] = _link(address, reference, references)
        else:
            break
    return links


def _addresses(base: str, references: Iterable[str], charset: str) -> Iterator[tuple[str, str]]:
    """Yield each reference with its address. Those of pages in UTF-8, which nearly all are, are joined in one go."""
    if is_unicode(charset):
        yield from join(base, references)
        return
    for reference in references:
        for _, address in join(base, (in_charset(reference, charset),)):
            yield reference, address


def links_written(base: str, references: Iterable[str]) -> Iterator[PageLink]:
    """Yield a link for each of these references that could be visited, at most MAX_LINKS."""
    joint = (address for _, address in join(base, dict.fromkeys(references)))
    places = dict.fromkeys(address for address in joint if address.startswith(SCHEMES))
    return (PageLink(address) for address in islice(places, MAX_LINKS))


def absolute(base: str, reference: str, charset: str = "") -> str:
    """Return one reference of a page in this charset as an address that could be visited, or ""."""
    for _, address in join(base, (in_charset(reference, charset),)):
        if address.startswith(SCHEMES):
            return address
    return ""


def parse_refresh(content: str) -> tuple[int, str] | None:
    """Return (seconds, reference) of a meta refresh or a Refresh field, None when it names no other place.

    Source: https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
    """
    match = _TIME_AND_ADDRESS.match(content[:5_000])
    if match is None:
        return None
    reference = match["single"] or match["double"] or match["bare"] or ""
    return (int(match["seconds"][:9] or 0), reference.strip()) if reference.strip() else None


def _link(address: str, reference: str, references: References) -> PageLink:
    first = references.first[reference]
    text = one_line(words_of(first), MAX_ANCHOR) if first.tag == "a" else ""
    of_part = reference not in references.whole
    if not text:
        text, of_part = _other_text(first, references.later(reference))
    rel = first.attr("rel")
    return PageLink(address, text, _common_rel(rel_tokens(rel), references, reference) if rel else "", of_part=of_part)


def _merged(known: PageLink, reference: str, references: References) -> PageLink:
    """The same place under another spelling."""
    if known.text and not known.rel and not known.of_part:
        return known
    more = _link(known.address, reference, references)
    rel = known.rel
    if not UNTRUSTED.isdisjoint(rel.split()) and UNTRUSTED.isdisjoint(more.rel.split()):
        rel = _without_distrust(rel.split())
    better = more if more.text and (known.of_part or not known.text) else known
    return PageLink(known.address, better.text, rel, of_part=better.of_part)


def _other_text(first: Element, later: list[Element]) -> tuple[str, bool]:
    """The text of a later reference to the same place, else what stands for one; and whether it leads to a part."""
    for element in later:
        text = one_line(words_of(element), MAX_ANCHOR) if element.tag == "a" else ""
        if text:
            return text, "#" in (element.attr("href") or "")
    for element in (first, *later):
        text = one_line(_alternative(element), MAX_ANCHOR)
        if text:
            return text, "#" in (element.attr("href") or "")
    return "", False


def _alternative(element: Element) -> str:
    """Return the text of an anchor without text: its own title, or the alternative text of its image."""
    title = element.attr("title") or element.attr("aria-label") or element.attr("alt")
    if title:
        return title
    image = element.find("img")
    return (image.attr("alt") or "") if image is not None else ""


def _common_rel(tokens: list[str], references: References, reference: str) -> str:
    if not UNTRUSTED.isdisjoint(tokens):
        for other in references.later(reference):
            if UNTRUSTED.isdisjoint(rel_of(other)):
                return _without_distrust(tokens)
    return " ".join(tokens)


def _without_distrust(tokens: list[str]) -> str:
    return " ".join(token for token in tokens if token not in UNTRUSTED)
