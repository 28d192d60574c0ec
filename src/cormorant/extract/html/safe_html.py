"""Sanitized HTML for the display of an untrusted page.

It keeps the words in their order, in elements without any function.

    bytes --parse--> tree --sanitize--> headings, paragraphs, lists, tables, links --mark--> markup
    text  ------------------------------------------------------------------------------^

One list names the elements that stay; others are removed, and their contents too if those are no text. No remaining
element can run, load, send or style anything. A link leads to its target, outside, in a window of its own.

The caller supplies the marks: a function that returns the positions of the searched words in a text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final, TypeAlias

from turbohtml import Element, Text
from turbohtml.clean import OnDisallowed, Policy, Sanitizer

from cormorant.extract.html.complexity import defused
from cormorant.extract.html.links import absolute
from cormorant.extract.html.page import parsed
from cormorant.extract.html.text_layout import remove_hidden

MOST_BYTES: Final = 2_000_000
"""Bytes of a page that is displayed as HTML in 30 ms; of a larger one only the text is displayed."""
MOST_TEXT: Final = 500_000
"""Characters of a text that are displayed."""
MOST_MARKS: Final = 2_000

Marks: TypeAlias = Callable[[str], Sequence[tuple[int, int, int]]]
"""Positions of words in a text (half-open, in code points) with the number of each word; in order, without overlaps."""

KEPT: Final = frozenset((
    "a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code", "col",
    "colgroup", "dd", "del", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hr", "i", "ins", "kbd", "li", "nav", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp",
    "section", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul",
    "var", "wbr",
))  # fmt: skip
_WITH_CONTENT: Final = frozenset((
    "applet", "audio", "canvas", "datalist", "embed", "frame", "frameset", "head", "iframe", "math", "noembed",
    "noframes", "noscript", "object", "script", "style", "svg", "template", "title", "video",
))  # fmt: skip
"""Elements without words of the page, which are removed with their contents. The contents of other removed elements
stay.
"""
_ATTRIBUTES: Final = {
    "*": frozenset(("dir", "lang")), "a": frozenset(("href",)), "abbr": frozenset(("title",)),
    "ol": frozenset(("start",)), "li": frozenset(("value",)), "col": frozenset(("span",)),
    "colgroup": frozenset(("span",)), "td": frozenset(("colspan", "rowspan")),
    "th": frozenset(("colspan", "rowspan", "scope")),
}  # fmt: skip
_SANITIZER: Final = Sanitizer(Policy(
    tags=KEPT, attributes=_ATTRIBUTES, url_schemes=frozenset(("http", "https")), allow_relative_urls=False,
    on_disallowed_tag=OnDisallowed.STRIP, remove_with_content=_WITH_CONTENT, css_properties=frozenset(),
    set_attributes={"a": {"target": "_blank", "rel": "noopener noreferrer nofollow"}}, allow_svg=False,
    allow_mathml=False,
))  # fmt: skip


@dataclass(slots=True)
class SafeHtml:
    """Markup that may be put into a page unchanged; the number of marks of each word, and whether the rest is cut.

    The third mark has the id `place-3`; `firsts` is the place of the first mark of each word.
    """

    markup: str = ""
    counts: Counter[int] = field(default_factory=Counter)
    firsts: dict[int, int] = field(default_factory=dict)
    cut: bool = False

    def pieces(self, text: str, marks: Marks) -> list[tuple[str, int]]:
        """Cut a text at its marks: (text, which mark it is, from 1 on); 0: none."""
        found: list[tuple[str, int]] = []
        at = 0
        for start, end, word in marks(text) if self.counts.total() < MOST_MARKS else ():
            self.counts[word] += 1
            place = self.counts.total()
            self.firsts.setdefault(word, place)
            found += [(text[at:start], 0), (text[start:end], place)]
            at = end
        return [*found, (text[at:], 0)]


def page(body: bytes, *, address: str, charset: str, marks: Marks) -> SafeHtml:
    """Sanitize an HTML page of at most MOST_BYTES in this charset. Never raises for the contents of `body`."""
    shown = SafeHtml()
    body, shown.cut = defused(body, charset)
    document, _ = parsed(body, charset, "")
    remove_hidden(document)
    for picture in document.find_all("img"):
        said = " ".join((picture.attr("alt") or "").split())
        picture.replace_with(Text(f"[{said}]" if said else ""))
    encoding = (document.encoding or "").lower()
    base = next((absolute(address, each.attr("href") or "") for each in document.find_all("base")), "") or address
    for link in document.find_all("a"):
        there = absolute(base, link.attr("href") or "", encoding) if link.attr("href") else ""
        if there:
            link.attrs["href"] = there
        elif "href" in link.attrs:
            del link.attrs["href"]
    root = document.find("body") or document.root
    if root is None:
        return shown
    safe = _SANITIZER.sanitize_node(root)
    _mark([each for each in safe.descendants if isinstance(each, Text)], shown, marks)
    shown.markup = safe.inner_html
    return shown


def _mark(texts: Iterable[Text], shown: SafeHtml, marks: Marks) -> None:
    """Put marked words into elements of their own."""
    for text in texts:
        pieces = shown.pieces(text.data, marks)
        if len(pieces) > 1:
            text.replace_with(*(_piece(*each) for each in pieces if each[0]))


def _piece(text: str, place: int) -> Text | Element:
    return Element("mark", {"id": f"place-{place}"}, [Text(text)]) if place else Text(text)


def plain(text: str, marks: Marks) -> SafeHtml:
    """Format a text block by block."""
    shown = SafeHtml(cut=len(text) > MOST_TEXT)
    blocks = (block.strip() for block in text[:MOST_TEXT].split("\n\n"))
    made = (f'<p dir="auto">{_marked(shown.pieces(block, marks))}</p>\n' for block in blocks if block)
    shown.markup = "".join(made)
    return shown


def _marked(pieces: Iterable[tuple[str, int]]) -> str:
    said = []
    for text, place in pieces:
        safe = escape(text)
        said.append(f'<mark id="place-{place}">{safe}</mark>' if place else safe)
    return "".join(said)
