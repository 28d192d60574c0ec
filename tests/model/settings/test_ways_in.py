"""Which sources warn that everyone finds what they read with a login."""

from __future__ import annotations

import pytest

from cormorant.model.settings.source import parse_settings
from cormorant.plugins import SOURCES, source_settings

LOGINS = {
    "webdav": {"url": "https://dav.example.org/x", "user": "u", "password": "secret:p"},
    "sftp": {"url": "sftp://a.example/x", "user": "u", "password": "secret:p", "known_hosts": "any"},
    "github": {"repository": ["a/b"], "token": "secret:p"},
    "mail": {"url": "imaps://m.example.org", "user": "u", "password": "secret:p"},
}


@pytest.mark.parametrize("kind", LOGINS)
def test_a_login_is_a_way_in(kind: str) -> None:
    given = LOGINS[kind]
    assert source_settings(kind, given).ways_in
    bare = {name: value for name, value in given.items() if value != "secret:p"}
    assert not parse_settings(SOURCES[kind].settings, bare).ways_in


def test_rights_of_a_server_close_what_a_login_shows() -> None:
    given = {"url": "smb://a.example/share", "user": "u", "password": "secret:p"}
    assert source_settings("smb", given).ways_in == ("password",)
    assert source_settings("smb", {**given, "owner_grants": True}).ways_in == ()
