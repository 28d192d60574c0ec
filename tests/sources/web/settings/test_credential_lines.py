"""What an administrator writes of access: read as it was meant, or refused without a word of what may be a secret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trustme

from cormorant.base.errors import BadSetting
from cormorant.model.settings.source import parse_settings
from cormorant.sources.web.settings import credential_lines
from cormorant.sources.web.settings.credential_lines import Authority, Certificate, Credential, CredentialScope, Header
from cormorant.sources.web.settings.web import WebSettings

HOME = "https://wiki.example"
TYPED = "hunter2-typed-in-clear"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (f"{HOME} basic anna secret:wiki", Credential(CredentialScope(HOME), "basic", "anna", "wiki")),
        (
            f"{HOME}:443/team digest 'anna b' secret:w.1",
            Credential(CredentialScope(HOME, "/team"), "digest", "anna b", "w.1"),
        ),
        ("http://a:8080/ bearer secret:t", Credential(CredentialScope("http://a:8080"), "bearer", "", "t")),
        (f"{HOME} header X-Key secret:t", Credential(CredentialScope(HOME), "header", "X-Key", "t")),
        ("BASIC anna secret:wiki", Credential(CredentialScope(""), "basic", "anna", "wiki")),
    ],
)
def test_credentials(text: str, meant: Credential) -> None:
    assert credential_lines.credential(text) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("X-Tenant: blue", Header(CredentialScope(""), "X-Tenant", "blue", "")),
        (f"{HOME} X-Key:secret:k", Header(CredentialScope(HOME), "X-Key", "", "k")),
        ("Accept-Language: de, en;q=0.5", Header(CredentialScope(""), "Accept-Language", "de, en;q=0.5", "")),
    ],
)
def test_headers(text: str, meant: Header) -> None:
    assert credential_lines.header(text) == meant


def test_certificates_and_authorities() -> None:
    assert credential_lines.certificate(f"{HOME} /a.pem /k.pem secret:p") == Certificate(
        CredentialScope(HOME), "/a.pem", "/k.pem", "", "p"
    )
    assert credential_lines.certificate("secret:pem secret:p") == Certificate(CredentialScope(""), "", "", "pem", "p")
    assert credential_lines.authority("/ca.pem") == Authority(CredentialScope(""), "/ca.pem", "")
    pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    for text in ("00" * 32, ":".join(["00"] * 32), pin.removeprefix("sha256//"), pin.removeprefix("sha256")):
        assert credential_lines.authority(f"{HOME} sha256:{text}") == Authority(CredentialScope(HOME), "", pin)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"credentials": [f"{HOME} basic anna {TYPED}"]}, "keep it with `cormorant secret add NAME`"),
        ({"credentials": [f"{HOME} basic anna secret:{TYPED}!"]}, "a secret is never written here"),
        ({"credentials": [f"https://anna:{TYPED}@wiki.example basic anna secret:x"]}, "no user name in it"),
        ({"credentials": [f"{HOME} basic anna"]}, "basic is written: basic USER secret:NAME"),
        ({"credentials": [f"{HOME} ntlm anna secret:x"]}, "basic, digest, bearer or header"),
        ({"credentials": ["wiki.example basic anna secret:x"]}, "basic, digest, bearer or header"),
        ({"credentials": ["ftp://wiki.example basic anna secret:x"]}, "is not an origin"),
        ({"credentials": [f"{HOME} basic an:na secret:x"]}, "no colon"),
        ({"credentials": [f"{HOME} header Cookie secret:x"]}, "the setting cookies"),
        ({"credentials": [f"{HOME} header Host secret:x"]}, "belongs to the connection"),
        ({"credentials": [f"{HOME} bearer secret:x", f"{HOME} bearer {TYPED}"]}, "in entry 2"),
        ({"credentials": [f"{HOME} basic 'anna secret:x"]}, "quotation mark is not closed"),
        ({"headers": ["Host: x"]}, "belongs to the connection"),
        ({"headers": [f"Authorization: {TYPED}"]}, "the setting credentials"),
        ({"headers": [f"Cookie: {TYPED}"]}, "the setting cookies"),
        ({"headers": ["User-Agent: x"]}, "user_agent"),
        ({"headers": ["X Y: z"]}, "header"),
        ({"headers": [f"X-Key: {TYPED}\r\nX: y"]}, "a header is written"),
        ({"headers": [f"X-Key: {TYPED}\x07"]}, "printable ASCII"),
        ({"headers": [f"{HOME}/path X: y"]}, "leave out the path"),
        ({"proxy": f"http://anna:{TYPED}@proxy:3128"}, "proxy_login"),
        ({"proxy": "socks5://proxy:1"}, "http://HOST:PORT"),
        ({"proxy": "http://proxy:1", "proxy_login": f"anna {TYPED}"}, "a secret is never written here"),
        ({"proxy_login": "anna secret:x"}, "of no use without proxy"),
        ({"proxy": "http://proxy:1", "proxy_exceptions": ["http://x/"]}, "no host, no .suffix and no network"),
        ({"client_certificate": [f"{HOME} /nowhere/me.pem"]}, "/nowhere/me.pem cannot be read"),
        ({"ca": ["/nowhere/ca.pem"]}, "/nowhere/ca.pem cannot be read"),
        ({"ca": ["sha256:00"]}, "64 hexadecimal digits"),
        ({"ca": [f"{HOME} /nowhere/ca.pem"]}, "trusted by the whole source"),
        ({"cookies": "maybe"}, "cookies"),
        ({"start": [f"https://anna:{TYPED}@wiki.example/"]}, "the setting credentials"),
    ],
)
def test_what_is_wrong_is_told_without_the_secret(given: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as raised:
        parse_settings(WebSettings, {"start": [HOME], **given})
    assert words in raised.value.sentence
    assert TYPED not in raised.value.sentence
    assert f"{next(reversed(given))}" in raised.value.sentence or "of no use" in words


def test_a_file_that_is_no_certificate(tmp_path: Path) -> None:
    key = tmp_path / "key.pem"
    trustme.CA().issue_cert("x.example").private_key_pem.write_to_path(str(key))
    for text, words in ((str(key), "holds no certificate"), (__file__, "is no PEM file")):
        with pytest.raises(BadSetting, match=words):
            parse_settings(WebSettings, {"start": [HOME], "ca": [text]})


def test_files_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ca = trustme.CA()
    ca.cert_pem.write_to_path("our ca.pem")
    ca.issue_cert("x.example").private_key_and_cert_chain_pem.write_to_path("me.pem")
    settings = parse_settings(WebSettings, {
        "start": [HOME], "ca": ["'our ca.pem'", f"{HOME} sha256:{'00' * 32}"],
        "client_certificate": [f"{HOME} me.pem secret:p"],
    })  # fmt: skip
    assert [credential_lines.authority(each).file for each in settings.ca] == [str(tmp_path / "our ca.pem"), ""]
    assert credential_lines.certificate(settings.client_certificate[0]) == Certificate(
        CredentialScope(HOME), str(tmp_path / "me.pem"), "", "", "p"
    )
    assert parse_settings(WebSettings, {"start": [HOME], "ca": settings.ca}).ca == settings.ca


def test_the_secrets_that_are_needed() -> None:
    settings = parse_settings(WebSettings, {
        "start": [HOME], "credentials": [f"{HOME} bearer secret:a"], "headers": ["X: secret:b", "Y: plain"],
        "client_certificate": ["secret:c secret:d"], "proxy": "http://p:1", "proxy_login": "u secret:e",
    })  # fmt: skip
    assert settings.secrets == {"a", "b", "c", "d", "e"}
    assert not settings.usual
    assert parse_settings(WebSettings, {"start": [HOME], "cookies": "session"}).usual
