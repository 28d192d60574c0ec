"""Settings of the installation that name an Apache Tika server, and what cannot be one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.app import settings
from cormorant.base.errors import BadSetting


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("http://127.0.0.1:9998", "http://127.0.0.1:9998"), ("http://tika:9998/", "http://tika:9998"),
        ("https://Tools.example.org/tika/", "https://tools.example.org/tika"), ("", ""),
    ],
)  # fmt: skip
def test_the_address_of_a_tika_server(monkeypatch: pytest.MonkeyPatch, given: str, kept: str) -> None:
    monkeypatch.setenv("CORMORANT_TIKA", given)
    assert settings.load(None).tika == kept


@pytest.mark.parametrize(
    "given", ["127.0.0.1:9998", "ftp://tika/", "http://", "http://tika:99999/", "http://tika/?a=b", "tika"]
)
def test_what_is_no_address(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("CORMORANT_TIKA", given)
    with pytest.raises(BadSetting, match="it takes the address of an Apache Tika server, like http://127"):
        settings.load(None)


def test_a_password_in_the_address_is_refused_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORMORANT_TIKA", "http://ada:plover@tika:9998/")
    with pytest.raises(BadSetting, match="without a user name") as error:
        settings.load(None)
    assert "plover" not in error.value.sentence


def test_types_are_named_in_the_environment_or_in_a_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = tmp_path / "cormorant.toml"
    config.write_text('[installation]\ntika_types = ["default", "audio/*"]\n')
    assert settings.load(config).tika_types == "default, audio/*"
    monkeypatch.setenv("CORMORANT_TIKA_TYPES", "application/pdf")
    assert settings.load(config).tika_types == "application/pdf"


@pytest.mark.parametrize(("given", "why"), [("audio", "is no media type"), ("text/html", "would not find the links")])
def test_what_is_no_type_says_so(monkeypatch: pytest.MonkeyPatch, given: str, why: str) -> None:
    monkeypatch.setenv("CORMORANT_TIKA_TYPES", given)
    with pytest.raises(BadSetting, match=f"The setting CORMORANT_TIKA_TYPES cannot be used: .*{why}"):
        settings.load(None)
