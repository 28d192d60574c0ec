"""Files of an SSH server: its host key, the login, names, links, rights and faults."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.acl import ACL
from cormorant.model.content import Content
from cormorant.model.outcome import Excluded, Failed, Gone
from cormorant.plugins import Source
from cormorant.sources.sftp.owners import OwnerNames
from cormorant.sources.sftp.packets import FileAttributes, NamedFile
from cormorant.sources.sftp.source import SftpSource
from cormorant.testing import SourceSuite
from tests.sources.remote.listing import (
    NAMES as LISTED_NAMES,
    fetched,
    found,
    has_every_file,
    listed,
    remote,
    with_files,
)
from tests.sources.sftp.ssh_server import PASSWORD, SshServer, ssh_server

SECRETS = {"p": PASSWORD, "w": "wrong"}
NAMES = (*LISTED_NAMES, "new\nline.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_files(tmp_path, NAMES)


@pytest.fixture
def server(folder: Path) -> Iterator[SshServer]:
    with ssh_server(folder) as made:
        yield made


def settings(server: SshServer, **more: object) -> dict[str, Any]:
    return server.settings(**{"url": f"{server.url}docs", **more})


class TestSuite(SourceSuite):
    """A folder of paramiko's server."""

    @pytest.fixture(autouse=True)
    def place(self, server: SshServer) -> None:
        self.server = server

    def make(self) -> Source:
        return remote("sftp", SECRETS, **settings(self.server))


def test_names_of_any_sort_are_listed_and_read(server: SshServer) -> None:
    names = listed(remote("sftp", SECRETS, **settings(server)))
    got = [fetched("sftp", SECRETS, name, **settings(server)) for name in names]
    assert has_every_file(got, NAMES)


def test_a_stranger_gets_no_password(server: SshServer) -> None:
    with pytest.raises(Unreachable) as raised:
        listed(remote("sftp", SECRETS, **settings(server, host_key=[])))
    assert f"is not known: {server.fingerprint}" in raised.value.sentence
    assert f"set host_key={server.fingerprint}" in raised.value.sentence
    with pytest.raises(Unreachable, match="is another one than the settings know"):
        listed(remote("sftp", SECRETS, **settings(server, host_key=["SHA256:" + "A" * 43])))
    assert server.logins == 0


def test_known_hosts(server: SshServer, tmp_path: Path) -> None:
    known = tmp_path / "known_hosts"
    known.write_text(f"[127.0.0.1]:{server.port} {server.host_key.get_name()} {server.host_key.get_base64()}\n")
    assert listed(remote("sftp", SECRETS, **settings(server, host_key=[], known_hosts=str(known))))
    known.write_text("")
    with pytest.raises(Unreachable, match="is another one than the settings know"):
        listed(remote("sftp", SECRETS, **settings(server, host_key=[], known_hosts=str(known))))


def test_a_wrong_password_is_tried_once(server: SshServer) -> None:
    with pytest.raises(LoginRefused, match="refuses the login of user 'ada'"):
        listed(remote("sftp", SECRETS, **settings(server, password="secret:w")))
    assert server.logins == 1


def test_a_private_key(server: SshServer) -> None:
    key = server.paramiko.RSAKey.generate(2048)
    server.user_key = key
    written = StringIO()
    key.write_private_key(written, password="open")
    secrets = {"k": written.getvalue(), "f": "open", "n": "-----BEGIN NOTHING-----"}
    given = settings(server, password="", private_key="secret:k")
    assert listed(remote("sftp", secrets, **given, passphrase="secret:f"))
    with pytest.raises(BadSetting, match="is locked"):
        listed(remote("sftp", secrets, **given))
    with pytest.raises(BadSetting, match="cannot be read"):
        listed(remote("sftp", secrets, **{**given, "private_key": "secret:n"}))


def test_links_stay_inside(server: SshServer, folder: Path) -> None:
    docs = folder / "docs"
    (folder / "outside.txt").write_text("no")
    (docs / "in").symlink_to("a.txt")
    (docs / "out").symlink_to("../outside.txt")
    (docs / "folder").symlink_to("sub dir")
    (docs / "dangling").symlink_to("nowhere")
    assert "in" not in listed(remote("sftp", SECRETS, **settings(server)))
    followed = listed(remote("sftp", SECRETS, **settings(server, symlinks=True)))
    assert {"in", "out", "folder", "dangling"} & set(followed) == {"in"}
    for name, given in (("out", True), ("in", False)):
        got = fetched("sftp", SECRETS, name, **settings(server, symlinks=given))
        assert isinstance(got, Excluded)
        assert got.status == 964
    assert isinstance(fetched("sftp", SECRETS, "in", **settings(server, symlinks=True)), Content)


