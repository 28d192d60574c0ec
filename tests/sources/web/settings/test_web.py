from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.base.errors import BadAddress, BadSetting
from cormorant.model.content import Manner
from cormorant.model.settings.source import parse_settings
from cormorant.sources.web.settings.web import WebSettings

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


@pytest.mark.parametrize(
    ("rule", "limit"),
    [
        ("suffix:a.example", 100), ("host:*.a.example", 100), ("host:shop-*.a.example", 100),
        ("HOST: w*.a.example", 100),
        ("prefix:https://*.a.example/", 100), ("any", 100), ("regex:a", 100), ("host:a.example", None),
        ("prefix:https://a.example/*/x", None), ("path:/*", None), ("address:https://a.example/?*", None),
    ],
)  # fmt: skip
def test_hosts_are_limited_where_a_rule_lets_in_such_as_nobody_named(rule: str, limit: int | None) -> None:
    assert parse_settings(WebSettings, {**START, "include": rule}).host_limit == limit


def test_hosts_that_somebody_named_are_not_counted(tmp_path: Path) -> None:
    file = tmp_path / "starts"
    file.write_text("https://c.example/\n")
    include = ["host:Bücher.example:8080", "host:[::1]", "host:*.d.example", "suffix:e.example"]
    settings = parse_settings(WebSettings, {**START, "start_file": str(file), "include": include})
    assert settings.listed_hosts == {"a.example", "c.example", "xn--bcher-kva.example", "[::1]"}
    assert settings.named_hosts == [("a.example", 443), ("xn--bcher-kva.example", 8080), ("[::1]", 443)]
    file.unlink()
    assert settings.listed_hosts == {"a.example", "c.example", "xn--bcher-kva.example", "[::1]"}, "as it was"


def test_a_file_of_start_addresses_is_read_whole_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cormorant.sources.web.settings.web.MAX_START_FILE", 40)
    file = tmp_path / "starts"
    settings = parse_settings(WebSettings, {"start_file": str(file)})
    file.write_text("https://c.example/\nhttps://d.example/\n")
    assert settings.starts() == ["https://c.example/", "https://d.example/"]
    file.write_text("https://c.example/\nhttps://d.example/other\n")
    with pytest.raises(BadAddress, match="is larger than 40 bytes"):
        settings.starts()
    with pytest.raises(BadSetting, match="holds no NUL"):
        parse_settings(WebSettings, {"start_file": "a\0b"})


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("ca", "~nobody-of-this-name/x.pem", "there is no such user"),
        ("client_certificate", "~nobody-of-this-name/x.pem", "there is no such user"),
        ("max_size_bytes", "²MB", "valid integer"), ("max_size_bytes", "9" * 400 + "MB", "max_size_bytes"),
        ("max_size_bytes", ".MB", "valid integer"),
    ],
)  # fmt: skip
def test_what_nobody_means_is_refused_in_a_sentence(name: str, value: str, sentence: str) -> None:
    with pytest.raises(BadSetting, match=sentence):
        parse_settings(WebSettings, {**START, name: value})


def test_sizes_are_written_with_their_unit() -> None:
    sizes = [
        parse_settings(WebSettings, {**START, "max_size_bytes": each}).max_size_bytes for each in ("1.5 kB", ".5MB")
    ]
    assert sizes == [1500, 500_000]
