"""The same against OpenSSH, as people run it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cormorant.model.content import Content
from tests.sources.remote.listing import fetched, listed, remote
from tests.sources.sftp.sshd import sshd

pytestmark = pytest.mark.server


def test_names_links_and_rights(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    (docs / "sub" / "a b.txt").write_bytes(b"0123456789" * 30_000)
    (docs / "closed.txt").write_text("x")
    (docs / "closed.txt").chmod(0o600)
    Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.txt")).write_text("latin")
    (docs / "in").symlink_to("sub/a b.txt")
    (docs / "out").symlink_to("/etc/hostname")
    state = tmp_path / "state"
    state.mkdir()
    with sshd(state) as server:
        given = server.settings(docs, symlinks=True, owner_grants=True)
        secrets = {"k": server.key}
        names = listed(remote("sftp", secrets, **given))
        got = {name: fetched("sftp", secrets, name, **given) for name in names}
    assert set(names) == {"sub/a%20b.txt", "closed.txt", "caf%E9.txt", "in"}
    assert all(isinstance(each, Content) for each in got.values()), got
    bodies = {name: each.body for name, each in got.items() if isinstance(each, Content)}
    assert bodies["in"] == bodies["sub/a%20b.txt"] == b"0123456789" * 30_000
    closed = got["closed.txt"]
    assert isinstance(closed, Content)
    assert closed.acl is not None
    assert closed.acl.grants == ("user:root",)
