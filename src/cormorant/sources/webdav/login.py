"""Login of a WebDAV source: Digest where the server offers it, else Basic."""

from __future__ import annotations

import base64
from typing import Final

from cormorant.base.clock import random_token
from cormorant.base.errors import LoginRefused
from cormorant.model.url import path_of
from cormorant.net.http import digest
from cormorant.net.http.digest import Challenge, DigestRequest
from cormorant.net.http.messages import Request, Response

_DIGEST: Final = "Authorization: Digest "


class DavLogin:
    """Header lines that prove who asks. Over TLS the password is sent at once, else in the form that is asked for."""

    def __init__(self, user: str, password: str, place: str) -> None:
        self._user, self._password, self._place = user, password, place
        self._basic = place.startswith("https:") and bool(user)
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

    def refusal(self, response: Response) -> Exception | None:
        """Return that the login was refused, where there is one."""
        if response.status != 401 or not self._user:
            return None
        return LoginRefused(f"{self._place} refuses the login of user {self._user!r}. Check user and password.")

    def challenged(self, response: Response, sent: tuple[str, ...]) -> bool:
        """Learn what the server asks for; return whether the lines that were sent did not try that yet.

        Requests are under way beside one another: another one may have learnt it since these lines were made.
        """
        if response.status != 401 or not self._user:
            return False
        fields = response.headers.all("www-authenticate")
        found = digest.challenge_of(fields)
        if found is None:
            self._basic = self._basic or "basic" in digest.schemes(fields)
            return self._basic and not sent
        current = self._challenge
        if not any(line.startswith(_DIGEST) for line in sent) or found.stale or current is None:
            self._challenge, self._times = found, 0
            return True
        return not any(f'nonce="{current.nonce}"' in line for line in sent)
