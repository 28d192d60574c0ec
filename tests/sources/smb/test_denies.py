"""Denies of a share of Samba that keeps access lists as Windows writes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cormorant.model.acl import ACL, NOBODY, Reader
from cormorant.model.content import Content
from tests.sources.remote.listing import fetched, listed, remote
from tests.sources.smb.samba import KEEPS_RIGHTS, PASSWORD, Extra, RightEntry, Samba, samba, see_rights_kept, set_rights

pytestmark = pytest.mark.server
SECRETS = {"p": PASSWORD}
OPEN = RightEntry("S-1-1-0", True)
"""Everybody may read."""
DAEMON, GAMES = RightEntry("S-1-22-1-1", False), RightEntry("S-1-22-2-60", False)
"""An account of Unix and a group of Unix, as Samba writes them, may not."""
UNKNOWN = RightEntry("S-1-5-21-1-2-3-4711", False)
DELETE = 0x00010000


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Samba]:
    see_rights_kept()
    folder = tmp_path_factory.mktemp("share")
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(name)
    extra = Extra(of_share=KEEPS_RIGHTS)
    with samba(folder, tmp_path_factory.mktemp("state"), read_only=False, with_=extra) as made:
        yield made


def rights(server: Samba, **more: object) -> ACL | None:
    got = fetched("smb", SECRETS, "a.txt", **server.settings(owner_grants=True, **more))
    assert isinstance(got, Content)
    return got.acl


def test_an_account_and_a_group_are_denied(server: Samba) -> None:
    set_rights(server, "a.txt", DAEMON, GAMES, OPEN)
    acl = rights(server)
    assert acl is not None
    assert set(acl.grants) == {"everyone"}
    assert {"user:Unix User\\daemon", f"group:{DAEMON.sid}", "group:Unix Group\\games"} <= set(acl.denies)


def test_a_deny_wins_wherever_it_stands(server: Samba) -> None:
    set_rights(server, "a.txt", OPEN, DAEMON)
    acl = rights(server, sid_lookup="account")
    assert acl is not None
    assert "user:daemon" in acl.denies
    assert not Reader("suite", frozenset(("everyone", "user:daemon"))).may_read(acl)
    assert Reader("suite", frozenset(("everyone", "user:games"))).may_read(acl)


def test_a_deny_of_deleting_is_none_of_reading(server: Samba) -> None:
    set_rights(server, "a.txt", DAEMON._replace(mask=DELETE), OPEN)
    assert rights(server) == ACL.of(["everyone"])


def test_a_deny_of_an_account_that_nobody_knows_closes_the_file(server: Samba) -> None:
    set_rights(server, "a.txt", UNKNOWN, OPEN)
    acl = rights(server)
    assert acl is not None
    assert not acl.grants
    named = rights(server, sid_names=[f"{UNKNOWN.sid}=user:eve"])
    assert named is not None
    assert set(named.grants) == {"everyone"}
    assert "user:eve" in named.denies


def test_other_rights_are_another_version(server: Samba) -> None:
    set_rights(server, "a.txt", OPEN)
    set_rights(server, "b.txt", OPEN)
    before = listed(remote("smb", SECRETS, **server.settings(owner_grants=True)))
    set_rights(server, "a.txt", DAEMON, OPEN)
    after = listed(remote("smb", SECRETS, **server.settings(owner_grants=True)))
    assert {name for name in before if before[name] != after[name]} == {"a.txt"}


def test_an_empty_list_is_for_nobody(server: Samba) -> None:
    set_rights(server, "a.txt")
    assert rights(server) == NOBODY
