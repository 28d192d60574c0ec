"""Lists of feeds: OPML (http://opml.org/spec2.opml), a feed whose entries link to feeds, or one address a line."""

from __future__ import annotations

from typing import Any, Final

from lxml import etree

from cormorant.sources.feed.parser import absolute, parse_feed
from cormorant.sources.xml_answer import parse_answer

MAX_LINES: Final = 100_000
NOWHERE: Final = "http://list.invalid/"
"""The base of a list that is a file: the host is reserved (RFC 2606), and nothing is there."""


def read_list(body: bytes, base: str) -> tuple[list[str], list[str]]:
    """Return the feeds and the further lists that a list names, absolute; relative ones count from `base`.

    Bytes in none of the forms name nothing.
    """
    feeds, lists = _read(body.lstrip(b"\xef\xbb\xbf \t\r\n"), base or NOWHERE)
    return _placed(feeds), _placed(lists)


def _placed(addresses: list[str]) -> list[str]:
    """Leave out what is no address, or counts from the place of a file, which has none."""
    return [each for each in addresses if each and not each.startswith(NOWHERE)]


def _read(bare: bytes, base: str) -> tuple[list[str], list[str]]:
    if not bare.startswith((b"<", b"{")):
        lines = bare.decode("utf-8", "replace").splitlines()[:MAX_LINES]
        return [absolute(base, each.split(" #")[0].strip()) for each in lines if "://" in each and each[0] != "#"], []
    try:
        root = parse_answer(bare)
    except ValueError:
        root = None
    if root is not None and isinstance(root.tag, str) and etree.QName(root).localname.lower() == "opml":
        return _opml(root, base)
    try:
        return [each.link for each in parse_feed(bare, base).entries], []
    except ValueError:
        return [], []


def _opml(root: Any, base: str) -> tuple[list[str], list[str]]:
    feeds, lists = list[str](), list[str]()
    for each in root.iter("outline"):
        said = {name.lower(): value for name, value in each.attrib.items()}
        sort = said.get("type", "").lower()
        feeds.append(absolute(base, said.get("xmlurl", "")))
        if sort == "include" or (sort == "link" and said.get("url", "").lower().endswith(".opml")):
            lists.append(absolute(base, said.get("url", "")))
    return feeds, lists
