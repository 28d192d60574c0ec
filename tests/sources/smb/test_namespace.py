"""Ways through a DFS namespace: links behind links, circles, servers that rest, and referrals of anything."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from cormorant.base.errors import BadSetting
from cormorant.model.settings.source import parse_settings
from cormorant.model.status import Status
from cormorant.sources.remote.protocol import RemoteRefusal
from cormorant.sources.smb.dfs_referral import Referral, SharePlace
from cormorant.sources.smb.namespace import (
    MAX_KEPT,
    MAX_LINKS,
    MOST_S,
    MOST_TARGETS,
    REST_S,
    DfsNamespace,
    namespace_path,
)
from cormorant.sources.smb.settings import SmbSettings
from tests.clocks import Hands

LOGIN = {"url": "smb://files.example/shares", "user": "ada", "password": "secret:p"}


def place(text: str) -> SharePlace:
    host, share, *folder = text.split("/")
    return SharePlace(host, share, tuple(each.encode() for each in folder))


def referral(link: str, *targets: str, lives_s: int = 300) -> Referral:
    return Referral(len(namespace_path(place(link))), tuple(place(each) for each in targets), lives_s)


def namespace(clock: Hands | None = None, **more: Any) -> DfsNamespace:
    settings = parse_settings(SmbSettings, {**LOGIN, "dfs_servers": ["b.example", "*.corp.example"], **more})
    return DfsNamespace(settings, clock or Hands())


def test_a_path_below_a_link_lies_at_its_target_whatever_its_case() -> None:
    known = namespace()
    known.add(place("files.example/shares/HR/x"), referral("files.example/shares/HR", "b.example/hr/all"))
    assert known.resolved(place("files.example/shares/hr/y/Z")).place == place("b.example/hr/all/y/Z")
    assert known.resolved(place("files.example/shares/other")).place == place("files.example/shares/other")


def test_a_link_behind_a_link() -> None:
    known = namespace()
    known.add(place("files.example/shares/a"), referral("files.example/shares/a", "b.example/one"))
    known.add(place("b.example/one/in"), referral("b.example/one/in", "x.corp.example/two"))
    assert known.resolved(place("files.example/shares/a/in/f")).place == place("x.corp.example/two/f")


@pytest.mark.parametrize("target", ["files.example/shares", "FILES.example/Shares/a"])
def test_a_link_that_leads_back(target: str) -> None:
    known = namespace()
    known.add(place("files.example/shares/a"), referral("files.example/shares/a", target))
    with pytest.raises(RemoteRefusal, match="leads back to a folder above it"):
        known.resolved(place("files.example/shares/a/f"))


def test_links_without_end() -> None:
    known = namespace()
    for number in range(MAX_LINKS + 1):
        link = f"b.example/s{number}"
        known.add(place(link), referral(link, f"b.example/s{number + 1}"))
    assert known.resolved(place("b.example/s1/f")).place == place(f"b.example/s{MAX_LINKS + 1}/f")
    with pytest.raises(RemoteRefusal, match="more than 8 links"):
        known.resolved(place("b.example/s0/f"))


@pytest.mark.parametrize(
    ("host", "is_permitted"),
    [
        ("b.example", True), ("B.EXAMPLE.", True), ("files.example", True), ("a.corp.example", True),
        ("corp.example", False), ("evilcorp.example", False), ("c.example", False), ("b.example.evil", False),
        ("a b.corp.example", False), ("evil@a.corp.example", False), ("*.corp.example", False),
        ("a..corp.example", False), (".corp.example", False), ("x:445.corp.example", False),
        ("\u212a.corp.example", False), ("A.Corp.Example.", True),
        ("a." * 130 + "corp.example", False),
    ],
)  # fmt: skip
def test_servers_that_may_have_the_login(host: str, is_permitted: bool) -> None:
    known = namespace()
    known.add(place("files.example/shares/a"), referral("files.example/shares/a", f"{host}/s"))
    if is_permitted:
        assert known.resolved(place("files.example/shares/a")).place.host == host
        return
    with pytest.raises(RemoteRefusal, match="set dfs_servers"):
        known.resolved(place("files.example/shares/a"))


def test_a_share_rests_for_a_while_and_a_refused_login_for_good() -> None:
    clock = Hands()
    known = namespace(clock)
    link = "files.example/shares/a"
    known.add(place(link), referral(link, "b.example/s", "x.corp.example/s", lives_s=10_000))
    known.rest(place("b.example/s"), RemoteRefusal(Status.SERVICE_UNAVAILABLE, "away"))
    assert known.resolved(place(link)).place.host == "x.corp.example"
    known.rest(place("x.corp.example/s"), RemoteRefusal(Status.UNAUTHORIZED, "no login"))
    with pytest.raises(RemoteRefusal, match="no login"):
        known.resolved(place(link))
    clock.at += REST_S + 1
    assert known.resolved(place(link)).place.host == "b.example"
    known.add(place("files.example/shares/c"), referral("files.example/shares/c", "x.corp.example/other"))
    with pytest.raises(RemoteRefusal, match="no login"):
        known.resolved(place("files.example/shares/c"))
    clock.at += MOST_S
    assert known.resolved(place(link)).place == place(link), "the server is asked again"


def test_a_server_rests_with_all_its_shares_and_a_refused_login_stays_refused() -> None:
    clock = Hands()
    known = namespace(clock)
    known.add(place("files.example/shares/a"), referral("files.example/shares/a", "b.example/other", lives_s=10_000))
    away = RemoteRefusal(Status.SERVICE_UNAVAILABLE, "away")
    known.rest(place("b.example/s"), away, whole_server=True)
    with pytest.raises(RemoteRefusal, match="away"):
        known.resolved(place("files.example/shares/a"))
    clock.at += REST_S + 1
    assert known.resolved(place("files.example/shares/a")).place.share == "other"
    known.rest(place("b.example/other"), away)
    with pytest.raises(RemoteRefusal, match="away"):
        known.resolved(place("files.example/shares/a"))
    known.rest(place("b.example/s"), RemoteRefusal(Status.UNAUTHORIZED, "no login"))
    known.rest(place("b.example/s"), away, whole_server=True)
    clock.at += REST_S + 1
    with pytest.raises(RemoteRefusal, match="no login"):
        known.resolved(place("files.example/shares/a"))


def test_only_targets_that_may_be_used_are_kept_and_few_of_them() -> None:
    known = namespace()
    link = "files.example/shares/a"
    others = [f"evil{number}.example/s" for number in range(60)]
    known.add(place(link), referral(link, *others, *[f"b.example/s{number}" for number in range(40)]))
    for number in range(MOST_TARGETS):
        assert known.resolved(place(link)).place.share == f"s{number}"
        known.rest(place(f"b.example/s{number}"), RemoteRefusal(Status.SERVICE_UNAVAILABLE, "away"))
    with pytest.raises(RemoteRefusal, match="away"):
        known.resolved(place(link))


def test_the_name_of_a_server_that_may_not_be_used_is_cut_and_stays_refused() -> None:
    known = namespace(dfs_servers=["*.xx"])
    link = "files.example/shares/a"
    known.add(place(link), referral(link, f"{'x.' * 28}x.xx.{'y.' * 900}evil/s"))
    with pytest.raises(RemoteRefusal, match="set dfs_servers") as caught:
        known.resolved(place(link))
    assert len(caught.value.sentence) < 200


def test_long_targets_without_end_take_no_more_than_a_bound() -> None:
    def targets() -> tuple[SharePlace, ...]:
        shares = (f"s{number}" for number in range(MOST_TARGETS))
        return tuple(SharePlace("b.example", each, tuple(b"%04d" % part for part in range(800))) for each in shares)

    known = namespace()
    links = [place(f"files.example/shares/{number}") for number in range(60)]
    tracemalloc.start()
    try:
        for each in links:
            known.add(each, Referral(len(namespace_path(each)), targets(), 300))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < MAX_KEPT * 5 / 4
    assert known.resolved(links[-1]).place == targets()[0], "the last one is known"
    assert known.resolved(links[0]).place == links[0], "the server is asked again"


@pytest.mark.parametrize("consumed", [0, 3, 10_000])
def test_a_referral_of_half_a_name_is_refused(consumed: int) -> None:
    with pytest.raises(RemoteRefusal, match="cannot be read"):
        namespace().add(place("files.example/shares/a"), Referral(consumed, (place("b.example/s"),), 300))


@pytest.mark.parametrize("name", ["b.example/x", "*", "*.", "b example", "smb://b.example", "*b.example"])
def test_a_name_of_no_server(name: str) -> None:
    with pytest.raises(BadSetting, match="names no server"):
        namespace(dfs_servers=[name])
