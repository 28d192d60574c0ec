"""Page layout: light or dark mode and its switch, the query, and the available filters.

What somebody prefers is kept in cookies of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import RedirectResponse, Response

from cormorant.web.security.authorization import AuthMethod, visitor

THEMES = {"dark": "light", "light": "dark"}
"""The theme that each leads to. Without a choice the system's holds, which only the style sheet knows."""

_YEAR_S = 365 * 86400
_PAGES = re.compile(
    r"/((advanced|explain|help|queries|status|takedowns)($|[?/])|search\?|documents/|cached/|duplicates/|mail/)[^\\]*"
)
"""What a switch may return to besides home."""


def of(request: Request, counts: Mapping[str, int] | None, *, q: str = "", back: str = "") -> dict[str, Any]:
    """Values for the frame. No `counts`: nothing is known, so nothing is said. `back` is where a switch returns to.

    `form` is the advanced form, filled with what was asked. `may` says whether a page may link to an address;
    `administers` says it of all that tells of documents whoever may read them.
    """
    known = visitor(request)
    chosen = theme(request)
    again = "/search?" + urlencode({"q": q}) if q else "/"
    form = "/advanced?" + urlencode({"q": q}) if q else "/advanced"
    return {
        "theme": chosen, "q": q, "again": again, "form": form, "keys": request.cookies.get("keys") != "off",
        "visitor": "" if known.way is AuthMethod.LOCAL else known.way.value, "scope": known.scope,
        "administers": known.operates, "may": known.may,
        "switches": [(to, _switch(to, back or again)) for to in ([THEMES[chosen]] if chosen else THEMES)],
        "names": list(counts or ()), "documents": None if counts is None else sum(counts.values()),
    }  # fmt: skip


def theme(request: Request) -> str:
    """The theme that was chosen, "" for the system's."""
    given = request.cookies.get("theme", "")
    return given if given in THEMES else ""


def _switch(to: str, back: str) -> str:
    return "/preferences/theme?" + urlencode({"to": to, "back": back})


def switched(request: Request, to: str, back: str) -> Response:
    """Keep the theme that was chosen, and go back to where it was: to a page of ours, nowhere else.

    The cookie comes along from pages of other origins too, or whoever follows a link to us, or comes back from a kept
    copy, would see the wrong theme.
    """
    chosen = to if to in THEMES else THEMES.get(request.cookies.get("theme", ""), "dark")
    return _preferred("theme", chosen, back)


def keyed(to: str, back: str) -> Response:
    """Keep whether single keys do something, and go back."""
    return _preferred("keys", "off" if to == "off" else "on", back)


def _preferred(name: str, value: str, back: str) -> Response:
    answer = RedirectResponse(back if _PAGES.fullmatch(back) else "/", 303)
    answer.set_cookie(name, value, max_age=_YEAR_S, httponly=True, samesite="lax")
    return answer
