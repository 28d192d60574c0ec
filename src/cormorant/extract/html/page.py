"""Extraction of text, links and metadata from an HTML page.

The hot path: one parse, one pass over the elements, one rendering as text.

    bytes ──parse──> tree ──links_title──> references, title, metas ──join──> links
                      └────text──> visible text: no script, no style, nothing hidden

The names at the arrows are those of the step table that the benchmark prints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from turbohtml import Document, Element, parse, parse_fragment

from cormorant.base.profiling import Steps, unmeasured
from cormorant.extract.detect.charset import BYTES, DEFAULT, HEADER, MARK, PAGE, is_label
from cormorant.extract.html.complexity import defused, utf16_of
from cormorant.extract.html.head import HtmlHead, headlines, language_of, read_metas, title_of
from cormorant.extract.html.link_options import further
from cormorant.extract.html.links import References, absolute, gathered, joined, rel_of
from cormorant.extract.html.script_shell import MAX_CHARACTERS, MAX_LINKS, MAX_PLEAS, MAX_SHELL, is_application
from cormorant.extract.html.text_layout import render
from cormorant.extract.sanitize import clean, is_left_behind, is_made_up, name_of
from cormorant.model.content import PLAIN, Extraction, Manner, PageLink, Value
from cormorant.model.no_text import BY_SCRIPT, FILLED_BY

# Rows that a script asks for, to be put into a table; outside of one they are no rows and their cells no cells.
_ROWS: Final = (b"<tr", b"<td", b"<th", b"<tb")
_FRAGMENT: Final = 256
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def extract_html(
    body: bytes,
    *,
    address: str,
    charset: str = "",
    steps: Steps = unmeasured,
    manner: Manner = PLAIN,
    alternatives: Callable[[str], str] | None = None,
) -> Extraction:
    """Return the extraction of a page. Never raises for the contents of `body`.

    `address` is the canonical address of the page; `charset` the declaration of the transport. The order of the HTML
    standard decides the encoding: byte-order mark, transport, meta, the default of the source, then the bytes
    themselves; an invalid label counts as absent. `main` of `manner` fills `main_text`, which costs half as much again.
    `alternatives` returns the part of a picture's alternative text that counts as text; without it none does.
    """
    with steps("parse"):
        marked = body.startswith(_MARKS)
        body, truncated = defused(body, charset)
        if body[:_FRAGMENT].lstrip()[:3].lower() in _ROWS:
            body = b"<table>" + body
        document, known_from = parsed(body, charset, manner.charset)
        _open_noframes(document)
        shell = body if len(body) <= MAX_SHELL else b""
        body = body if manner.links else b""  # may be a copy of megabytes, which are needed for what follows
    with steps("links_title"):
        find = document.find_all
        links, head = find("link"), read_metas(find("meta"), manner.metas)
        references = gathered(document, links)
        if manner.links:
            references, body = _with_further(references, document, body, manner), b""
        title, attributes = _title_and_attributes(document, head, address)
        login = any((each.attr("type") or "").lower() == "password" for each in find("input"))
    with steps("join"):
        base = _base(address, find("base"))
        encoding = (document.encoding or "").lower()
        by_address = joined(base, references, encoding)
        refresh = _refresh(by_address, base, head, address, encoding)
    with steps("text"):
        noscripts = find("noscript")
        text = render(document, alternatives)
        if len(text) <= MAX_CHARACTERS and len(by_address) <= MAX_LINKS and not head.refresh:
            pleas = [each.to_text() for each in noscripts[:MAX_PLEAS]]
            if is_application(shell, document.encoding, text, pleas):
                attributes[FILLED_BY] = BY_SCRIPT
        main_text = clean(document.main_text()) if manner.main else ""
    return Extraction(
        text=text,
        title=title,
        links=tuple(by_address.values()),
        language=language_of(document) or head.language,
        charset=encoding,
        directives=head.directives,
        canonical=_canonical(base, links, encoding),
        refresh=refresh,
        attributes=attributes,
        links_seen=references.seen,
        truncated=truncated,
        main_text=main_text,
        links_dropped=references.beyond(len(by_address)),
        login=login,
        charset_from=MARK if marked else known_from or (PAGE if is_label(head.charset) else BYTES),
    )


def _with_further(references: References, document: Document, body: bytes, manner: Manner) -> References:
    """Add the references that are links by choice; the page's source is needed for addresses written out in it."""
    markup = body.decode(f"whatwg-{document.encoding}", "replace") if {"text", "all"} & {*manner.links} else ""
    return references.with_further(further(document, manner.links, markup))


def _open_noframes(document: Document) -> None:
    """Read a page's text for readers without frames, such as a crawler; a browser hides it."""
    for element in document.find_all("noframes"):
        element.replace_with(parse_fragment(element.text, positions=False))


def parsed(body: bytes, charset: str, default: str) -> tuple[Document, str]:
    """Return the tree, and the origin of its charset; "" for its metas or its bytes."""
    wide = utf16_of(body, charset)
    if charset or wide:
        try:
            return parse(body, encoding=charset or wide, positions=False), HEADER if charset else BYTES
        except (LookupError, ValueError):
            pass
    document = parse(body, detect_encoding=True, positions=False)
    if default and not is_label(read_metas(document.find_all("meta")).charset):
        return parse(body, encoding=default, positions=False), DEFAULT
    return document, ""


def _title_and_attributes(document: Document, head: HtmlHead, address: str) -> tuple[str, dict[str, Value]]:
    attributes = head.attributes
    first, second = headlines(document.find_all("h1")), headlines(document.find_all("h2"))
    if first:
        attributes["Headline1"] = first
    if second:
        attributes["Headline2"] = second
    title = title_of(document.find_all("title"))
    if is_made_up(title):
        title = next((each for each in first + second if not is_left_behind(each)), "") or name_of(address)
    return title, attributes


def _base(address: str, bases: list[Element]) -> str:
    """The first base with an address decides, when it is one: https://html.spec.whatwg.org/#set-the-frozen-base-url."""
    for element in bases:
        raw = element.attr("href")
        if raw is not None:
            return absolute(address, raw) or address
    return address


def _canonical(base: str, links: list[Element], charset: str) -> str:
    for link in links:
        if "canonical" in rel_of(link):
            return absolute(base, link.attr("href") or "", charset)
    return ""


def _refresh(links: dict[str, PageLink], base: str, head: HtmlHead, address: str, charset: str) -> str:
    """Store the target of a late or soon refresh; a page that only reloads itself has none."""
    target = ""
    for reference in (head.later, head.refresh):
        target = absolute(base, reference, charset) if reference else ""
        target = "" if target == address else target
        if target:
            links.setdefault(target, PageLink(target))
    return target
