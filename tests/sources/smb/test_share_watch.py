"""A share is watched: for names that listings look at, over a connection that is taken up again, and a real one."""

from __future__ import annotations

import asyncio
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.sources.remote.protocol import ConnectionBroken, RemoteRefusal
from cormorant.sources.smb.change_notices import changed_paths
from cormorant.sources.smb.share_watch import SHORT_S, ShareWatch
from tests.clocks import Hands
from tests.sources.remote.listing import remote
from tests.sources.smb.samba import PASSWORD, Samba, samba, write


def answer(*names: str) -> bytes:
    packed = b""
    for number, name in enumerate(names):
        data = name.encode("utf-16-le", "surrogatepass")
        data += bytes(-len(data) % 4)
        size = 12 + len(data)
        length = len(name.encode("utf-16-le", "surrogatepass"))
        packed += struct.pack("<III", size if number < len(names) - 1 else 0, 1, length) + data
    return struct.pack("<HHI", 9, 72, len(packed)) + packed


def test_names_of_an_answer() -> None:
    assert list(changed_paths(answer("a.txt", "sub\\b \u00e4.txt", "sub"))) == [
        (b"a.txt",),
        (b"sub", "b \u00e4.txt".encode()),
        (b"sub",),
    ]


def test_an_answer_that_is_cut_names_what_it_has() -> None:
    whole = answer("a.txt", "bb")
    assert [list(changed_paths(whole[:length]))[:1] for length in (7, 19)] == [[], []]
    assert list(changed_paths(whole[:34])) == [(b"a.txt",)]


@given(st.binary(max_size=300))
def test_any_bytes_end(data: bytes) -> None:
    list(changed_paths(data))


class Client:
    """A connection whose waits end as they are said to: with an answer, or a fault."""

    def __init__(self, *ends: bool | Exception) -> None:
        self.ends, self.closed = list(ends), False

    def notices(self, concerns: object, clock: object) -> Any:
        return self

    def end(self) -> None:
        """There is none that waits."""

    def wait(self, notices: object, timeout_s: float) -> bool:
        end = self.ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return end

    def close(self) -> None:
        self.closed = True


def watch(clock: Any, *clients: Client | Exception) -> ShareWatch:
    left = list(clients)

    def connect() -> Any:
        made = left.pop(0)
        if isinstance(made, Exception):
            raise made
        return made

    return ShareWatch(connect, lambda *_: True, clock)


def test_a_broken_connection_is_taken_up_again_and_counts_as_a_change() -> None:
    clock = Hands()
    first, second = Client(False, ConnectionBroken("Gone.")), Client(True)
    watching = watch(clock, first, second)
    assert [watching.wait(1), watching.wait(1)] == [True, False]
    clock.at += SHORT_S + 1
    assert watching.wait(1) is False
    assert first.closed
    assert [watching.wait(1), watching.wait(1)] == [True, True]


def test_a_server_that_breaks_each_watch_is_left_alone() -> None:
    client = Client(ConnectionBroken("Gone."))
    watching = watch(Hands(), client)
    watching.wait(1)
    with pytest.raises(Unreachable, match=r"Gone\. The share is not watched"):
        watching.wait(1)
    assert client.closed


@pytest.mark.parametrize("fault", [LoginRefused("No."), Unreachable("Away."), ConnectionBroken("Gone.")])
def test_a_server_that_is_not_there_is_reported(fault: Exception) -> None:
    with pytest.raises((LoginRefused, Unreachable), match=str(fault)):
        watch(Hands(), fault).wait(1)


def test_a_folder_that_may_not_be_watched_is_reported() -> None:
    client = Client(RemoteRefusal(403, "The server does not let the user read it."))
    watching = watch(Hands(), client)
    watching.wait(1)
    with pytest.raises(Unreachable, match="cannot be watched: The server does not let"):
        watching.wait(1)


def test_nothing_is_waited_for_behind_the_end() -> None:
    client = Client(True)
    watching = watch(Hands(), client)
    watching.wait(1)
    watching.end()
    assert not watching.wait(1)


SMB = {"url": "smb://files/docs/place", "user": "ada", "password": "secret:p"}


@pytest.mark.parametrize(
    ("path", "is_folder", "given", "expected"),
    [
        ((), True, {}, True),
        ((b"a.txt",), False, {"include": "*.pdf"}, False),
        ((b"a.pdf",), False, {"include": "*.pdf"}, True),
        ((b".git",), True, {}, False),
        ((b".git",), True, {"hidden": True}, True),
        ((b"out",), True, {"exclude": "out/"}, False),
        ((b"a", b"b"), True, {"depth": 1}, False),
        ((b"a",), True, {"depth": 1}, True),
    ],
)
def test_only_what_listings_look_at_counts(
    path: tuple[bytes, ...], is_folder: bool, given: dict[str, object], expected: bool
) -> None:
    source: Any = remote("smb", {}, **SMB, **given)
    assert source._concerns(path, is_folder) is expected


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Samba]:
    (tmp_path / "share" / "docs" / "deep").mkdir(parents=True)
    with samba(tmp_path / "share", tmp_path / "state", read_only=False) as made:
        yield made


def settle(source: Any) -> None:
    """Take what is left of one change: a server reports a new file several times."""
    for _ in range(60):
        if not source.wait_for_change(1):
            return


@pytest.mark.server
def test_changes_of_a_real_share_are_noticed(server: Samba) -> None:
    settings = server.settings(url=f"{server.url}/docs", watch=True, exclude="*.tmp")
    source: Any = remote("smb", {"p": PASSWORD}, **settings)
    assert source.wait_for_change(30)
    assert not source.wait_for_change(0.1)
    write(server, "docs/a.txt", "one")
    assert source.wait_for_change(30)
    settle(source)
    write(server, "docs/deep/left.tmp", "two")
    write(server, "beside/a.txt", "three")
    assert not source.wait_for_change(2)
    write(server, "docs/deep/fresh/b.txt", "four")
    assert source.wait_for_change(30)
    ended = list[bool]()
    waiting = threading.Thread(target=lambda: ended.append(source.wait_for_change(60)))
    settle(source)
    waiting.start()
    asyncio.run(source.close())
    waiting.join(30)
    assert ended == [False]
