"""Files of a share of Samba, as people run it: names, numbers, rights and what it refuses."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Excluded, Gone
from cormorant.plugins import Source
from cormorant.testing import SourceSuite
from tests.sources.remote.listing import fetched, found, listed, remote
from tests.sources.smb.samba import PASSWORD, Samba, samba

pytestmark = pytest.mark.server
SECRETS = {"p": PASSWORD, "w": "wrong"}
NAMES = ("a.txt", "sub dir/b \u00fc%41#;c.txt", "sub dir/deep/\u65e5\u672c.html")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        path = tmp_path / "share" / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "share"


@pytest.fixture
def server(folder: Path, tmp_path: Path) -> Iterator[Samba]:
    with samba(folder, tmp_path / "state") as made:
        yield made


class TestSuite(SourceSuite):
    """A folder of a share."""

    @pytest.fixture(autouse=True)
    def place(self, server: Samba) -> None:
        self.server = server

    def make(self) -> Source:
        return remote("smb", SECRETS, **self.server.settings(url=f"{self.server.url}/docs"))


def test_files_are_listed_and_read_where_they_were_moved_to(server: Samba, folder: Path) -> None:
    given = server.settings(url=f"{server.url}/docs")
    before = listed(remote("smb", SECRETS, **given))
    got = [fetched("smb", SECRETS, name, **given) for name in before]
    assert {each.body.decode() for each in got if isinstance(each, Content)} == set(NAMES)
    (folder / "docs" / "sub dir").rename(folder / "docs" / "other")
    after = listed(remote("smb", SECRETS, **given))
    assert sorted(after.values()) == sorted(before.values())
    assert set(after) != set(before)


def test_rights_become_grants(server: Samba, folder: Path) -> None:
    (folder / "docs" / "a.txt").chmod(0o600)
    given = server.settings(url=f"{server.url}/docs", owner_grants=True, sid_lookup="off")
    before = listed(remote("smb", SECRETS, **given))
    closed, opened = (
        fetched("smb", SECRETS, name, **given) for name in ("a.txt", "sub%20dir/b%20%C3%BC%2541%23;c.txt")
    )
    assert isinstance(closed, Content)
    assert isinstance(opened, Content)
    assert closed.acl is not None
    assert opened.acl is not None
    assert "everyone" not in closed.acl.grants
    assert "everyone" in opened.acl.grants
    (owner,) = (each for each in closed.acl.grants if "S-1-5-21-" in each)
    named = fetched("smb", SECRETS, "a.txt", **given, sid_names=[f"{owner.removeprefix('group:')}=user:ada"])
    assert isinstance(named, Content)
    assert named.acl is not None
    assert "user:ada" in named.acl.grants
    (folder / "docs" / "a.txt").chmod(0o644)
    after = listed(remote("smb", SECRETS, **given))
    assert {name for name in before if before[name] != after[name]} == {"a.txt"}


@pytest.mark.parametrize(
    ("form", "names"),
    [("account", {"user:root", "group:root"}), ("domain", {"group:Unix Group\\root", "user:root of the server"})],
)
def test_the_server_names_its_accounts(server: Samba, folder: Path, form: str, names: set[str]) -> None:
    (folder / "docs" / "a.txt").chmod(0o640)
    given = server.settings(url=f"{server.url}/docs", owner_grants=True, sid_lookup=form)
    assert "a.txt" in listed(remote("smb", SECRETS, **given))
    got = fetched("smb", SECRETS, "a.txt", **given)
    assert isinstance(got, Content)
    assert got.acl is not None
    machine = f"user:{socket.gethostname().split('.')[0].upper()[:15]}\\root"
    assert {each if each != machine else "user:root of the server" for each in got.acl.grants} == names


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ({"password": "secret:w"}, LoginRefused, "refuses the login of user 'root'"),
        ({"user": "nobody-here"}, LoginRefused, "refuses the login of user 'nobody-here'"),
        ({"url": "/nowhere"}, Unreachable, "has no such file"),
        ({"url": "x"}, Unreachable, "has no share 'placex'"),
    ],
)
def test_what_a_server_refuses(server: Samba, given: dict[str, str], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        listed(remote("smb", SECRETS, **server.settings(**{**given, "url": f"{server.url}{given.get('url', '')}"})))


def test_outcomes_of_a_file(server: Samba, folder: Path) -> None:
    (folder / "docs" / "big.txt").write_bytes(b"0123456789" * 20_000)
    given = server.settings(url=f"{server.url}/docs")
    assert fetched("smb", SECRETS, "gone.txt", **given) == Gone(404)
    assert isinstance(fetched("smb", SECRETS, "sub%20dir", **given), Excluded)
    assert isinstance(fetched("smb", SECRETS, "big.txt", **given, max_size_bytes=1000), Excluded)
    cut = fetched("smb", SECRETS, "big.txt", **given, max_size_bytes=1000, too_big="cut")
    assert isinstance(cut, Content)
    assert (cut.body, cut.truncated) == (b"0123456789" * 100, True)
    whole = fetched("smb", SECRETS, "big.txt", **given)
    assert isinstance(whole, Content)
    assert len(whole.body) == 200_000


def test_another_folder_in_the_place_of_the_root_is_not_believed(server: Samba, folder: Path) -> None:
    given = server.settings(url=f"{server.url}/docs")
    first = remote("smb", SECRETS, **given)
    found(first)
    (folder / "docs").rename(folder / "away")
    (folder / "docs").mkdir()
    (folder / "docs" / "x.txt").write_text("x")
    with pytest.raises(Unreachable, match="is another one than before"):
        found(remote("smb", SECRETS, **given), first.next_cursor)


def test_a_share_that_is_suddenly_empty_is_not_believed(server: Samba, folder: Path) -> None:
    given = server.settings(url=f"{server.url}/docs")
    first = remote("smb", SECRETS, **given)
    found(first)
    shutil.rmtree(folder / "docs" / "sub dir")
    (folder / "docs" / "a.txt").unlink()
    with pytest.raises(Unreachable, match="is empty, and was not before"):
        found(remote("smb", SECRETS, **given), first.next_cursor)
