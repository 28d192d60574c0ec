"""Page layout: light or dark mode and its switch, the query, and the available filters.

Preferences are stored in cookies of the browser.
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
"""The theme to which each one switches. Without a choice the style sheet follows the system's theme."""

_YEAR_S = 365 * 86400
_PAGES = re.compile(
    r"/((advanced|explain|help|queries|status|takedowns)($|[?/])|search\?|documents/|cached/|duplicates/|mail/)[^\\]*"
)
"""Pages to which a switch may return besides home."""


def of(request: Request, counts: Mapping[str, int] | None, *, q: str = "", back: str = "") -> dict[str, Any]:
    """Values for the frame. Without `counts` no numbers are shown. `back` is the page to which a switch returns.

    `form` is the advanced form, filled with the query. `may` says whether a page may link to an address; `administers`
    whether it may link to the pages of operators.
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
    """The chosen theme, "" for the system's."""
    given = request.cookies.get("theme", "")
    return given if given in THEMES else ""


def _switch(to: str, back: str) -> str:
    return "/preferences/theme?" + urlencode({"to": to, "back": back})


def switched(request: Request, to: str, back: str) -> Response:
    """Store the chosen theme, and redirect back to a page of this server, never elsewhere.

    The cookie is sent with navigation from other origins too, so that people who follow a link to this server, or come
    back from a kept copy, see their theme.
    """
    chosen = to if to in THEMES else THEMES.get(request.cookies.get("theme", ""), "dark")
    return _preferred("theme", chosen, back)


def keyed(to: str, back: str) -> Response:
    """Store whether keyboard shortcuts are on, and redirect back."""
    return _preferred("keys", "off" if to == "off" else "on", back)


def _preferred(name: str, value: str, back: str) -> Response:
    answer = RedirectResponse(back if _PAGES.fullmatch(back) else "/", 303)
    answer.set_cookie(name, value, max_age=_YEAR_S, httponly=True, samesite="lax")
    return answer
