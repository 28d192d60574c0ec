"""Secrets in the forms in which somebody may write them down."""

from __future__ import annotations

import base64
import json
from threading import Thread
from urllib.parse import quote

import pytest

from cormorant.base import masking
from cormorant.base.masking import hide, masked

SECRET = 'pä"ss w/rd+1'


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masking, "_hidden", ())


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
