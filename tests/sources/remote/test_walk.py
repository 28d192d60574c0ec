"""A walk by several connections: what it names, what it leaves open, and when it fails as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Lock

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import CormorantError, LoginRefused, Unreachable
from cormorant.model.acl import ACL
from cormorant.model.settings.source import parse_settings
from cormorant.sources.connection_pool import ConnectionPool
from cormorant.sources.remote import walk as remote_walk
from cormorant.sources.remote.protocol import (
    ConnectionBroken,
    EntryKind,
    RemoteClient,
    RemoteEntry,
    RemoteFile,
    RemoteRefusal,
    ServerFull,
)
from cormorant.sources.remote.walk import RemoteWalk
from cormorant.sources.sftp.settings import SftpSettings
from cormorant.sources.trees.filters import TreeGates

ROOT = "sftp://host/docs/"
Tree = dict[str, "Tree | str"]


class FakeServer:
    """Folders and files as nested dictionaries. `faults` are raised once each where a folder is listed."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.faults = tree, dict[str, list[Exception]]()
        self.acl: ACL | None = None
        self.most, self.open, self.made = 100, 0, 0
        self._lock = Lock()

    def connect(self) -> RemoteClient:
        with self._lock:
            if self.open >= self.most:
                raise ServerFull("No more.")
            self.open += 1
            self.made += 1
        return FakeClient(self)


class FakeClient:
    def __init__(self, server: FakeServer) -> None:
        self._server = server

    def identity(self) -> str:
        return ""

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        at = self._server.tree
        for name in folder:
            below = at[name.decode()]
            assert isinstance(below, dict)
            at = below
        for each, what in at.items():
            kind = EntryKind.FOLDER if isinstance(what, dict) else EntryKind.FILE
            yield RemoteEntry((each.encode(),), kind, "" if isinstance(what, dict) else what, self._server.acl)
        faults = self._server.faults.get(b"/".join(folder).decode())
        if faults:
            raise faults.pop(0)

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        raise NotImplementedError

    def close(self) -> None:
        self._server.open -= 1


def walk(
    server: FakeServer, parallel: int = 3, veto: Callable[[str], bool] | None = None, **given: object
) -> RemoteWalk:
    settings = parse_settings(
        SftpSettings, {"url": "sftp://host/docs", "user": "ada", "password": "secret:p", "timeout_s": 2, **given}
    )
    pool = ConnectionPool(server.connect, lambda client: client.close(), SystemClock())
    return RemoteWalk(pool, settings.naming, TreeGates(settings, settings.naming), parallel, veto)


def named(walking: RemoteWalk) -> dict[str, str]:
    return {each.address.removeprefix(ROOT): each.validator for batch in walking.files() for each in batch}


def test_every_file_is_named_once() -> None:
    tree: Tree = {f"d{n}": {f"e{m}": {f"f{k}": f"{n}{m}{k}" for k in range(7)} for m in range(6)} for n in range(5)}
    assert named(walk(FakeServer(tree))) == {
        f"d{n}/e{m}/f{k}": f"{n}{m}{k}" for n in range(5) for m in range(6) for k in range(7)
    }


def test_a_large_folder_comes_in_batches() -> None:
    walking = walk(FakeServer({str(n): "1" for n in range(1_200)}))
    assert [len(batch) for batch in walking.files() if batch] == [500, 500, 200]
    assert walking.entries == 1_200


def test_what_settings_leave_out_is_not_entered() -> None:
    tree: Tree = {".git": {"a": "1"}, "deep": {"x": "1", "deeper": {"y": "2"}}, "out": {"z": "3"}, ".env": "4"}
    assert set(named(walk(FakeServer(tree), exclude="out/", depth=1))) == {"deep/x"}
    assert set(named(walk(FakeServer(tree), hidden=True))) == {".git/a", "deep/x", "deep/deeper/y", "out/z", ".env"}


def test_a_folder_that_is_refused_is_left_open() -> None:
    server = FakeServer({"a": {"x": "1"}, "b": {"y": "2"}})
    server.faults["b"] = [RemoteRefusal(403, "No.")]
    walking = walk(server, owner_grants=True)
    assert set(named(walking)) == {"a/x", "b/y"}
    assert walking.unlisted == walking.closed == [f"{ROOT}b/"]


def test_a_refused_root_fails() -> None:
    server = FakeServer({"x": "1"})
    server.faults[""] = [RemoteRefusal(403, "No.")]
    with pytest.raises(Unreachable, match="cannot be listed: No"):
        named(walk(server))


def test_a_connection_that_breaks_is_replaced() -> None:
    server = FakeServer({"a": {"x": "1"}})
    server.faults["a"] = [ConnectionBroken("Gone."), ConnectionBroken("Gone.")]
    assert set(named(walk(server, parallel=1))) == {"a/x"}
    assert server.made == 3


