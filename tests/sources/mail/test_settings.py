"""Settings of a mail source: what is refused, and the sentence that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.base.errors import BadSetting, Unreachable
from cormorant.model.settings.source import parse_settings
from cormorant.sources.mail.settings import MailSettings, doubts
from cormorant.sources.mail.source import MailSource

ACCOUNT = {"url": "imaps://mail.example.org", "user": "ada", "password": "secret:mail"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Set either url"),
        ({**ACCOUNT, "path": "/srv/mail"}, "Set either url"),
        ({"url": "imaps://mail.example.org"}, "set user, and password=secret:NAME"),
        ({**ACCOUNT, "url": "https://mail.example.org"}, "names no IMAP server"),
        ({**ACCOUNT, "url": "imaps://mail.example.org:99999"}, "names no IMAP server"),
        ({**ACCOUNT, "url": "imaps://[::1"}, "names no IMAP server"),
        ({**ACCOUNT, "url": "imaps://ada:hunter2@mail.example.org"}, "the user name is set by user"),
        ({**ACCOUNT, "url": "imaps://mail.example.org/INBOX"}, "folders are set by folders"),
        ({**ACCOUNT, "password": "hunter2"}, "a secret is never written here"),
        ({**ACCOUNT, "user": "ada\r\nx"}, "no control characters"),
        ({**ACCOUNT, "display_url": "https://x/{nothing}"}, "it takes {message_id}"),
        ({**ACCOUNT, "display_url": "https://x/{message_id.x}"}, "it takes {message_id}"),
        ({**ACCOUNT, "display_url": "javascript:{message_id}"}, "https: and http: addresses only"),
        ({**ACCOUNT, "folders": "/"}, "is no folder"),
        ({**ACCOUNT, "lists": "everybody"}, "no address of a list"),
        ({"path": "/srv/mail\0"}, "no NUL character"),
    ],
)
def test_what_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parse_settings(MailSettings, given)
    assert words in caught.value.sentence
    assert "hunter2" not in caught.value.sentence


def test_servers_as_they_are_kept() -> None:
    assert parse_settings(MailSettings, ACCOUNT).url == "imaps://mail.example.org:993/"
    settings = parse_settings(MailSettings, {**ACCOUNT, "url": "imap://[::1]:1143"})
    assert (settings.server.host, settings.server.port, settings.server.is_loopback) == ("::1", 1143, True)
    assert settings.secrets == {"mail"}


def test_an_account_that_everyone_finds_is_doubted() -> None:
    assert "All messages of ada" in doubts(parse_settings(MailSettings, ACCOUNT))[0]
    assert doubts(parse_settings(MailSettings, {**ACCOUNT, "grants": "user:ada"})) == []
    assert doubts(parse_settings(MailSettings, {**ACCOUNT, "lists": "news@example.org"})) == []


def test_what_is_seen_when_a_source_is_added(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="is not there"):
        MailSource.look(parse_settings(MailSettings, {"path": str(tmp_path / "none")}))
    with pytest.raises(BadSetting, match="there is no file"):
        MailSource.look(parse_settings(MailSettings, {**ACCOUNT, "ca": str(tmp_path / "none")}))