def test_rights_become_grants(server: SshServer, folder: Path) -> None:
    user, group = f"user:{os.getuid()}", f"group:{os.getgid()}"
    names = _owner(server)
    (folder / "docs" / "sub dir").chmod(0o750)
    given = settings(server, owner_grants=True, denies=["user:eve"])
    before = listed(remote("sftp", SECRETS, **given))
    everyone = fetched("sftp", SECRETS, "a.txt", **given)
    inside = fetched("sftp", SECRETS, "sub%20dir/deep/%E6%97%A5%E6%9C%AC.html", **given)
    assert isinstance(everyone, Content)
    assert isinstance(inside, Content)
    assert inside.acl == ACL.of(names or (user, group), ["user:eve"])
    assert everyone.acl == ACL.of(("everyone", *(names or (user, group))), ["user:eve"])
    (folder / "docs" / "sub dir").chmod(0o755)
    after = listed(remote("sftp", SECRETS, **given))
    assert {name for name in before if before[name] != after[name]} == {name for name in before if "/" in name}


def _owner(server: SshServer) -> tuple[str, ...]:
    """The names that the server prints of owner and group: numbers, where it is paramiko's."""
    said = server.paramiko.SFTPAttributes.from_stat(Path(server.folder).stat(), "x")
    words = str(said).split()
    return (f"user:{words[2]}", f"group:{words[3]}")


@pytest.mark.parametrize(
    ("line", "user"),
    [
        (b"-rw-r--r--    1 ada      staff          12 Nov 28 12:00 a", "user:ada"),
        (b"-rw-r--r--    1 ada of x staff          12 Nov 28 12:00 a", "user:7"),
        (b"-rw-r--r--    1 ada      staff          13 Nov 28 12:00 a", "user:7"),
        (b"nonsense", "user:7"),
    ],
)
def test_names_are_learnt_from_lines_that_fit(line: bytes, user: str) -> None:
    names = OwnerNames()
    names.learn(NamedFile(b"a", line, FileAttributes(12, 7, 8, 0o100644, 0)))
    assert names.principal("user", 7) == user


def test_outcomes_of_a_file(server: SshServer, folder: Path) -> None:
    paramiko = server.paramiko
    (folder / "docs" / "big.txt").write_bytes(b"0123456789" * 50_000)
    assert fetched("sftp", SECRETS, "gone.txt", **settings(server)) == Gone(404)
    assert isinstance(fetched("sftp", SECRETS, "big.txt", **settings(server), max_size_bytes=1000), Excluded)
    cut = fetched("sftp", SECRETS, "big.txt", **settings(server), max_size_bytes=1000, too_big="cut")
    assert isinstance(cut, Content)
    assert (len(cut.body), cut.truncated) == (1000, True)
    whole = fetched("sftp", SECRETS, "big.txt", **settings(server))
    assert isinstance(whole, Content)
    assert whole.body == b"0123456789" * 50_000
    server.fault = lambda what, _: paramiko.SFTP_PERMISSION_DENIED if what == "open" else None
    refused = fetched("sftp", SECRETS, "a.txt", **settings(server, owner_grants=True))
    assert isinstance(refused, Failed)
    assert (refused.status, refused.acl) == (403, ACL(()))


def test_a_folder_that_is_refused_is_left_open(server: SshServer) -> None:
    denied = server.paramiko.SFTP_PERMISSION_DENIED
    server.fault = lambda what, path: denied if what == "list" and path.endswith("sub dir") else None
    source = remote("sftp", SECRETS, **settings(server))
    assert set(listed(source)) == {"a.txt", "new%0Aline.txt"}
    assert source.unlisted == [f"{server.url}docs/sub%20dir/"]


@pytest.mark.parametrize("url", ["nowhere", "docs/a.txt"])
def test_a_root_that_is_none(server: SshServer, url: str) -> None:
    with pytest.raises(Unreachable, match="cannot be opened"):
        listed(remote("sftp", SECRETS, **settings(server, url=f"{server.url}{url}")))


def test_a_folder_that_is_suddenly_empty_is_not_believed(server: SshServer, folder: Path) -> None:
    first = remote("sftp", SECRETS, **settings(server))
    found(first)
    (folder / "docs").rename(folder / "away")
    (folder / "docs").mkdir()
    with pytest.raises(Unreachable, match="is empty, and was not before"):
        found(remote("sftp", SECRETS, **settings(server)), first.next_cursor)


def test_the_library_is_missed_when_a_source_is_added(server: SshServer, monkeypatch: pytest.MonkeyPatch) -> None:
    made = remote("sftp", SECRETS, **settings(server)).settings
    monkeypatch.setitem(sys.modules, "paramiko", None)
    with pytest.raises(BadSetting, match=r"pip install \"cormorant\[sftp\]\""):
        SftpSource.look(made)  # type: ignore[arg-type]
