"""Which hosts a request may name."""

from __future__ import annotations

from typing import Any

import pytest

from cormorant.portal.guard import Guard
from tests.portal.visiting import Caller


async def _page(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


PAGES = Guard(_page, ["search.example.org", "[2001:db8::5]"])


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "127.0.0.1:80", "[::1]", "search.example.org", "SEARCH.example.ORG:8443", "search.example.org.",
        "192.0.2.9", "192.0.2.9:8765", "[2001:db8::5]:80", "[2001:DB8:0::5]",
    ],
)  # fmt: skip
def test_our_names_and_the_address_a_request_came_to_are_answered(host: str) -> None:
    assert Caller(PAGES).get("/", host=host).status == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "search.example.org.evil.example", "192.0.2.8", "192.0.2.9.nip.example", "[::2]", "[", "[x]",
     "0xC0000209", "3221225993"],
)  # fmt: skip
def test_others_are_not(host: str) -> None:
    got = Caller(PAGES).get("/", host=host)
    assert (got.status, "serve --name HOST" in got.body) == (421, True)
