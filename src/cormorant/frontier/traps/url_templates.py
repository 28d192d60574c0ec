r"""URL templates: URLs with a common structure.

A template is an address with its numbers, dates and ids taken out.

http://a.example/cal/2031/5?view=month&p=3  ->  http://a.example/cal/{n}/{n}?p&view   and   http://a.example/cal/{n}/{n}?*
http://a.example/p/3f9c01ab77               ->  http://a.example/p/{id}               and   http://a.example/p/*
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ID = re.compile(r"(?=[^/]*\d)(?=[^/]*[a-zA-Z])[0-9a-fA-F-]{8,}|(?=[^/]*\d)(?=[^/]*[a-zA-Z])[0-9a-zA-Z]{16,}")
_DIGITS = re.compile(r"\d+")
_DATED = re.compile(r"(?:19|2[01])\d\d[-/._]?(?:0?[1-9]|1[0-2])(?!\d)")
_PLACES = {"{n}": r"\d+", "{id}": r"[0-9A-Za-z-]+", "*": r"[^/?]*"}
_MOST_NAMES, _MOST_COUNTED = 400, 16
"""Characters of names, and parameters, that a rule speaks of; more would make its pattern too large."""
_PLACE = re.compile(r"\{n\}|\{id\}|\*")


class Templates(NamedTuple):
    """The narrow template of an address, and the wide one of the whole path or folder."""

    narrow: str
    wide: str


def templates(address: str) -> Templates:
    """Return the templates of a canonical address."""
    path, mark, query = address.partition("?")
    start = path.find("/", 8)
    front, path = path[:start], path[start:]
    if _DIGITS.search(path):
        path = "/".join([_segment(each) for each in path.split("/")])
    if mark:
        names = "&".join(sorted({piece.partition("=")[0] for piece in query.split("&")}))
        return Templates(f"{front}{path}?{names}", f"{front}{path}?*")
    wide = f"{front}{path[: path.rfind('/') + 1]}*"
    return Templates(front + path if "{" in path else wide, wide)


def _segment(text: str) -> str:
    return "{id}" if _ID.fullmatch(text) else _DIGITS.sub("{n}", text)


def refines(template: str, other: str) -> bool:
    """Return whether one of two templates of a path has all parameters of the other, and more."""
    more, fewer = set(template.partition("?")[2].split("&")), set(other.partition("?")[2].split("&"))
    return more > fewer or fewer > more


def is_dated(address: str) -> bool:
    """Return whether a URL names a month of some year."""
    return _DATED.search(address, 8) is not None


def as_rule(template: str) -> str:
    """Return the boundary rule for the URLs of a template: a regular expression for the whole address."""
    path, mark, query = template.partition("?")
    return f"regex:^{_regex(path)}" + (_of_query(query) if mark else "$")


def _of_query(query: str) -> str:
    r"""Return the pattern of a query with so many parameters or more, in any order.

    They have these names, unless the names are too long.
    """
    if query == "*":
        return r"\?"
    count, names = query.count("&") + 1, "|".join(map(re.escape, query.split("&")))
    if len(names) > _MOST_NAMES:
        return rf"\?([^&]*&){{{min(count, _MOST_COUNTED) - 1},}}"
    return rf"\?(({names})(=[^&]*)?(&|$)){{{min(count, _MOST_COUNTED)},}}$"


def _regex(path: str) -> str:
    made, end = "", 0
    for found in _PLACE.finditer(path):
        made += re.escape(path[end : found.start()]) + _PLACES[found[0]]
        end = found.end()
    return made + re.escape(path[end:])