def test_a_server_that_breaks_every_connection_fails() -> None:
    server = FakeServer({"a": {"x": "1"}})
    server.faults["a"] = [ConnectionBroken("Gone.")] * 3
    with pytest.raises(Unreachable, match="Gone"):
        named(walk(server))


def test_fewer_connections_than_asked_for_are_enough() -> None:
    server = FakeServer({f"d{n}": {"x": "1"} for n in range(20)})
    server.most = 1
    assert len(named(walk(server, parallel=4))) == 20


def test_a_refused_login_is_raised_as_it_is() -> None:
    server = FakeServer({})
    server.faults[""] = [LoginRefused("No.")]
    with pytest.raises(LoginRefused):
        named(walk(server))


def test_a_plug_in_keeps_it_out_of_a_folder() -> None:
    walking = walk(FakeServer({"a": {"x": "1"}, "b": {"y": "2"}}), veto=lambda address: address.endswith("/b/"))
    assert set(named(walking)) == {"a/x"}
    assert walking.vetoed == [f"{ROOT}b/"]


def test_a_plug_in_that_fails_leaves_the_folder_open() -> None:
    def fail(_: str) -> bool:
        raise CormorantError("No.")

    walking = walk(FakeServer({"a": {"x": "1"}}), veto=fail)
    assert not named(walking)
    assert walking.unlisted == [f"{ROOT}a/"]


def test_rights_that_change_change_the_version() -> None:
    server = FakeServer({"x": "1"})
    server.acl = ACL.of(["everyone"])
    before = named(walk(server, owner_grants=True))
    server.acl = ACL.of(["group:staff"])
    assert named(walk(server, owner_grants=True)) != before


def test_folders_without_end_are_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_walk, "MAX_LEVELS", 3)
    walking = walk(FakeServer({"a": {"b": {"c": {"d": {"x": "1"}}}}}))
    assert not named(walking)
    assert walking.unlisted == [f"{ROOT}a/b/c/d/"]


def test_too_many_refusals_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_walk, "MAX_UNLISTED", 2)
    server = FakeServer({f"d{n}": {} for n in range(4)})
    server.faults = {f"d{n}": [RemoteRefusal(403, "No.")] for n in range(4)}
    with pytest.raises(Unreachable, match="More than 2 folders"):
        named(walk(server))


def test_a_server_that_stands_still_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_walk, "QUIET_S", 0.05)
    server = FakeServer({})
    stood = Lock()
    stood.acquire()

    class Standing(FakeClient):
        def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
            stood.acquire()
            yield from ()

    monkeypatch.setattr(server, "connect", lambda: Standing(server))
    walking = walk(server, parallel=1, timeout_s=1)
    with pytest.raises(Unreachable, match="has not answered"):
        named(walking)
    stood.release()


def test_a_walk_that_is_left_ends_its_threads() -> None:
    walking = walk(FakeServer({str(n): "1" for n in range(100_000)}), parallel=2)
    batches = walking.files()
    next(batches)
    batches.close()
    assert walking.entries < 100_000


def test_a_folder_whose_address_is_too_long_is_not_entered() -> None:
    server = FakeServer({"a" * 4_000: {"b" * 200: {"x": "1"}, "c" * 20: {"y": "2"}}, "d": {"z": "3"}})
    walking = walk(server)
    assert set(named(walking)) == {f"{'a' * 4_000}/{'c' * 20}/y", "d/z"}
    assert not walking.unlisted


@pytest.mark.parametrize("inside", [True, False])
def test_a_folder_that_is_listed_for_ever_is_left_open(monkeypatch: pytest.MonkeyPatch, inside: bool) -> None:
    monkeypatch.setattr(remote_walk, "MAX_ENTRIES", 1_000)
    server = FakeServer({"a": {"x": "1"}, "b": {"y": "1"}})

    class Endless(FakeClient):
        def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
            while tuple(folder) == ((b"a",) if inside else ()):
                yield RemoteEntry((b"again",), EntryKind.FILE, "1")
            yield from super().entries(folder)

    monkeypatch.setattr(server, "connect", lambda: Endless(server))
    walking = walk(server)
    if inside:
        assert set(named(walking)) == {"a/again", "b/y"}
        assert walking.unlisted == [f"{ROOT}a/"]
    else:
        with pytest.raises(Unreachable, match="cannot be listed: It has more than"):
            named(walking)


def test_a_store_without_folders_may_have_any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_walk, "MAX_ENTRIES", 10)
    server = FakeServer({})

    class Store(FakeClient):
        def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
            yield from (RemoteEntry((b"d", str(n).encode()), EntryKind.FILE, "1") for n in range(30))

    monkeypatch.setattr(server, "connect", lambda: Store(server))
    assert len(named(walk(server))) == 30


def test_more_folders_than_can_be_kept_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_walk, "MAX_WAITING", 10)
    with pytest.raises(Unreachable, match="More than 10 folders"):
        named(walk(FakeServer({f"d{n}": {} for n in range(11)})))
