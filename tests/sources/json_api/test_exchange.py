"""Waits, retries and redirects of exchanges; records whose members may be anything; settings of every such kind."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.base.errors import BadSetting
from cormorant.net.http.headers import Headers
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.plugins import source_settings
from cormorant.sources.json_api import exchange
from cormorant.sources.json_api.client import page_links
from cormorant.sources.json_api.cursor import DeltaCursor
from cormorant.sources.json_api.exchange import MOST_WAITED_S, DiscoverySession, Exchange
from cormorant.sources.json_api.record import JsonRecord, moment_of, parse_json
from cormorant.sources.json_api.source import shown
from tests.clocks import Hands

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=9,
)


def one(request: Request) -> Exchange[int]:
    got = yield request
    return got.status


def follow(answers: list[Response | TransportError], rest: float | None = None, delay: float = 0.0) -> tuple[int, int]:
    """Return the status that an exchange ends with, and how many requests were sent."""
    clock, sent = Hands(), list[Request]()

    def send(request: Request) -> Response | TransportError:
        sent.append(request)
        return answers.pop(0) if len(answers) > 1 else answers[0]

    session = DiscoverySession(send, lambda got: rest if got.status == 429 else None, lambda: delay, clock)
    waiting = session.follow(one(Request("https://a.example/")))
    try:
        while True:
            assert next(waiting) == ()
    except StopIteration as stop:
        return stop.value, len(sent)


def response(status: int) -> Response:
    return Response(status, f"HTTP/1.1 {status}", b"", b"", 0)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    monkeypatch.setattr(exchange, "pause", waited.append)
    return waited


def test_a_limit_is_waited_for_in_steps(pauses: list[float]) -> None:
    assert follow([response(429), response(429), response(200)], 5.0) == (200, 3)
    assert pauses == [2.0, 2.0, 1.0] * 2


@pytest.mark.parametrize("rest", [0.0, 7.0, 1e9])
def test_a_server_that_always_asks_for_patience_is_not_waited_for_without_end(pauses: list[float], rest: float) -> None:
    status, sent = follow([response(429)], rest)
    assert status == 429
    assert sent <= MOST_WAITED_S + 1
    assert sum(pauses) <= MOST_WAITED_S


def test_faults_that_may_pass_are_tried_again_and_others_are_not(pauses: list[float]) -> None:
    broken = TransportError(1002, "It broke off.", retryable=True)
    assert follow([response(503), broken, response(200)]) == (200, 3)
    assert sum(pauses) == 12.0
    assert follow([response(500)]) == (500, 4)
    for status in (400, 401, 403, 404, 501):
        assert follow([response(status)]) == (status, 1)
    assert follow([TransportError(906, "Refused.", retryable=True)]) == (906, 1)


def test_the_delay_of_the_source_is_kept_between_requests(pauses: list[float]) -> None:
    follow([response(500)], delay=40.0)
    assert sum(pauses) == 42.0 + 3 * 40.0


@given(JSON)
def test_members_of_any_type_are_read(value: object) -> None:
    record = JsonRecord(value)
    for name in "abc":
        assert record.text(name).encode() is not None
        assert isinstance(record.number(name), int)
        assert len(record.lines(name)) <= 500
        assert all(record.names(name, "a"))
        record.at(name)


def test_json_that_cannot_be_read() -> None:
    for text in (b"", b"{", b"[" * 100_000, b"1" * 5_000, b'{"a": }'):
        with pytest.raises(ValueError, match=r".+"):
            parse_json(text)
    assert JsonRecord(parse_json(b'{"a": "x\\ud800y", "b": "\xff"}')).text("a") == "x?y"


def test_moments() -> None:
    assert moment_of("2026-01-01T00:00:00Z") == moment_of("2026-01-01T01:00:00+01:00") == 1767225600.0
    assert moment_of("2026-01-01") == 1767225600.0
    assert [moment_of(each) for each in ("", "yesterday", "2026-13-01", "0" * 99)] == [None] * 4


def test_addresses_of_pages() -> None:
    field = (
        b'Link: <https://a.example/x?page=2&q=a,b>; rel="next", </x?page=9>; title="next"; rel=last, <y>; rel="prev"'
    )
    headers = Headers(field + b"\r\n")
    assert page_links(headers, "https://a.example/z") == {
        "next": "https://a.example/x?page=2&q=a,b", "last": "https://a.example/x?page=9",
    }  # fmt: skip


def test_addresses_that_readers_are_led_to() -> None:
    assert shown("https://a.example/x y") == "https://a.example/x%20y"
    assert [shown(each) for each in ("", "javascript:x", "ftp://a/", "https://a/" + "x" * 2_000)] == [""] * 4


def test_a_cursor_is_of_one_place() -> None:
    text = str(DeltaCursor("here", 1.5, False, {"a": {"since": "x"}}))
    kept = DeltaCursor.of(text, "here")
    assert kept == DeltaCursor("here", 1.5, False, {"a": {"since": "x"}})
    assert [DeltaCursor.of(each, "there") for each in ("", text, "{", "[]")] == [None] * 4


@pytest.mark.parametrize(
    ("url", "network", "fine"),
    [
        ("https://wiki.example", [], True),
        ("http://wiki.example", [], False),
        ("http://wiki.example", ["private"], True),
        ("http://127.0.0.1", [], True),
        ("http://10.1.2.3", [], True),
        ("http://8.8.8.8", [], False),
    ],
)
def test_a_login_goes_over_http_inside_only(url: str, network: list[str], *, fine: bool) -> None:
    given = {"url": url, "network": network, "token": "secret:wiki"}
    if fine:
        assert source_settings("mediawiki", given).secrets == {"wiki"}
    else:
        with pytest.raises(BadSetting, match="could be read on the way"):
            source_settings("mediawiki", given)
    source_settings("mediawiki", {"url": url})
