"""OpenSearch description of a server, and the addresses that its templates make of a query.

https://github.com/dewitt/opensearch, "OpenSearch 1.1 Draft 6": the description document, the Url element, parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from lxml import etree

from cormorant.base.errors import BadAddress
from cormorant.model.url import canonical, join, origin_of
from cormorant.sources.xml_answer import parse_answer

ATOM: Final = "application/atom+xml"
RSS: Final = "application/rss+xml"
JSON: Final = "application/json"
JSON_FEED: Final = "application/feed+json"
FORMS: Final = (ATOM, RSS, JSON_FEED, JSON)
"""Forms of answers that are read, the best first."""
MAX_TEMPLATE: Final = 4_000
MAX_URLS: Final = 50
"""Url elements that are looked at."""
_PARAMETER: Final = re.compile(r"\{([A-Za-z][\w.-]{0,60}:)?([A-Za-z][\w.-]{0,60})(\?)?\}")
_FRONT: Final = re.compile("[/?#]")
_KNOWN: Final = frozenset(
    ("searchterms", "count", "startindex", "startpage", "language", "inputencoding", "outputencoding")
)


class UrlTemplate(NamedTuple):
    """A template with the form of its answers, and the numbers of its first result and first page."""

    template: str
    form: str
    first_index: int = 1
    first_page: int = 1

    def address(self, text: str, count: int, language: str, charset: str) -> str:
        """Return the address that asks for the first results of a query. Raises ValueError for what is none.

        A parameter that nothing is known of stands for nothing. `language` is a tag, "" for any.
        """
        values = {
            "searchterms": text, "count": str(count), "startindex": str(self.first_index),
            "startpage": str(self.first_page), "language": language or "*", "inputencoding": charset,
            "outputencoding": "UTF-8",
        }  # fmt: skip

        def filled(match: re.Match[str]) -> str:
            value = values.get(match[2].lower(), "") if not match[1] else ""
            return quote(value.encode(charset, "replace"), safe="*" if match[2].lower() == "language" else "")

        try:
            return canonical(_PARAMETER.sub(filled, self.template))
        except BadAddress:
            raise ValueError("its template makes no address") from None


class SearchDescription(NamedTuple):
    """The template that a server is asked by, the encoding of queries in it, and what the server calls itself."""

    template: UrlTemplate
    charset: str = "utf-8"
    name: str = ""


def parse_description(body: bytes, address: str) -> SearchDescription:
    """Read the description at an address. Raises ValueError, with what is wrong, for one that cannot be asked by.

    A template over http is passed over where the description came over https: queries would be sent in clear.
    """
    root = parse_answer(body)
    if _local(root) != "opensearchdescription":
        raise ValueError(f"its root element is {_local(root)[:40]!r}, and not OpenSearchDescription")
    elements = [each for each in root if isinstance(each.tag, str)]
    urls = [each for each in elements if _local(each) == "url"][:MAX_URLS]
    found = [each for element in urls for each in _templates(element, address)]
    if not found:
        forms = sorted({each.get("type", "").strip()[:60] for each in urls} - {""})
        offered = f"it offers {', '.join(forms)}" if forms else "it has no Url"
        raise ValueError(f"{offered}, and none of it can be read; {ATOM}, {RSS} or {JSON} is needed")
    best = min(found, key=lambda each: FORMS.index(each.form))
    charsets = [_charset(_text(each)) for each in elements if _local(each) == "inputencoding"]
    charset = "utf-8" if not charsets or "utf-8" in charsets else charsets[0]
    name = next((_text(each) for each in elements if _local(each) == "shortname"), "")
    return SearchDescription(best, charset, " ".join(name.split())[:100])


def _templates(element: Any, address: str) -> Iterator[UrlTemplate]:
    """Yield the template of a Url element, where it is for results, in a form that is read, by GET."""
    form = element.get("type", "").partition(";")[0].strip().lower()
    relations = element.get("rel", "results").lower().split()
    posts = any(value.lower() == "post" for name, value in element.attrib.items() if name.endswith("method"))
    if form not in FORMS or "results" not in relations or posts:
        return
    text = "".join(element.get("template", "").split())
    if not 0 < len(text) <= MAX_TEMPLATE or not _asks(text):
        return
    template = text if text.lower().startswith(("https://", "http://")) else _absolute(address, text)
    if not template.lower().startswith(("https://", "http://")) or _is_open(template, address):
        return
    yield UrlTemplate(template, form, _number(element.get("indexOffset", "1")), _number(element.get("pageOffset", "1")))


def _asks(text: str) -> bool:
    """Return whether a template takes a query in its path or behind it, and nothing unknown that it cannot do without.

    A query may not choose the host that is asked.
    """
    front = _FRONT.split(text.partition("://")[2], maxsplit=1)[0] if "://" in text else ""
    named = {match[2].lower() for match in _PARAMETER.finditer(text) if not match[1]}
    needed = {f"{match[1] or ''}{match[2]}".lower() for match in _PARAMETER.finditer(text) if not match[3]}
    return "searchterms" in named and needed <= _KNOWN and "{" not in front


def _absolute(address: str, reference: str) -> str:
    """Return a relative template as an absolute one, "" where it is none; braces are no characters of addresses."""
    marked = reference.replace("{", "\ue000").replace("}", "\ue001")
    found = next((each for _, each in join(address, (marked,))), "")
    return found.replace(quote("\ue000"), "{").replace(quote("\ue001"), "}").replace("%3F}", "?}")


def _is_open(template: str, address: str) -> bool:
    """Return whether queries would be sent in clear though the description came over https."""
    return template.lower().startswith("http:") and origin_of(address).scheme == "https"


def _local(element: Any) -> str:
    return str(etree.QName(element).localname).lower()


def _text(element: Any) -> str:
    return "".join(element.itertext()).strip()[:1_000]


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _charset(label: str) -> str:
    """Return the name of an encoding of single texts, utf-8 for one that nobody knows or that ASCII is not part of."""
    try:
        return label.lower() if "a?&%".encode(label) == b"a?&%" else "utf-8"
    except (LookupError, ValueError):
        return "utf-8"
