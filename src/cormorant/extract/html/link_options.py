"""Optional kinds of references that count as links.

They are the values of a source's setting `links`.

| kind      | references                                                                                       |
|-----------|--------------------------------------------------------------------------------------------------|
| forms     | GET forms, with the values they show at first; buttons with an address of their own              |
| posts     | the addresses of POST forms, asked for by GET                                                    |
| srcset    | pictures in several sizes                                                                        |
| media     | pictures, sound, film, objects, backgrounds                                                      |
| resources | scripts, style sheets, icons, manifests, what is to be loaded early, and links of that in headers |
| hints     | sources of quotations, long descriptions, pings, profiles, Content-Location                      |
| text      | addresses written out in text, comments, scripts and attributes, also of plain texts             |

A page is searched for these only on request: other pages are not slowed down.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final, NamedTuple

from turbohtml import Doctype, Document, Element

from cormorant.extract.detect.charset import name_of_label
from cormorant.extract.html.query_encoding import form_data
from cormorant.model.content import LinkKind

MAX_FOUND: Final = 10_000
"""References of one kind that are looked at."""
MAX_FIELDS: Final = 50
"""Fields of a form that go into its address."""
MAX_PIECES: Final = 100
"""References in one attribute."""

_MEDIA: Final = (
    ("img", "src"), ("img", "lowsrc"), ("img", "dynsrc"), ("audio", "src"), ("video", "src"), ("video", "poster"),
    ("source", "src"), ("track", "src"), ("embed", "src"), ("object", "data"), ("param", "value"),
    ("applet", "archive"), ("input", "src"), ("image", "href"), ("image", "xlink:href"), ("body", "background"),
    ("table", "background"), ("tr", "background"), ("td", "background"), ("th", "background"),
)  # fmt: skip
_RESOURCES: Final = (
    ("script", "src"), ("script", "href"), ("script", "xlink:href"), ("link", "href"), ("html", "manifest"),
    ("import", "implementation"),
)  # fmt: skip
_HINTS: Final = (
    ("a", "ping"), ("area", "ping"), ("blockquote", "cite"), ("q", "cite"), ("ins", "cite"), ("del", "cite"),
    ("img", "longdesc"), ("head", "profile"), ("applet", "codebase"), ("object", "codebase"),
)  # fmt: skip
_SRCSET: Final = (("img", "srcset"), ("source", "srcset"), ("link", "imagesrcset"))
_SEVERAL: Final = frozenset(("ping", "archive"))
_BUTTONS: Final = frozenset(("button", "image", "reset", "submit", "file"))
# https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute, without what follows an address.
_CANDIDATE: Final = re.compile(r"[\s,]*([^\s,](?:\S*[^\s,])?)(?:\s[^,(]*(?:\([^)]{0,100}\))?[^,]*)?(?:,|$)")
# A path begins behind no character that a path may have, so that each is looked at from one place alone.
_WRITTEN: Final = re.compile(
    r"""https?://[^\s"'<>`\\^{}|()\[\],;]{1,4096}|(?<![\w./:%~@+-])\.{0,2}/[\w%~@-][\w./%~@+-]{0,2048}\.[A-Za-z][A-Za-z0-9]{0,9}\b"""
)


class Reference(NamedTuple):
    """A reference as written, with the element that says it; None when it stands between elements."""

    text: str
    element: Element | None


def further(document: Document, kinds: Collection[LinkKind], markup: str) -> Iterator[Reference]:
    """Yield the references of these kinds; `markup` is the page's source, for the kind `text`."""
    every = "all" in kinds
    for kind, places in (("media", _MEDIA), ("resources", _RESOURCES), ("hints", _HINTS)):
        if every or kind in kinds:
            yield from _of(document, places)
    if every or "resources" in kinds:
        yield from _doctype(document)
    if every or "srcset" in kinds:
        yield from _srcset(document)
    if every or not {"forms", "posts"}.isdisjoint(kinds):
        yield from _forms(document, get=every or "forms" in kinds, post=every or "posts" in kinds)
    if every or "text" in kinds:
        base = document.find("base")
        yield from (Reference(each, None) for each in written(markup, base.attr("href") or "" if base else ""))


