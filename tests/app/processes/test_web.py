"""Who can reach the pages, and by which names?"""

from __future__ import annotations

import gc
import socket
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.processes import web
from cormorant.app.processes.web import Reach
from cormorant.app.settings import InstallationSettings
from cormorant.base.errors import ConflictError, UsageError

PLAN = BuildPlan(Path("/nowhere"), InstallationSettings())


def reach(**more: object) -> web.Reach:
    given = {"host": None, "port": None} | more
    return web.reach_of(PLAN, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("more", "beyond"),
    [
        ({}, False), ({"host": "localhost"}, False), ({"host": "127.8.9.1"}, False), ({"host": "[::1]"}, False),
        ({"host": "0.0.0.0"}, True), ({"host": "::"}, True), ({"host": "192.0.2.1"}, True),
        ({"host": "localhost.example.org"}, True), ({"host": "127.0.0.1.example.org"}, True),
        ({"names": ["search.example.org"]}, True), ({"proxies": ["127.0.0.1"]}, True), ({"private": True}, True),
    ],
)  # fmt: skip
def test_who_reaches_them(more: dict[str, object], beyond: bool) -> None:
    assert reach(**more).is_beyond is beyond


def test_what_the_installation_says_counts_as_what_is_asked_for() -> None:
    plan = BuildPlan(Path("/nowhere"), InstallationSettings(listen="0.0.0.0:80"))
    found = web.reach_of(plan, None, None)
    assert (found.host, found.port, found.is_beyond) == ("0.0.0.0", 80, True)
    with pytest.raises(UsageError, match="it takes HOST:PORT"):
        web.reach_of(BuildPlan(Path("/nowhere"), InstallationSettings(listen="localhost:http")), None, None)


def test_names_are_those_of_the_machine_and_those_given() -> None:
    given = reach(host="0.0.0.0", names=["Search.Example.ORG.", "[2001:DB8::0:5]", "192.0.2.1", "bücher.example"])
    assert given.names == ("search.example.org", "[2001:db8::5]", "192.0.2.1", "xn--bcher-kva.example")
    assert {*given.names, socket.gethostname().lower()} <= set(given.hosts)
    assert reach().hosts == ["127.0.0.1"]
    assert reach(host="::1").hosts == ["[::1]"]


@pytest.mark.parametrize("name", ["", "a b", "a/b", "http://a", "a:80", "*.example.org", "-a", "a..b", "[x]", "x" * 64])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UsageError, match="this is no host"):
        reach(names=[name])


@pytest.mark.parametrize("proxy", ["", "*", "nginx", "10.0.0.1/8", "127.0.0.1:80", "::1/200"])
def test_what_is_no_proxy(proxy: str) -> None:
    with pytest.raises(UsageError, match="this is no address"):
        reach(proxies=[proxy])


@pytest.mark.parametrize(("host", "names", "shown"), [
    ("127.0.0.1", [], "127.0.0.1"), ("0.0.0.0", ["search.example.org"], "search.example.org"),
    ("0.0.0.0", [], socket.gethostname()), ("::1", [], "[::1]"),
])  # fmt: skip
def test_the_address_that_is_shown_can_be_opened(host: str, names: list[str], shown: str) -> None:
    asked = reach(host=host, port=0, names=names)
    with web.bind(asked, PLAN) as listener:
        assert web.shown_address(listener, asked) == f"http://{shown}:{listener.getsockname()[1]}/"


def test_the_hits_of_a_few_questions_are_made_without_looking_for_cycles() -> None:
    before = gc.get_threshold()
    try:
        web.seldom_collected()
        looks = [each["collections"] for each in gc.get_stats()]
        kept = [[(number,) for number in range(10_000)] for _ in range(3)]
        assert [each["collections"] for each in gc.get_stats()] == looks, f"{len(kept)} questions"
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def test_a_port_that_nobody_named_may_be_another(tmp_path: Path) -> None:
    plan = BuildPlan(tmp_path, InstallationSettings())
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        free = Reach("127.0.0.1", port, named=False)
        with web.bind(free, plan) as listener:
            other = listener.getsockname()[1]
            assert port < other <= port + web.NEARBY
            assert web.moved(listener, free).startswith(f"Port {port} is in use by another program, so the page is at")
        with pytest.raises(
            ConflictError, match=r"in use by another program. Name another, like --port [0-9]+, which is"
        ):
            web.bind(Reach("127.0.0.1", port), plan)
    with web.bind(free, plan) as listener:
        assert (listener.getsockname()[1], web.moved(listener, free)) == (port, "")


def test_whose_port_is_named() -> None:
    usual, said = (
        BuildPlan(Path(), InstallationSettings()),
        BuildPlan(Path(), InstallationSettings(listen="127.0.0.1:8765")),
    )
    assert not web.reach_of(usual, None, None).named
    assert web.reach_of(usual, None, 8765).named
    assert web.reach_of(said, None, None).named
    assert web.reach_of(usual, None, None, names=("search.example.org",)).named, "a proxy goes to the one it knows"
