"""A client of a DFS namespace over shares that are made up: faults behind a link stay with the folder there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.settings.source import parse_settings
from cormorant.model.status import Status
from cormorant.sources.remote.protocol import ConnectionBroken, EntryKind, RemoteEntry, RemoteRefusal
from cormorant.sources.smb.client import MOST_SHARES, SmbClient
from cormorant.sources.smb.dfs_referral import Referral, SharePlace
from cormorant.sources.smb.faults import LiesElsewhere, Login, fault_of, translated
from cormorant.sources.smb.namespace import REST_S, DfsNamespace, namespace_path
from cormorant.sources.smb.settings import SmbSettings
from tests.clocks import Hands

ROOT = SharePlace("files.example", "shares")
LINK = ROOT._replace(folder=(b"hr",))
TARGET = SharePlace("b.example", "hr")
SETTINGS = {"url": "smb://files.example/shares", "user": "ada", "password": "secret:p", "dfs_servers": ["b.example"]}


class MadeUpShare:
    """A share whose listings are acts; its root has a link, or none."""

    def __init__(self, act: Callable[[Sequence[bytes]], Iterator[RemoteEntry]], referral: Any = None) -> None:
        self._act, self._referral, self.closed = act, referral, 0
        self._link = LINK

    def lead(self, name: bytes, target: SharePlace) -> None:
        """Have another link of the root lead to a place."""
        self._link, self._referral = ROOT._replace(folder=(name,)), target

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        yield from self._act(folder)

    def referral(self, place: SharePlace) -> Referral:
        if isinstance(self._referral, Exception):
            raise self._referral
        targets = self._referral if isinstance(self._referral, list) else [self._referral]
        return Referral(len(namespace_path(self._link)), tuple(targets), 300)

    def identity(self, folder: Sequence[bytes]) -> str:
        for _ in self._act(folder):
            break
        return "7"

    def close(self) -> None:
        self.closed += 1


def named(*names: bytes) -> Iterator[RemoteEntry]:
    yield from (RemoteEntry((each,), EntryKind.FILE) for each in names)


def of_root(folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
    if folder[:1] == (b"hr",):
        raise LiesElsewhere(Status.UNREADABLE, "It lies on another server (DFS).")
    return named(b"own.txt")


def of_any_link(folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
    raise LiesElsewhere(Status.UNREADABLE, "It lies on another server (DFS).")


def broken(folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
    yield from named(b"a.txt")
    raise ConnectionBroken("The server closed the connection.")


def absent(folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
    raise RemoteRefusal(Status.NOT_FOUND, "The server has no such file.")


def away(folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
    raise ConnectionBroken("The server closed the connection.")


def refused_share(status: int) -> Exception:
    """What a login ends in that the server answers with a status."""

    class SMBResponseException(Exception):
        """The library's error."""

    answer = SMBResponseException()
    answer.status = status  # type: ignore[attr-defined]
    exceptions = SimpleNamespace(SMBResponseException=SMBResponseException)
    with (
        pytest.raises(Unreachable) as caught,
        translated(SimpleNamespace(exceptions=exceptions), Login("b.example", "hr", "ada", "ntlm")),
    ):
        raise answer
    return caught.value


def made_up_namespace(clock: Hands | None = None) -> DfsNamespace:
    return DfsNamespace(parse_settings(SmbSettings, SETTINGS), clock or Hands())


def client(
    root: MadeUpShare,
    *opened: MadeUpShare | Exception,
    clock: Hands | None = None,
    namespace: DfsNamespace | None = None,
) -> tuple[SmbClient, list[SharePlace]]:
    """A client, and the places whose shares it opens: the given ones in turn."""
    asked, left = list[SharePlace](), list(opened)

    def open_share(place: SharePlace) -> Any:
        asked.append(place)
        share = left.pop(0)
        if isinstance(share, Exception):
            raise share
        return share

    made: Any = root
    return SmbClient(made, ROOT, namespace or made_up_namespace(clock), open_share), asked


