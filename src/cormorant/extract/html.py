"""What does an HTML page say? The hot path: one parse, one pass over the elements, one rendering as text.

    bytes ──parse──> tree ──links_title──> references, title, metas ──join──> links
                      └────text──> what a reader sees: no script, no style, nothing hidden

The names at the arrows are those of the step table that the benchmark prints.
"""

from __future__ import annotations

from typing import Final

from turbohtml import Document, Element, Text, parse

from cormorant.base.steps import Steps, unmeasured
from cormorant.extract.defuse import defused, utf16_of
from cormorant.extract.head import Head, headlines, language_of, read_metas, title_of
from cormorant.extract.links import absolute, gathered, joined, rel_of
from cormorant.extract.text import clean, name_of
from cormorant.model.content import Extraction, Link, Value

# The renderer shows only rows of tables and items of lists, drops captions, pads columns to equal width (quadratic in
# hostile tables), indents quotations and runs the words of neighbouring form elements together. As plain blocks all of
# them keep every word.
_BLOCKS: Final = (
    "blockquote", "button", "caption", "center", "dialog", "dir", "fieldset", "form", "hgroup", "legend", "marquee",
    "menu", "ol", "optgroup", "option", "select", "table", "textarea", "tr", "ul",
)  # fmt: skip
_HIDDEN: Final = (
    "body [hidden]:not([hidden=until-found]), body [style*='display:none' i], body [style*='display: none' i]"
)


def extract_html(
    body: bytes, *, address: str, charset: str = "", steps: Steps = unmeasured, main: bool = False
) -> Extraction:
    """Return what the page says. Never raises for what is in `body`.

    `address` is where the page came from, canonical; `charset` what the transport declared. The order of the HTML
    standard decides the encoding: byte-order mark, transport, meta, then the bytes themselves; a label that is none
    counts as absent. `main` also fills `main_text`, which costs half as much again.
    """
    with steps("parse"):
        body, truncated = defused(body, charset)
        document = _parsed(body, charset)
        del body  # may be a copy of megabytes, which are needed for what follows
    with steps("links_title"):
        find = document.find_all
        links = find("link")
        references = gathered(document, links)
        head = read_metas(find("meta"))
        title, attributes = _title_and_attributes(document, head, address)
    with steps("join"):
        base = _base(address, find("base"))
        by_address = joined(base, references)
        refresh = _refresh(by_address, absolute(base, head.refresh) if head.refresh else "", address)
        canonical = _canonical(base, links)
    with steps("text"):
        text = _text(document)
        main_text = clean(document.main_text()) if main else ""
    return Extraction(
        text=text,
        title=title,
        links=tuple(by_address.values()),
        language=language_of(document) or head.language,
        charset=(document.encoding or "").lower(),
        directives=head.directives,
        canonical=canonical,
        refresh=refresh,
        attributes=attributes,
        links_seen=references.seen,
        truncated=truncated,
        main_text=main_text,
    )


def _parsed(body: bytes, charset: str) -> Document:
    label = charset or utf16_of(body, charset)
    if label:
        try:
            return parse(body, encoding=label, positions=False)
        except (LookupError, ValueError):
            pass
    return parse(body, detect_encoding=True, positions=False)


def _title_and_attributes(document: Document, head: Head, address: str) -> tuple[str, dict[str, Value]]:
    attributes = head.attributes
    first, second = headlines(document.find_all("h1")), headlines(document.find_all("h2"))
    if first:
        attributes["Headline1"] = first
    if second:
        attributes["Headline2"] = second
    title = title_of(document.find_all("title")) or next(iter(first + second), "") or name_of(address)
    return title, attributes


def _base(address: str, bases: list[Element]) -> str:
    """The first base with an address decides, when it is one: https://html.spec.whatwg.org/#set-the-frozen-base-url."""
    for element in bases:
        raw = element.attr("href")
        if raw is not None:
            return absolute(address, raw) or address
    return address


def _canonical(base: str, links: list[Element]) -> str:
    for link in links:
        if "canonical" in rel_of(link):
            return absolute(base, link.attr("href") or "")
    return ""


def _refresh(links: dict[str, Link], target: str, address: str) -> str:
    """Note where the page sends its reader; a page that only reloads itself sends nowhere."""
    if not target or target == address:
        return ""
    links.setdefault(target, Link(target))
    return target


def _text(document: Document) -> str:
    """Render what a reader sees. Changes the tree, after everything is found: a change costs the parser its index."""
    find = document.find_all
    cells = find("td") + find("th")
    frames = find("iframe")
    for element in [element for tag in _BLOCKS for element in find(tag)]:
        element.tag = "div"
    for cell in cells:
        cell.append(Text(" "))
    for frame in frames:
        frame.clear()
    document.remove(_HIDDEN)
    return clean(document.to_text())
