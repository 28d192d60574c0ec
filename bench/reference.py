"""Which pages of a site must a crawler find?

A reader of its own, sharing nothing with the product: it walks the files of a site as nginx would answer for
them, breadth first from the front page, with lxml for links and urllib for addresses. It follows ``a[href]``,
``area[href]``, ``frame[src]`` and ``iframe[src]``, honours nofollow and the forbidden path, and calls a *page* what
answers 200 as text/html.

Addresses are compared by :func:`address_key`, so ``%7E`` and ``~``, or ``//`` and ``/``, are one page.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urljoin, urlsplit

# lxml comes with the peer and only for `make bench`, so the type checker never sees it.
lxml_html: Any = import_module("lxml.html")
lxml_etree: Any = import_module("lxml.etree")

ORIGIN = "http://site.invalid"
FORBIDDEN = "/private/"
FOLLOWED = ("a", "area", "frame", "iframe")
PAGE_SUFFIXES = (".html", ".htm")
_SLASHES = re.compile("/{2,}")


@dataclass(slots=True)
class Reach:
    """The result of the reference crawl of one site."""

    pages: set[str] = field(default_factory=set)
    page_bytes: int = 0
    links: int = 0
    others: int = 0
    missing: int = 0


def address_key(target: str) -> str:
    """The path and query of an address in the one spelling that pages are compared by."""
    path, mark, query = target.partition("?")
    raw = unquote_to_bytes(path).decode("utf-8", "surrogateescape")
    return _SLASHES.sub("/", raw) + mark + query


def walk(root: Path, front: Path) -> Reach:
    """Every page of the site at ``root`` that links lead to from its front page."""
    reach = Reach()
    queue = deque([f"{ORIGIN}/"])
    seen = {"/"}
    while queue:
        url = queue.popleft()
        found = _answer(url, root, front)
        if found is None:
            reach.missing += 1
            continue
        file, url = found
        if file.suffix.lower() not in PAGE_SUFFIXES:
            reach.others += 1
            continue
        key = address_key(_target(url))
        if key in reach.pages:
            continue
        seen.add(key)
        body = file.read_bytes()
        reach.pages.add(key)
        reach.page_bytes += len(body)
        for link in _links(body, url):
            reach.links += 1
            key = address_key(_target(link))
            if key not in seen:
                seen.add(key)
                queue.append(link)
    return reach


def _target(url: str) -> str:
    """Path and query of an absolute address."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _answer(url: str, root: Path, front: Path) -> tuple[Path, str] | None:
    """The file nginx would send for an address and the address it would send it under; none for an error."""
    path = address_key(urlsplit(url).path or "/")
    if path == "/":
        return front, url
    file = root / path.lstrip("/")
    try:
        if file.is_dir():
            if not path.endswith("/"):
                url = urljoin(url, url.rpartition("/")[2] + "/")
            file = file / "index.html"
        elif path.endswith("/"):
            return None
        return (file, url) if file.is_file() else None
    except (OSError, ValueError):
        return None


def _links(body: bytes, url: str) -> Iterator[str]:
    """The addresses of this site that a page leads to, without fragments."""
    try:
        tree = lxml_html.document_fromstring(body)
    except (lxml_etree.ParserError, ValueError):
        return
    if _nofollow(tree):
        return
    base = _base(tree, url)
    for element in tree.iter(*FOLLOWED):
        href = (element.get("href") or element.get("src") or "").strip().partition("#")[0]
        if not href or "nofollow" in (element.get("rel") or "").lower().split():
            continue
        try:
            link = urljoin(base, href)
            inside = link.startswith(f"{ORIGIN}/") and not urlsplit(link).path.startswith(FORBIDDEN)
        except ValueError:
            continue
        if inside:
            yield link


def _nofollow(tree: Any) -> bool:
    """Whether the page's own robots metadata forbids following its links."""
    for meta in tree.iter("meta"):
        if (meta.get("name") or "").lower() == "robots":
            words = re.split(r"[\s,]+", (meta.get("content") or "").lower())
            if "nofollow" in words or "none" in words:
                return True
    return False


def _base(tree: Any, url: str) -> str:
    """The address that relative links of the page start from."""
    for base in tree.iter("base"):
        if base.get("href"):
            return urljoin(url, str(base.get("href")))
    return url