def names(made: SmbClient, *folder: bytes) -> list[bytes]:
    return [each.parts[0] for each in made.entries(folder)]


def test_a_link_is_followed_by_one_connection_that_is_kept_and_closed() -> None:
    target = MadeUpShare(lambda folder: named(b"a.txt", *folder))
    root = MadeUpShare(of_root, TARGET)
    made, asked = client(root, target)
    assert names(made) == [b"own.txt"]
    assert names(made, b"hr", b"x") == [b"a.txt", b"x"]
    assert names(made, b"hr") == [b"a.txt"]
    assert asked == [TARGET._replace(folder=(b"x",))]
    made.close()
    assert (root.closed, target.closed) == (1, 1)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Unreachable("b.example, port 445, did not answer."), Status.SERVICE_UNAVAILABLE),
        (ConnectionBroken("The server closed the connection."), Status.SERVICE_UNAVAILABLE),
        (LoginRefused("b.example refuses the login of user 'ada'."), Status.UNAUTHORIZED),
    ],
)
def test_a_server_that_cannot_be_used_is_asked_once(error: Exception, status: int) -> None:
    made, asked = client(MadeUpShare(of_root, TARGET), error)
    for _ in range(3):
        with pytest.raises(RemoteRefusal, match="another server") as caught:
            names(made, b"hr")
        assert caught.value.status == status
    assert len(asked) == 1
    assert names(made) == [b"own.txt"]


@pytest.mark.parametrize(
    ("error", "attempts"),
    [
        (Unreachable("b.example, port 445, did not answer."), 1),
        (ConnectionBroken("The server closed the connection."), 1),
        (refused_share(0xC00000CC), 2),
        (refused_share(0xC0000022), 2),
    ],
)
def test_other_shares_of_a_server_that_is_away_rest_too(error: Exception, attempts: int) -> None:
    root = MadeUpShare(of_any_link, TARGET)
    made, asked = client(root, error, MadeUpShare(lambda folder: named(b"a.txt")))
    with pytest.raises(RemoteRefusal, match="another server"):
        names(made, b"hr")
    root.lead(b"it", TARGET._replace(share="it"))
    if attempts == 1:
        with pytest.raises(RemoteRefusal, match="another server"):
            names(made, b"it")
    else:
        assert names(made, b"it") == [b"a.txt"]
    assert len(asked) == attempts


def test_few_connections_are_kept_and_the_one_used_longest_ago_is_closed() -> None:
    root = MadeUpShare(of_any_link, TARGET)
    shares = [MadeUpShare(lambda folder: named(b"a.txt")) for _ in range(MOST_SHARES + 3)]
    made, asked = client(root, *shares)
    for number in range(MOST_SHARES):
        root.lead(b"%d" % number, TARGET._replace(share=f"s{number}"))
        names(made, b"%d" % number)
    names(made, b"0")
    root.lead(b"more", TARGET._replace(share="more"))
    names(made, b"more")
    assert [each.closed for each in shares] == [0, 1, *[0] * (MOST_SHARES + 1)]
    assert names(made, b"0") == [b"a.txt"]
    assert len(asked) == MOST_SHARES + 1
    assert names(made, b"1") == [b"a.txt"]
    assert [each.closed for each in shares] == [0, 1, 1, *[0] * MOST_SHARES]
    assert len(asked) == MOST_SHARES + 2
    made.close()
    assert root.closed == 1
    assert [each.closed for each in shares] == [*[1] * (MOST_SHARES + 2), 0]


def test_a_login_that_ends_in_an_unknown_status_is_tried_once() -> None:
    made, asked = client(MadeUpShare(of_root, TARGET), RemoteRefusal(Status.UNREADABLE, "It answered 0xc0000413."))
    for _ in range(3):
        with pytest.raises(RemoteRefusal, match="0xc0000413"):
            names(made, b"hr")
    assert len(asked) == 1


