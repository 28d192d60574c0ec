from __future__ import annotations

import pytest

from cormorant.base.errors import BadSetting
from cormorant.model.content import Manner
from cormorant.model.settings import parse_settings
from cormorant.sources.web.settings import WebSettings

START = {"start": "https://a.example/"}


@pytest.mark.parametrize("name", ["user_agent", "contact"])
@pytest.mark.parametrize(
    "text", ["me\r\nX-Evil: 1", "me\n", "me\x00", "tab\there", "del\x7f", "nel\x85", "line\u2028", "Zoë", "x" * 1001]
)
def test_what_is_sent_in_a_header_is_a_line_of_printable_ascii(name: str, text: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse_settings(WebSettings, {**START, name: text})
    assert name in caught.value.sentence
    assert "leave out" in caught.value.sentence or "shorten it to 1,000" in caught.value.sentence


@pytest.mark.parametrize("name", ["user_agent", "contact"])
@pytest.mark.parametrize("text", ["", "Mozilla/5.0 (compatible; diver/1; +https://a.example/~me)", "x" * 1000])
def test_any_line_of_printable_ascii_is_taken(name: str, text: str) -> None:
    assert getattr(parse_settings(WebSettings, {**START, name: text}), name) == text


@pytest.mark.parametrize("token", ["", "a b", "diver/1.0", "diver2", "divér", "*", "a\n", "a\r\nX: 1", "x" * 1001])
def test_robots_txt_knows_us_by_a_product_token(token: str) -> None:
    with pytest.raises(BadSetting, match="robots_agent"):
        parse_settings(WebSettings, {**START, "robots_agent": token})


@pytest.mark.parametrize("token", ["cormorant", "My-Diver_bot"])
def test_a_product_token_has_letters_underscores_and_hyphens(token: str) -> None:
    assert parse_settings(WebSettings, {**START, "robots_agent": token}).agent_header == f"{token}/0.1"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        (
            "default_charset",
            "utf-7",
            "'utf-7' is no charset that web browsers know. Write one like windows-1251 or gbk",
        ),
        ("default_charset", "é\n", "no charset"),
        ("default_language", "deutsch!", "'deutsch!' is no language tag. Write one like de or pt-br"),
        ("links", "pictures", "links"),
    ],
)
def test_how_documents_are_read_is_refused_in_words(name: str, value: str, sentence: str) -> None:
    with pytest.raises(BadSetting, match=sentence):
        parse_settings(WebSettings, {**START, name: value})


def test_how_documents_are_read_reaches_their_reader() -> None:
    given = {**START, "default_charset": "KOI8-R", "default_language": "pt_BR", "links": ["forms"], "change_by": "main"}
    settings = parse_settings(WebSettings, given)
    assert (settings.manner, settings.default_language) == (
        Manner(main=True, charset="koi8-r", links=("forms",)),
        "pt-br",
    )
