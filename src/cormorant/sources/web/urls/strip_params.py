"""Stripping of the parts of a URL that say nothing about the page.

Session ids, marks of advertisers, the order of a query.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cormorant.base.errors import BadRule

SESSIONS = (
    "jsessionid", "phpsessid", "phpsessionid", "aspsessionid*", "asp.net_sessionid", "cfid", "cftoken", "oscsid",
    "zenid", "mscssid", "xtcsid", "osadminid",
)  # fmt: skip
"""Names that only session ids have."""
PERHAPS_SESSIONS = ("sid", "sessid", "session", "sessionid", "session_id", "session-id", "ssid")
"""Names that session ids have, and other things: decided by the look of the value."""
TRACKING = (
    "utm_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid", "fbclid", "msclkid", "yclid", "ysclid",
    "twclid", "ttclid", "li_fat_id", "igshid", "epik", "rdt_cid", "irclickid", "mc_cid", "mc_eid", "mkt_tok", "_ga",
    "_gl", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "vero_id", "wickedid", "oly_anon_id",
    "oly_enc_id", "_openstat", "mtm_*", "pk_campaign", "pk_kwd", "pk_source", "pk_medium", "piwik_campaign",
    "piwik_kwd",
)  # fmt: skip
"""Names by which advertisers and counters tell where a reader came from."""
GROUPS = {"sessions": SESSIONS, "tracking": TRACKING}
NOTHING = "off"

_COOKIELESS = re.compile(r"/\((?:[A-Z]\([\w-]+\))+\)(?=[/?]|$)")
"""ASP.NET puts its session into the path: `/(S(4jkl...))/page.aspx`."""
_TOKEN = re.compile(r"(?=.*\d)(?:[0-9A-Za-z]{16,}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})")
"""The form of a session id: sixteen letters and digits or more, or a UUID."""
_SIGNED = re.compile(r"[?&](?:x-amz-signature|signature|sig|hmac)=", re.IGNORECASE)
"""A signature of a query may cover its order."""
_NAME = re.compile(r"!?[^\s=&;?#/!*]+\*?")


class Stripping:
    """The parameters of a URL that are stripped, and whether the others are sorted."""

    def __init__(self, names: Sequence[str], *, sort: bool) -> None:
        """Raises BadRule that names what is no name of a parameter."""
        stripped, perhaps, kept = _read(names)
        self._sort, self._sessions = sort, "sessions" in names
        self._stripped, self._perhaps, self._kept = any_of(stripped), any_of(perhaps), any_of(kept)
        every = [*stripped, *perhaps]
        self._suspect = re.compile(rf"[?&;](?:{_by_letter(every)})(?:[=&;/?]|$)") if every else None

    def of(self, address: str) -> tuple[str, str]:
        """The address without what says nothing, and what was done, "" for nothing."""
        query = "?" in address
        if not query and ";" not in address and "(" not in address:
            return address, ""
        done: list[str] = []
        if self._suspect is not None and self._suspect.search(address.lower()):
            address = self._strip(address, done)
        if self._sessions and "(" in address:
            address = self._cookieless(address, done)
        if query and self._sort and "&" in address:
            address = _sorted(address, done)
        return address, "; ".join(done)

    def _strip(self, address: str, done: list[str]) -> str:
        path, mark, query = address.partition("?")
        gone: list[str] = []
        if ";" in path:
            path = "/".join(self._kept_of(segment, ";", gone, first=True) for segment in path.split("/"))
        if mark:
            query = self._kept_of(query, "&", gone)
        if not gone:
            return address
        done.append(f"strip_parameters: {', '.join(gone)}")
        return f"{path}?{query}" if query else path

    def _kept_of(self, text: str, separator: str, gone: list[str], *, first: bool = False) -> str:
        """Return the kept part of a query, or of a segment with parameters whose first piece is a name."""
        kept = []
        for place, piece in enumerate(text.split(separator)):
            name, _, value = piece.partition("=")
            if (place == 0 and first) or not self._goes(name, value):
                kept.append(piece)
            else:
                gone.append(name)
        return separator.join(kept)

    def _goes(self, name: str, value: str) -> bool:
        if self._kept and self._kept.fullmatch(name):
            return False
        if self._stripped and self._stripped.fullmatch(name):
            return True
        return bool(self._perhaps and self._perhaps.fullmatch(name) and _TOKEN.fullmatch(value))

    @staticmethod
    def _cookieless(address: str, done: list[str]) -> str:
        path, mark, query = address.partition("?")
        start = path.find("/", 8)
        bare = path[:start] + (_COOKIELESS.sub("", path[start:]) or "/") if start >= 0 else path
        if bare == path:
            return address
        done.append("strip_parameters: (S(...))")
        return bare + mark + query


def _sorted(address: str, done: list[str]) -> str:
    """Sort parameters by name, those of one name in their own order. A query without NAME=VALUE stays as it is."""
    path, mark, query = address.partition("?")
    pieces = query.split("&")
    if not all("=" in piece for piece in pieces):
        return address
    ordered = sorted(pieces, key=lambda piece: piece.partition("=")[0])
    if ordered == pieces or _SIGNED.search(address):
        return address
    done.append("sort_query")
    return path + mark + "&".join(ordered)


def _read(names: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Names that are stripped, those stripped where their value looks like it, and those that never are."""
    stripped, perhaps, kept = list[str](), list[str](), list[str]()
    for name in names:
        if name == NOTHING:
            if len(names) > 1:
                raise BadRule(f"strip_parameters is {NOTHING!r}, or names what is stripped: leave out one of them.")
        elif name in GROUPS:
            stripped += GROUPS[name]
            perhaps += PERHAPS_SESSIONS if name == "sessions" else ()
        elif _NAME.fullmatch(name) is None:
            raise BadRule(
                f"strip_parameters cannot be {name!r}: write the name of a parameter, like ref, a beginning, like "
                f"ad_*, one to keep, like !sid, or {', '.join([*GROUPS, NOTHING])}."
            )
        elif name.startswith("!"):
            kept.append(name[1:])
        else:
            stripped.append(name)
    return stripped, perhaps, kept


def _pattern(name: str) -> str:
    bare = re.escape(name.removesuffix("*"))
    return bare + "[^=&;/?]*" if name.endswith("*") else bare


def _by_letter(names: Sequence[str]) -> str:
    """One alternative a first letter: three times as fast as one a name, which counts for every link with a query."""
    letters: dict[str, list[str]] = {}
    for name in names:
        letters.setdefault(name[0].lower(), []).append(_pattern(name.lower())[len(re.escape(name[0])) :])
    return "|".join(f"{re.escape(letter)}(?:{'|'.join(rest)})" for letter, rest in letters.items())


def any_of(names: Sequence[str]) -> re.Pattern[str] | None:
    """Return a pattern for any of these names, where a final star stands for any rest; None without names."""
    return re.compile("|".join(_pattern(name) for name in names), re.IGNORECASE) if names else None
