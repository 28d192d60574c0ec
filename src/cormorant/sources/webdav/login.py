"""Login of a WebDAV source: Digest where the server offers it, else Basic."""

from __future__ import annotations

import base64

from cormorant.base.clock import random_token
from cormorant.model.url import path_of
from cormorant.net.http import digest
from cormorant.net.http.digest import Challenge, DigestRequest
from cormorant.net.http.messages import Request, Response


class DavLogin:
    """Header lines that prove who asks. Over TLS the password is sent at once, else in the form that is asked for."""

    def __init__(self, user: str, password: str, *, over_tls: bool) -> None:
        self._user, self._password = user, password
        self._basic = over_tls and bool(user)
        self._challenge: Challenge | None = None
        self._times = 0

    def lines(self, request: Request) -> tuple[str, ...]:
        """Return the Authorization of a request."""
        if self._challenge is not None:
            self._times += 1
            asked = DigestRequest(path_of(request.url), self._times, random_token(8), request.method or "GET")
            return (f"Authorization: {digest.answer(self._challenge, self._user, self._password, asked)}",)
        if self._basic:
            pair = base64.b64encode(f"{self._user}:{self._password}".encode()).decode()
            return (f"Authorization: Basic {pair}",)
        return ()

    def challenged(self, response: Response) -> bool:
        """Learn what the server asks for; return whether that was not tried yet."""
        if response.status != 401 or not self._user:
            return False
        fields = response.headers.all("www-authenticate")
        found = digest.challenge_of(fields)
        if found is not None:
            is_new = self._challenge is None or (found.stale and found.nonce != self._challenge.nonce)
            self._challenge, self._times = found, 0
            return is_new
        if "basic" in digest.schemes(fields) and not self._basic:
            self._basic = True
            return True
        return False
