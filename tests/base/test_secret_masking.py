"""Secrets in the forms in which somebody may write them down."""

from __future__ import annotations

import base64
import json
from threading import Thread
from urllib.parse import quote

import pytest

from cormorant.base import secret_masking
from cormorant.base.secret_masking import hide, masked, redacted

SECRET = 'pä"ss w/rd+1'


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_masking, "_hidden", ())


@pytest.mark.parametrize(
    "form", [SECRET, quote(SECRET, safe=""), base64.b64encode(f"anna:{SECRET}".encode()).decode(), repr(SECRET)[1:-1]]
)
def test_forms(form: str) -> None:
    hide(SECRET, "anna")
    assert masked(f"before {form} behind") == "before *** behind"


def test_json() -> None:
    hide(SECRET)
    assert "ss w" not in masked(json.dumps({"said": SECRET}))


def test_the_longer_one_goes_first() -> None:
    hide("secret")
    hide("secret-and-more")
    assert masked("secret-and-more, secret") == "***, ***"


def test_lines_of_a_key_are_hidden_one_by_one() -> None:
    hide("-----BEGIN-----\nabcdef\n-----END-----")
    assert masked("at abcdef") == "at ***"


def test_what_is_too_short_is_in_everything() -> None:
    hide("a")
    hide("")
    assert masked("a banana") == "a banana"


def test_nothing_shows_while_more_is_hidden() -> None:
    hide(SECRET)
    ended = list[bool]()

    def go_on() -> None:
        number = 0
        while not ended:
            hide(f"another one {number % 500}")
            number += 1

    others = Thread(target=go_on)
    others.start()
    try:
        shown = [text for text in (masked(SECRET) for _ in range(5_000)) if text != "***"]
    finally:
        ended.append(True)
        others.join()
    assert shown == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r'{"u": "https:\/\/anna:word@a.example\/x"}', r'{"u": "https:\/\/***@a.example\/x"}'),
        ('<a href="https://anna:wo@rd@a.example/">', '<a href="https://***@a.example/">'),
        ('<a href="//anna:word@a.example/">', '<a href="//***@a.example/">'),
        ("<a href=https&#58;//anna:word@a.example/>", "<a href=https&#58;//***@a.example/>"),
        ("url(https://anna:word&#64;a.example/i.png)", "url(https://***@a.example/i.png)"),
        ("?to=https%3A%2F%2Fanna%3Aword%40a.example%2F", "?to=https%3A%2F%2F***@a.example%2F"),
        (r'"/x?a=1\u0026token=word\u0026b=2"', r'"/x?a=1\u0026token=***\u0026b=2"'),
        ("/x?a=1&amp;token=word&amp;b=2", "/x?a=1&amp;token=***&amp;b=2"),
    ],
)
def test_what_lets_anybody_in_is_found_however_it_is_written(text: str, shown: str) -> None:
    assert redacted(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "see https://a.example, or ask bob@b.example",
        "https://a.example//lodash@4/index.js",
        "let a = 1; //@ts-ignore",
        "?to=https%3A%2F%2Fa.example%2F%40anna",
        r'"/x?a=1\u0026b=2"',
    ],
)
def test_what_lets_nobody_in_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize("part", ["://a", "a=b", "%3a%2f%2fa", "//", "=//a@", ":\\/\\/", "&a=b"])
def test_a_long_page_is_read_in_one_pass(part: str) -> None:
    assert redacted(part * 200_000 + "@").endswith("@")
