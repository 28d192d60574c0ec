"""Session of a source: the credentials and cookies that it carries from one request to the next.

    facts of the site -> Session.offer -> request -> answer -> Session.heard -> once more? learned facts

One a source and process. Cookies come from whoever had the site before, and go to whoever has it next.
"""

from __future__ import annotations

from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.base.lru_cache import LruCache
from cormorant.model.content import VisitTrace
from cormorant.model.url import Origin, path_of
from cormorant.net.http.messages import Response
from cormorant.sources.protocol import Secrets
from cormorant.sources.web.auth.cookies import Jar
from cormorant.sources.web.auth.credentials import NOTHING, Offer, WebAccess
from cormorant.sources.web.settings.web import WebSettings

KEPT_EVERY_S = 2.0
"""Cookies that change with every page are not kept with every page."""
MOST_SITES = 4_096
_log = logger(__name__)


class Session:
    """Offers and cookies of one source. `run` is the run it is of, 0 for none.

    `secrets` is None for a source that sends nothing or needs nothing; else raises what `WebAccess` raises.
    """

    def __init__(self, number: int, settings: WebSettings, secrets: Secrets | None, run: int = 0) -> None:
        self._name = f"cookies:{number}"
        self._secrets = secrets
        self._access: WebAccess | None = None
        if secrets is not None and not settings.usual:
            self._access = WebAccess(settings, settings.starts(), secrets.reveal)
        self._jar = Jar(run, lasting=settings.cookies == "on") if settings.cookies != "off" else None
        self._loaded: LruCache[bytes] = LruCache(MOST_SITES, 0)
        self._unkept: dict[str, float] = {}
        self._kept: LruCache[float] = LruCache(MOST_SITES, 0)
        self._is_reported = False

    def offer(self, origin: Origin, address: str, wire: VisitTrace, now: float) -> Offer:
        """Return what a request carries besides the common lines; set the credential in `wire`."""
        offer = NOTHING
        if self._access is not None:
            offer = self._access.offer(origin, address)
            wire.credential = offer.said
            wire.offered = offer.identifies
        line = self.cookies(origin, address, wire, now)
        return offer._replace(lines=(*offer.lines, f"Cookie: {line}")) if line else offer

    def cookies(self, origin: Origin, address: str, wire: VisitTrace, now: float) -> str:
        """The Cookie field that a request carries, "" for none."""
        if self._jar is None:
            return ""
        kept = wire.facts.get(self._name)
        if kept is not None:
            self._load(kept, wire.site, now)
        return self._jar.header(origin, path_of(address), now) if self._jar.used else ""

    def heard(self, asked: tuple[Origin, str], answer: Response, offer: Offer, wire: VisitTrace, now: float) -> bool:
        """Take an answer into account. Returns whether the request is to be sent once more with another offer."""
        origin, address = asked
        if self._jar is not None:
            if "set-cookie" in answer.headers:
                values = answer.headers.all("set-cookie")
                if self._jar.take(origin, path_of(address), values, now, wire.site):
                    self._unkept.setdefault(wire.site, now)
            if self._unkept:
                self._keep(wire, now)
        if answer.status != 401 or self._access is None:
            return False
        return self._access.challenged(origin, address, answer, offer)

    def _load(self, kept: bytes, site: str, now: float) -> None:
        """Take over what the store has of a site, once for each time it is leased."""
        if self._jar is None or self._loaded.get(site) is kept:
            return
        self._loaded.put(site, kept)
        plain = self._secrets.unseal(kept) if self._secrets is not None else None
        if plain is not None:
            self._jar.load(plain, site, now)

    def _keep(self, wire: VisitTrace, now: float) -> None:
        """Have what changed at the site kept, unless that was done a moment ago."""
        site = wire.site
        if self._jar is None or self._secrets is None or site not in self._unkept:
            return
        if now - (self._kept.get(site) or 0.0) < KEPT_EVERY_S:
            return
        del self._unkept[site]
        self._kept.put(site, now)
        data, holds_s = self._jar.dump(site, now)
        try:
            wire.learned.append((self._name, self._secrets.seal(data), holds_s))
        except (CormorantError, OSError) as error:  # they hold for as long as this process has the site
            if not self._is_reported:
                self._is_reported = True
                _log.warning("cookies_not_kept", extra={"site": site, "reason": str(error)})
