from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.sample.site import SampleRequest, SampleSite
from cormorant.base.clock import pause
from cormorant.base.errors import Unreachable
from tests.clocks import HANG_S

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def site() -> Iterator[SampleSite]:
    with SampleSite() as site:
        yield site


def connect(site: SampleSite) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(site.address.removeprefix("http://").rstrip("/"), timeout=HANG_S)


def test_one_connection_serves_many_requests_and_all_are_in_the_log(site: SampleSite) -> None:
    before = len(site.log)
    connection = connect(site)
    tag = ""
    for target, status in (("/", 200), ("/home.html", 301), ("/nowhere", 404), ("/island.html?a=b", 200)):
        connection.request("GET", target)
        answer = connection.getresponse()
        assert answer.status == status
        assert answer.read()
        tag = answer.headers["ETag"]
        assert site.log[-1] == SampleRequest("GET", target, status)
    descriptor = connection.sock.fileno()
    connection.request("GET", "/island.html", headers={"If-None-Match": tag})
    assert connection.getresponse().status == 304
    assert connection.sock.fileno() == descriptor
    connection.close()
    assert len(site.log) - before == 5


def test_those_who_misbehave_end_only_their_own_connection(site: SampleSite) -> None:
    port = int(site.address.rstrip("/").rpartition(":")[2])
    for data in (b"", b"GET", b"x" * 100_000, b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET", b"\0\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", port), timeout=HANG_S) as raw:
            raw.sendall(data)
    connection = connect(site)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()


def test_starting_twice_and_stopping_twice() -> None:
    site = SampleSite()
    assert site.start() == site.start()
    site.stop()
    site.stop()
    assert site.log == []


def test_a_fixed_port_and_one_that_is_taken(site: SampleSite) -> None:
    taken = int(site.address.rstrip("/").rpartition(":")[2])
    with pytest.raises(Unreachable, match=f"Port {taken} cannot be had"):
        SampleSite(taken).start()
    with SampleSite() as other:
        free = int(other.address.rstrip("/").rpartition(":")[2])
    with SampleSite(free) as again:
        assert again.address == f"http://127.0.0.1:{free}/"


def test_it_ends_with_its_starter() -> None:
    program = (
        "import sys; from cormorant.app.sample.site import SampleSite; site = SampleSite(); "
        "print(site.start(), flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as starter:
        assert starter.stdout is not None
        port = int(starter.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        starter.kill()
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return
        pause(0.05)
    pytest.fail("the sample site goes on without its starter")


def test_from_a_terminal() -> None:
    command = [sys.executable, "-m", "cormorant.app.sample"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("The sample site is at http://127.0.0.1:")
        os.kill(program.pid, signal.SIGINT)
        assert program.wait(HANG_S) == 130
        assert program.stderr is not None
        assert program.stderr.read() == ""