def written(text: str, base: str = "") -> list[str]:
    """Return apparent addresses in a text: complete web addresses, or paths with an extension.

    Programs that read such texts seldom resolve them like links: so a path with leading dots is also tried from the
    root, another one also appended to the page's `base` as it is.
    """
    found: list[str] = []
    for match in islice(_WRITTEN.finditer(text), MAX_FOUND):
        path = match[0].rstrip(".")
        found.append(path)
        if path.startswith("."):
            found.append(path.lstrip("."))
        elif base and path.startswith("/"):
            found.append(base.rstrip("/") + path)
    return found


def _doctype(document: Document) -> Iterator[Reference]:
    for node in document.children:
        if isinstance(node, Doctype) and node.system_id:
            yield Reference(node.system_id, None)


def _of(document: Document, places: tuple[tuple[str, str], ...]) -> Iterator[Reference]:
    for tag, attribute in places:
        for element in islice(document.find_all(tag), MAX_FOUND):
            value = element.attr(attribute)
            if not value or (tag == "param" and "/" not in value):
                continue
            for each in _pieces(value) if attribute in _SEVERAL else (value,):
                yield Reference(each, element)


def _pieces(value: str) -> list[str]:
    return value.replace(",", " ").split(maxsplit=MAX_PIECES)[:MAX_PIECES]


def _srcset(document: Document) -> Iterator[Reference]:
    for tag, attribute in _SRCSET:
        for element in islice(document.find_all(tag), MAX_FOUND):
            # Without an end of nothing but separators, which would be looked through from each of them.
            value = (element.attr(attribute) or "").rstrip(", \t\r\n\f")
            for match in islice(_CANDIDATE.finditer(value), MAX_PIECES):
                yield Reference(match[1], element)


def _forms(document: Document, *, get: bool, post: bool) -> Iterator[Reference]:
    """Yield the targets of forms with their initial values: https://html.spec.whatwg.org/#form-submission-algorithm."""
    for element in islice(document.find_all("isindex"), MAX_FOUND if get else 0):
        yield Reference(element.attr("action") or "", element)
    fields = _fields(document) if get else {}
    for form in islice(document.find_all("form"), MAX_FOUND):
        by_post = (form.attr("method") or "").strip().lower() == "post"
        if post if by_post else get:
            action = form.attr("action") or ""
            charset = _charset_of(form, document)
            yield Reference(action if by_post else _submitted(action, fields.get(form, []), charset), form)
    for tag in ("button", "input"):
        for button in islice(document.find_all(tag), MAX_FOUND):
            there, by_post = button.attr("formaction"), (button.attr("formmethod") or "").strip().lower() == "post"
            if there and (post if by_post else get):
                form_with_rel = button.closest("form[rel]")  # may ask for nofollow
                yield Reference(there, form_with_rel or button)


def _charset_of(form: Element, document: Document) -> str:
    """The charset that a form is sent in: the first that it names and that is one, else that of its page."""
    named = (name_of_label(each) for each in (form.attr("accept-charset") or "").split()[:MAX_PIECES])
    return next(filter(None, named), "") or (document.encoding or "").lower()


def _submitted(action: str, fields: list[tuple[str, str]], charset: str) -> str:
    """Return the address of a GET form with its initial values."""
    return f"{action.partition('#')[0].partition('?')[0]}?{form_data(fields, charset)}" if fields else action


def _fields(document: Document) -> dict[Element, list[tuple[str, str]]]:
    """The fields of each form. A page may have forms in each other, so a field is the nearest one's alone."""
    found: dict[Element, list[tuple[str, str]]] = {}
    for tag in ("input", "select", "textarea"):
        for field in islice(document.find_all(tag), MAX_FOUND):
            name = field.attr("name")
            form = field.closest("form") if name and field.attr("disabled") is None else None
            if form is None or not name:
                continue
            fields = found.setdefault(form, [])
            value = _value(tag, field) if len(fields) < MAX_FIELDS else None
            if value is not None:
                fields.append((name, value))
    return found


def _value(tag: str, field: Element) -> str | None:
    """Return the value of a form field before it is filled in, or None when it would not be sent."""
    if tag == "textarea":
        return field.text
    if tag == "select":
        options = field.find_all("option")
        chosen = next((each for each in options if each.attr("selected") is not None), None) or next(
            iter(options), None
        )
        value = chosen.attr("value") if chosen is not None else None
        return chosen.text.strip() if chosen is not None and value is None else value
    kind = (field.attr("type") or "text").lower()
    if kind in _BUTTONS or (kind in ("checkbox", "radio") and field.attr("checked") is None):
        return None
    value = field.attr("value")
    return value if value is not None else "on" if kind in ("checkbox", "radio") else ""