@pytest.mark.parametrize(
    "status",
    [0xC000006D, 0xC0000193, 0xC0000224, 0xC000015B, 0xC000005E, 0xC000018B, 0xC000018C, 0xC000018D],
)
def test_a_status_that_refuses_a_login(status: int) -> None:
    assert isinstance(fault_of(status, Login("b.example", "hr", "ada", "ntlm")), LoginRefused)
    assert not isinstance(fault_of(status), LoginRefused)


def test_a_kept_connection_that_broke_is_made_again_and_a_new_one_is_not() -> None:
    seen = list[Sequence[bytes]]()

    def once(folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        seen.append(folder)
        return named(b"a.txt") if len(seen) == 1 else away(folder)

    first = MadeUpShare(once)
    second = MadeUpShare(away)
    made, asked = client(MadeUpShare(of_root, TARGET), first, second)
    assert names(made, b"hr") == [b"a.txt"]
    with pytest.raises(RemoteRefusal, match="closed the connection"):
        names(made, b"hr")
    assert (len(asked), first.closed, second.closed) == (2, 1, 1)


def test_a_listing_that_breaks_off_is_a_refusal_of_that_folder() -> None:
    made, _ = client(MadeUpShare(of_root, TARGET), MadeUpShare(broken))
    with pytest.raises(RemoteRefusal, match="closed the connection"):
        names(made, b"hr")
    with pytest.raises(ConnectionBroken):
        names(client(MadeUpShare(broken))[0])


def test_a_server_behind_a_link_that_breaks_off_at_a_referral() -> None:
    def elsewhere(folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        raise LiesElsewhere(Status.UNREADABLE, "It lies on another server (DFS).")

    target = MadeUpShare(elsewhere, ConnectionBroken("The server closed the connection."))
    made, _ = client(MadeUpShare(of_root, TARGET), target)
    with pytest.raises(RemoteRefusal, match="closed the connection"):
        names(made, b"hr")
    with pytest.raises(ConnectionBroken):
        names(client(MadeUpShare(of_root, ConnectionBroken("gone")))[0], b"hr")


REPLICAS = [SharePlace("b.example", f"hr{number}", (b"all",)) for number in range(4)]
SHOWN = [rf"\\b.example\hr{number}\all" for number in range(4)]


def other_targets(caplog: pytest.LogCaptureFixture) -> list[tuple[str, ...]]:
    """Return the link, the target, the one before and the reason of each record that names another target."""
    records = (each.__dict__ for each in caplog.records if each.message == "other target of DFS link")
    return [tuple(each[name] for name in ("link", "target", "before", "reason")) for each in records]


def test_the_next_target_is_used_where_a_new_connection_breaks_and_the_log_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = MadeUpShare(lambda _: named(b"a.txt"))
    made, asked = client(MadeUpShare(of_root, REPLICAS), MadeUpShare(away), other)
    assert names(made, b"hr") == [b"a.txt"]
    assert [each.share for each in asked] == ["hr0", "hr1"]
    ((link, target, before, reason),) = other_targets(caplog)
    assert (link, target, before) == (r"\\files.example\shares\hr", SHOWN[1], SHOWN[0])
    assert "closed the connection" in reason
    assert names(made, b"hr") == [b"a.txt"]
    assert len(asked) == 2, "the first one rests, and the log says it once"


@pytest.mark.parametrize("dead", [MadeUpShare(away), refused_share(0xC0000022)])
def test_the_log_names_a_target_when_it_is_used_and_not_each_time_it_is_tried(
    dead: MadeUpShare | Exception, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Hands()
    opened = [dead, MadeUpShare(lambda _: named(b"a.txt")), dead, MadeUpShare(lambda _: named(b"b.txt"))]
    made, asked = client(MadeUpShare(of_root, REPLICAS), *opened, clock=clock)
    for _ in range(2):
        assert names(made, b"hr") == [b"a.txt"]
        assert [(target, before) for _, target, before, _ in other_targets(caplog)] == [(SHOWN[1], SHOWN[0])]
        clock.at += REST_S + 1
    assert [each.share for each in asked] == ["hr0", "hr1", "hr0"]
    assert names(made, b"hr") == [b"b.txt"]
    assert other_targets(caplog)[1:] == [(r"\\files.example\shares\hr", SHOWN[0], SHOWN[1], "")]


def test_what_breaks_every_connection_lets_no_more_than_two_shares_rest(caplog: pytest.LogCaptureFixture) -> None:
    opened = [MadeUpShare(away) for _ in REPLICAS]
    made, asked = client(MadeUpShare(of_root, REPLICAS), *opened)
    with pytest.raises(RemoteRefusal, match="closed the connection"):
        names(made, b"hr", b"evil")
    assert [each.share for each in asked] == ["hr0", "hr1"]
    assert other_targets(caplog) == [], "none of them is used"


def test_the_next_target_is_used_where_the_folder_of_the_first_is_not_there(caplog: pytest.LogCaptureFixture) -> None:
    stale, other = MadeUpShare(absent), MadeUpShare(lambda folder: named(b"a.txt", *folder))
    clock = Hands()
    made, asked = client(MadeUpShare(of_root, REPLICAS), stale, other, clock=clock)
    for _ in range(2):
        assert names(made, b"hr", b"x") == [b"a.txt", b"all", b"x"]
        assert [(target, before) for _, target, before, _ in other_targets(caplog)] == [(SHOWN[1], SHOWN[0])]
        clock.at += REST_S + 1
    assert [each.share for each in asked] == ["hr0", "hr1"]


def test_a_folder_of_a_link_that_no_target_has_is_away_and_not_gone() -> None:
    made, _ = client(MadeUpShare(of_root, REPLICAS[:2]), MadeUpShare(absent), MadeUpShare(absent))
    for _ in range(2):
        with pytest.raises(RemoteRefusal, match=r"b\.example does not have the folder of the link") as caught:
            names(made, b"hr", b"x")
        assert caught.value.status == Status.SERVICE_UNAVAILABLE


def test_a_file_that_is_not_in_the_folder_of_a_link_is_gone() -> None:
    made, asked = client(
        MadeUpShare(of_root, REPLICAS), MadeUpShare(lambda folder: named() if len(folder) == 1 else absent(folder))
    )
    with pytest.raises(RemoteRefusal) as caught:
        names(made, b"hr", b"x")
    assert (caught.value.status, len(asked)) == (Status.NOT_FOUND, 1)


@pytest.mark.parametrize("has_other_folder", [True, False])
def test_a_target_that_another_thread_lets_rest_meanwhile_is_the_one_that_is_stale(has_other_folder: bool) -> None:
    one, two = SharePlace("b.example", "hr0", (b"old",)), SharePlace("b.example", "hr1", (b"docs",))
    namespace = made_up_namespace()

    def rested_meanwhile(folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        if has_other_folder and folder == two.folder:
            return named()
        namespace.rest_target(one, RemoteRefusal(Status.SERVICE_UNAVAILABLE, "Another thread found it stale."))
        return absent(folder)

    stale, other = MadeUpShare(rested_meanwhile), MadeUpShare(lambda folder: named(b"a.txt", *folder))
    made, asked = client(MadeUpShare(of_root, [one, two]), stale, other, namespace=namespace)
    assert names(made, b"hr", b"x") == [b"a.txt", b"docs", b"x"]
    assert [each.share for each in asked] == ["hr0", "hr1"]


def test_targets_are_tried_within_a_bounded_time() -> None:
    clock = Hands()

    class Slow(MadeUpShare):
        def identity(self, folder: Sequence[bytes]) -> str:
            clock.at += 40.0
            return super().identity(folder)

    made, asked = client(MadeUpShare(of_root, REPLICAS), *[Slow(absent) for _ in REPLICAS], clock=clock)
    with pytest.raises(RemoteRefusal, match="none of those tried within 60 s"):
        names(made, b"hr")
    assert [each.share for each in asked] == ["hr0", "hr1"]
