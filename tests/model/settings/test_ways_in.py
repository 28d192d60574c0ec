"""Which sources warn that everyone finds what they read with a login."""

from __future__ import annotations

from typing import Any

import pytest

from cormorant.plugins import source_settings

LOGINS: dict[str, dict[str, Any]] = {
    "webdav": {"url": "https://dav.example.org/x", "user": "u", "password": "secret:p"},
    "sftp": {"url": "sftp://a.example/x", "user": "u", "password": "secret:p", "known_hosts": "any"},
    "github": {"repository": ["a/b"], "token": "secret:p"},
    "mail": {"url": "imaps://m.example.org", "user": "u", "password": "secret:p"},
}


@pytest.mark.parametrize("kind", LOGINS)
def test_a_login_is_a_way_in(kind: str) -> None:
    assert source_settings(kind, LOGINS[kind]).ways_in


@pytest.mark.parametrize("kind", ["webdav", "github"])
def test_a_place_that_is_open_to_all_has_none(kind: str) -> None:
    bare = {name: value for name, value in LOGINS[kind].items() if value != "secret:p" and name != "user"}
    assert not source_settings(kind, bare).ways_in


def test_rights_of_a_server_close_what_a_login_shows() -> None:
    given = {"url": "smb://a.example/share", "user": "u", "password": "secret:p"}
    assert source_settings("smb", given).ways_in == ("password",)
    assert source_settings("smb", {**given, "owner_grants": True}).ways_in == ()
