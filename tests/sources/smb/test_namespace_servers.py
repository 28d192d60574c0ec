"""A DFS namespace of Samba whose links lead to another Samba: what is followed, by whose login, and what is not."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cormorant.model.acl import ACL
from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Failed
from tests.sources.remote.listing import fetched, found, listed, remote
from tests.sources.smb.samba import PASSWORD, Extra, Samba, samba, set_password

pytestmark = pytest.mark.server
SECRETS = {"p": PASSWORD}
OTHER = "127.0.0.3"


class Servers(NamedTuple):
    """A namespace, the folder that it is made of, and the folder of the server behind its links."""

    namespace: Samba
    root: Path
    target: Path
    running: ExitStack

    @property
    def port(self) -> int:
        return int(self.namespace.url.rpartition(":")[2].partition("/")[0])

    def given(self, **more: object) -> dict[str, Any]:
        url = f"{self.namespace.url}/docs"
        return self.namespace.settings(**{"url": url, "dfs_servers": [OTHER], "connect_timeout_s": 2, **more})


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    root, target = tmp_path / "root", tmp_path / "target"
    for path, text in (
        (root / "docs" / "own.txt", "own"),
        (target / "a.txt", "of the other"),
        (target / "deep" / "b \u00fc.txt", "deep"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / "docs" / "Linked").symlink_to(f"msdfs:{OTHER}\\place")
    namespace_at = Extra(host="127.0.0.2")
    with ExitStack() as first, ExitStack() as second:
        namespace = first.enter_context(samba(root, tmp_path / "s1", is_namespace=True, with_=namespace_at))
        made = Servers(namespace, root, target, second)
        second.enter_context(samba(target, tmp_path / "s2", made.port, with_=Extra(host=OTHER, detail=3)))
        yield made


ALL = {"own.txt", "Linked/a.txt", "Linked/deep/b%20%C3%BC.txt"}


def test_links_are_followed_and_addresses_stay_those_of_the_namespace(servers: Servers) -> None:
    given = servers.given()
    assert set(listed(remote("smb", SECRETS, **given))) == ALL
    got = {name: fetched("smb", SECRETS, name, **given) for name in ALL}
    bodies = {name: each.body.decode() for name, each in got.items() if isinstance(each, Content)}
    assert bodies == {"own.txt": "own", "Linked/a.txt": "of the other", "Linked/deep/b%20%C3%BC.txt": "deep"}
    assert all(isinstance(each, Content) and "127.0.0.2" in each.address for each in got.values())


def test_rights_are_those_of_the_server_that_has_the_file(servers: Servers) -> None:
    (servers.target / "a.txt").chmod(0o600)
    given = servers.given(owner_grants=True, sid_lookup="account")
    assert set(listed(remote("smb", SECRETS, **given))) == ALL
    got = fetched("smb", SECRETS, "Linked/a.txt", **given)
    assert isinstance(got, Content)
    assert got.acl == ACL.of(["user:root"])


@pytest.mark.parametrize("named", [[], ["files.example.org", "*.example.org"]])
def test_a_server_that_is_not_named_gets_no_connection(servers: Servers, named: list[str]) -> None:
    servers.running.close()
    listener = socket.create_server((OTHER, servers.port))
    listener.setblocking(False)
    source: Any = remote("smb", SECRETS, **servers.given(dfs_servers=named))
    assert set(listed(source)) == {"own.txt"}
    assert [each.removeprefix(source.settings.url) for each in source.unlisted] == ["/Linked/"]
    got = fetched("smb", SECRETS, "Linked/a.txt", **servers.given(dfs_servers=named))
    assert isinstance(got, Failed)
    assert f"another server (DFS), {OTHER}. If the login may go there, set dfs_servers" in got.reason
    with listener, pytest.raises(BlockingIOError):
        listener.accept()


def test_a_server_that_is_away_is_an_outcome_of_its_folder_alone(servers: Servers) -> None:
    servers.running.close()
    source: Any = remote("smb", SECRETS, **servers.given())
    assert set(listed(source)) == {"own.txt"}
    assert [each.removeprefix(source.settings.url) for each in source.unlisted] == ["/Linked/"]
    got = fetched("smb", SECRETS, "Linked/a.txt", **servers.given())
    assert isinstance(got, Deferred)
    assert (got.status, got.whole_site) == (503, False)
    assert f"It lies on another server (DFS). {OTHER}, port" in got.reason


def test_the_next_server_of_a_link_is_asked_where_the_first_is_away(servers: Servers) -> None:
    link = servers.root / "docs" / "Linked"
    link.unlink()
    link.symlink_to(f"msdfs:127.0.0.9\\place,{OTHER}\\place\\deep")
    given = servers.given(dfs_servers=[OTHER, "127.0.0.9"])
    assert set(listed(remote("smb", SECRETS, **given))) == {"own.txt", "Linked/b%20%C3%BC.txt"}


def test_the_next_folder_of_a_link_is_read_where_the_first_is_not_there(
    servers: Servers, caplog: pytest.LogCaptureFixture
) -> None:
    link = servers.root / "docs" / "Linked"
    link.unlink()
    link.symlink_to(f"msdfs:{OTHER}\\place\\stale,{OTHER}\\place\\deep")
    assert set(listed(remote("smb", SECRETS, **servers.given()))) == {"own.txt", "Linked/b%20%C3%BC.txt"}
    got = fetched("smb", SECRETS, "Linked/b%20%C3%BC.txt", **servers.given())
    assert isinstance(got, Content)
    said = {each.__dict__["target"] for each in caplog.records if each.message == "other target of DFS link"}
    assert said == {f"\\\\{OTHER}\\place\\deep"}
    link.unlink()
    link.symlink_to(f"msdfs:{OTHER}\\place\\stale")
    got = fetched("smb", SECRETS, "Linked/b%20%C3%BC.txt", **servers.given())
    assert isinstance(got, Deferred), "where no server has the folder, nothing is gone"
    assert f"{OTHER} does not have the folder of the link" in got.reason


def test_a_replica_is_read_where_the_server_in_use_ends(servers: Servers, tmp_path: Path) -> None:
    replica = "127.0.0.4"
    link = servers.root / "docs" / "Linked"
    link.unlink()
    link.symlink_to(f"msdfs:{OTHER}\\place,{replica}\\place")
    given = servers.given(dfs_servers=[OTHER, replica], per_host=1)
    source: Any = remote("smb", SECRETS, **given)
    with (
        samba(servers.target, tmp_path / "s3", servers.port, with_=Extra(host=replica)),
        closing(source.connect()) as client,
    ):
        assert client.read((b"Linked", b"a.txt"), 100).body == b"of the other"
        servers.running.close()
        assert client.read((b"Linked", b"a.txt"), 100).body == b"of the other"
        assert sorted(each.parts[-1] for each in client.entries((b"Linked",))) == [b"a.txt", b"deep"]


def test_a_login_that_the_other_server_refuses_is_tried_once(servers: Servers, tmp_path: Path) -> None:
    set_password(tmp_path / "s2", "another one")
    for number in range(5):
        (servers.root / "docs" / f"more{number}").symlink_to(f"msdfs:{OTHER}\\place")
    source: Any = remote("smb", SECRETS, **servers.given(per_host=1))
    assert set(listed(source)) == {"own.txt"}
    assert len(source.unlisted) == 6
    log = (tmp_path / "s2" / "out").read_text()
    assert log.count("FAILED with error NT_STATUS_WRONG_PASSWORD") == 1, log
    got = fetched("smb", SECRETS, "Linked/a.txt", **servers.given())
    assert isinstance(got, Failed)
    assert f"{OTHER} refuses the login of user 'root'" in got.reason


def test_a_link_that_leads_back_is_not_entered(servers: Servers) -> None:
    (servers.root / "docs" / "Round").symlink_to("msdfs:127.0.0.2\\place")
    source: Any = remote("smb", SECRETS, **servers.given())
    assert set(listed(source)) == ALL
    assert [each.removeprefix(source.settings.url) for each in source.unlisted] == ["/Round/"]


def test_files_keep_their_versions_from_one_listing_to_the_next(servers: Servers) -> None:
    first, second = (listed(remote("smb", SECRETS, **servers.given())) for _ in range(2))
    assert first == second
    (servers.target / "a.txt").rename(servers.target / "deep" / "c.txt")
    source = remote("smb", SECRETS, **servers.given())
    assert {each.validator for each in found(source)} == set(first.values())
