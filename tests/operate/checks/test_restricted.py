"""Readers that the server of a source knows no account for are listed once, and only where it is asked for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cormorant.model.acl import ACL
from cormorant.operate.checks import restricted

LOST, GONE, ADA = "S-1-5-21-1-2-3-9999", "S-1-5-21-1-2-3-8888", "S-1-5-21-1-2-3-1104"
SETTINGS = {"url": "smb://files/docs", "user": "ada", "password": "secret:p", "owner_grants": True}
LISTS = {
    ACL.of([f"group:{LOST}", "user:CORP\\ada"]): 3,
    ACL.of([], [f"group:{GONE}", f"user:{GONE}"]): 2,
    ACL.of(["everyone"], ["user:CORP\\ada", f"group:{ADA}"]): 7,
    ACL.of([f"group:{LOST}"]): 1,
}


def context(*, is_newest: bool = True, **settings: object) -> Any:
    owner = SimpleNamespace(id=1, name="pa pers", kind="smb", settings={**SETTINGS, **settings})
    return SimpleNamespace(owner=owner, is_newest=is_newest, tx=None)


def test_readers_without_an_account_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restricted, "_counted", lambda *_: LISTS)
    (said,) = restricted.unresolved(context())
    assert said.about == {"sids": [GONE, LOST], "addresses": 2}
    assert f"no account for these readers of files: {GONE}, {LOST}. 2 of its documents are shown to" in said.sentence
    assert "`cormorant source edit 'pa pers' --set 'sid_names=SID=group:NAME'`" in said.sentence


def test_they_are_not_where_nobody_looks_them_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restricted, "_counted", lambda *_: LISTS)
    assert not list(restricted.unresolved(context(sid_lookup="off")))
    assert not list(restricted.unresolved(context(is_newest=False)))


def test_many_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restricted, "_counted", lambda *_: {ACL.of(f"group:S-1-5-21-{n}" for n in range(9)): 1})
    (said,) = restricted.unresolved(context())
    assert "S-1-5-21-4 and 4 more. Say" in said.sentence


def test_what_is_said_of_files_on_a_server_names_no_command_for_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restricted, "_counted", lambda *_: LISTS)
    (said,) = restricted.problems(context())
    assert said.sentence.startswith("7 of 13 documents of pa pers are for everyone.")
    assert "Let everyone read the files on their server" in said.sentence
    assert "chmod" not in said.sentence
