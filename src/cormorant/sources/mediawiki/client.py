"""Client of the Action API of a MediaWiki: where it is, the login, its own errors.

https://www.mediawiki.org/wiki/API:Main_page; "formatversion=2" is the form of its answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Final, NamedTuple
from urllib.parse import urlencode

from cormorant.base.clock import Clock
from cormorant.model.status import Status
from cormorant.model.url import join
from cormorant.net.http.headers import retry_after
from cormorant.net.http.messages import Response
from cormorant.sources.json_api.client import ApiClient
from cormorant.sources.json_api.exchange import ApiFault, Exchange
from cormorant.sources.json_api.record import JsonRecord
from cormorant.sources.mediawiki.settings import ALL, MediaWikiSettings, title_key

FILE: Final = 6
"""The number of the namespace File."""
_MAXLAG_S: Final = 5
"""Seconds that copies of the wiki's database may lag behind; beyond, programs are to wait (API:Etiquette)."""
_BUSY: Final = frozenset(("maxlag", "ratelimited", "readonly"))
_EDIT_URI: Final = re.compile(rb"<link\b[^>]{0,2000}\brel\s*=\s*[\"']?EditURI\b[^>]{0,2000}>", re.IGNORECASE)
_HREF: Final = re.compile(rb"\bhref\s*=\s*(?:\"([^\"]{1,2000})\"|'([^']{1,2000})'|([^\s>\"']{1,2000}))", re.IGNORECASE)
_COOKIE: Final = re.compile(r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([^;\s\x00-\x1f]*)")
_PASSING: Final = re.compile(r"internal_api_error|dbquery|db-error|unknown_action_timeout|cirrussearch", re.IGNORECASE)


class Namespace(NamedTuple):
    """A namespace of a wiki. `names` are its names in any language, as they are compared."""

    number: int
    name: str
    names: frozenset[str]
    content: bool


class MediaWikiClient(ApiClient):
    """Asks the API of one wiki, as the user of the settings."""

    settings: MediaWikiSettings

    def __init__(self, settings: MediaWikiSettings, secret: str, password: str, clock: Clock) -> None:
        super().__init__(settings, secret, clock)
        self._password = password
        self._api = settings.url if settings.url.endswith("/api.php") else ""
        self._cookies: dict[str, str] = {}
        self._is_in = not settings.user
        self._refusal: ApiFault | None = None
        self._namespaces: dict[int, Namespace] = {}

    def credentials(self) -> tuple[str, ...]:
        """Return the token, or the cookies of the session."""
        return (*super().credentials(), *_cookie_line(self._cookies))

    def rest_s(self, got: Response) -> float | None:
        """Return the seconds to wait after an answer of a busy wiki (Manual:Maxlag parameter)."""
        if got.headers.get("mediawiki-api-error") in _BUSY:
            return retry_after(got.headers.get("retry-after"), self.clock.now()) or float(_MAXLAG_S)
        return super().rest_s(got)

    def refused(self) -> str:
        """Return the sentence about a login that the server refuses."""
        if self.settings.token:
            return "The token is refused. Keep a new one in the secret that `token` names."
        return "The wiki wants a login. Set user and password, of a bot password."

    def query(self, parameters: Mapping[str, object], body: Mapping[str, str] | None = None) -> Exchange[JsonRecord]:
        """Ask the API as the user; a long parameter stands in the body. Raises ApiFault."""
        yield from self.enter()
        try:
            return (yield from self._called(parameters, body))
        except ApiFault as fault:
            if not fault.login or not self.settings.user:
                raise
        self._is_in = False  # the session has ended
        yield from self.enter()
        return (yield from self._called(parameters, body))

    def page_address(self, title: str) -> str:
        """Return an address of a page that every wiki has, whatever its pages are called by."""
        return f"{self._api.rpartition('/')[0]}/index.php?{urlencode({'title': title.replace(' ', '_')})}"

    def absolute(self, reference: str) -> str:
        """Return the absolute form of an address that the API names, "" for none."""
        return next((each for _, each in join(self._api, [reference])), "")

    def enter(self) -> Exchange[None]:
        """Find the API and log in, where that is still to be done. Raises ApiFault; a refusal is not tried again.

        The session belongs to the settings' user when the login has ended, and to nobody else's requests before.
        """
        if self._refusal is not None:
            raise self._refusal
        if not self._api:
            self._api = yield from self._found()
        if self._is_in:
            return
        jar: dict[str, str] = {}
        tokens = yield from self._called({"action": "query", "meta": "tokens", "type": "login"}, jar=jar)
        token = tokens.record("query").record("tokens").text("logintoken")
        sent = {"lgname": self.settings.user, "lgpassword": self._password, "lgtoken": token}
        answer = yield from self._called({"action": "login"}, sent, jar=jar)
        result = answer.record("login").line("result")
        if result == "Throttled":
            raise ApiFault(429, "The wiki takes no more logins for a while.", wait_s=300.0, passing=True)
        if result != "Success":
            self._refusal = ApiFault(
                Status.LOGIN_FAILED,
                f"The wiki refuses the login of {self.settings.user!r}. Check user and password: a bot password, as "
                "Special:BotPasswords makes one, has a user like Ada@cormorant.",
                login=True,
            )
            raise self._refusal
        self._cookies, self._is_in = jar, True

    def namespaces(self) -> Exchange[dict[int, Namespace]]:
        """Return the namespaces of the wiki by their numbers; asked once."""
        if not self._namespaces:
            answer = yield from self.query(
                {"action": "query", "meta": "siteinfo", "siprop": "namespaces|namespacealiases"}
            )
            self._namespaces = _namespaces(answer.record("query"))
        return self._namespaces

    def chosen(self) -> Exchange[list[Namespace]]:
        """Return the namespaces that the settings name. Raises ApiFault for one that the wiki has not."""
        known = yield from self.namespaces()
        wanted = self.settings.namespaces
        if not wanted:
            return [each for each in known.values() if each.content or each.number == FILE]
        found: dict[int, Namespace] = {}
        for word in wanted:
            these = [each for each in known.values() if _is_called(each, word)]
            if not these:
                raise ApiFault(Status.NOT_FOUND, f"The wiki has no namespace {word!r}. Check the setting namespaces.")
            found |= {each.number: each for each in these}
        return list(found.values())

    def _called(
        self,
        parameters: Mapping[str, object],
        body: Mapping[str, str] | None = None,
        *,
        jar: dict[str, str] | None = None,
    ) -> Exchange[JsonRecord]:
        """Call the API once. A secret is sent in the body, since addresses stand in logs.

        `jar` has the cookies of a login that is under way.
        """
        asked: dict[str, object] = {**parameters, "format": "json", "formatversion": 2}
        if jar is None:
            asked |= {"maxlag": _MAXLAG_S} | ({"assert": "user"} if self.settings.user or self.settings.token else {})
        url = f"{self._api}?{urlencode(asked)}"
        sent = None if body is None else urlencode(body).encode()
        kind = () if body is None else ("Content-Type: application/x-www-form-urlencoded",)
        request = self.request(url, "Accept: application/json", *kind, body=sent)
        if jar is not None:
            others = (each for each in request.headers if not each.startswith("Cookie:"))
            request = request._replace(headers=(*others, *_cookie_line(jar)))
        response = yield from self.got(request)
        _keep_cookies(response, self._cookies if jar is None else jar)
        answer = JsonRecord(self.answer(response).value)
        if "error" in answer:
            raise _fault(answer.record("error"), self.settings)
        return answer

    def _found(self) -> Exchange[str]:
        """Find the API by the link that every page of a wiki has (EditURI), a missing one too. Raises ApiFault."""
        response = yield from self.got(self.request(f"{self.settings.url}/"), whatever=True)
        link = _EDIT_URI.search(response.body[: 1 << 20])
        if link is None:
            self.judge(response, ())
        href = _HREF.search(link[0]) if link else None
        text = unescape(next(filter(None, href.groups()), b"").decode("utf-8", "replace")) if href else ""
        target = next((each for _, each in join(self.settings.url, [text])), "").partition("?")[0]
        if not target or not self.is_own(target):
            raise ApiFault(
                Status.NOT_FOUND,
                "No API of a MediaWiki was found there. Set url to the address of its api.php, as Special:Version "
                "shows it.",
            )
        return target


def _cookie_line(jar: Mapping[str, str]) -> tuple[str, ...]:
    """Return the header line that sends the cookies, none where there are none."""
    cookies = "; ".join(f"{name}={value}" for name, value in jar.items())
    return (f"Cookie: {cookies}",) if cookies else ()


def _keep_cookies(response: Response, jar: dict[str, str]) -> None:
    """Keep the cookies that a response sets, and forget those that it ends."""
    for field in response.headers.all("set-cookie"):
        found = _COOKIE.match(field)
        if found is None:
            continue
        if found[2] in ("", "deleted"):
            jar.pop(found[1], None)
        elif len(jar) < 50 and len(found[2]) < 4_096:
            jar[found[1]] = found[2]


def _fault(error: JsonRecord, settings: MediaWikiSettings) -> ApiFault:
    """Return the fault of an error that the API names (API:Errors and warnings)."""
    code = error.line("code")
    if code in _BUSY:
        return ApiFault(503, f"The wiki is busy ({code}).", wait_s=float(_MAXLAG_S), passing=True, whole_site=True)
    if code in ("missingtitle", "nosuchpageid", "nosuchrevid"):
        return ApiFault(404, "The wiki has no such page.")
    if code.startswith("assert"):
        return ApiFault(401, "The wiki does not know the user any more.", login=True)
    if code in ("readapidenied", "permissiondenied") or code.endswith("-denied"):
        hint = "Give the user the right to read." if settings.user or settings.token else "Set user and password."
        return ApiFault(403, f"The wiki does not let it be read. {hint}")
    if code.startswith("mwoauth"):
        return ApiFault(401, "The token is refused. Keep a new one in the secret that `token` names.", login=True)
    passing = _PASSING.match(code) is not None
    return ApiFault(500 if passing else 400, f"The wiki answers with the error {code[:80]!r}.", passing=passing)


def _namespaces(answer: JsonRecord) -> dict[int, Namespace]:
    names: dict[int, set[str]] = {}
    for alias in answer.records("namespacealiases"):
        names.setdefault(alias.number("id"), set()).add(title_key(alias.text("alias")))
    found: dict[int, Namespace] = {}
    table = answer.record("namespaces")
    for key in table.members:
        each = table.record(key)
        number = each.number("id")
        own = {title_key(each.text("name")), title_key(each.text("canonical")), str(number)} - {""}
        every = frozenset(own | names.get(number, set()) | ({"main"} if number == 0 else set()))
        if number >= 0:
            found[number] = Namespace(number, each.line("name"), every, each.flag("content"))
    return found


def _is_called(namespace: Namespace, word: str) -> bool:
    if title_key(word) == ALL:
        return namespace.number % 2 == 0
    return title_key(word) in namespace.names
