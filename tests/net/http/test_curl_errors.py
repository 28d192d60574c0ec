"""What does it mean that no connection was made? Whoever is to blame is named by the status."""

from __future__ import annotations

import errno
import os
import resource
import socket

import pytest

from cormorant.base.exhaustion import Shortage
from cormorant.net.http import curl_handle
from cormorant.net.http.connection_options import Proxy, Route
from cormorant.net.http.curl_errors import (
    COULDNT_CONNECT,
    NO_CERTIFICATES,
    OUT_OF_MEMORY,
    SSL_CONNECT,
    TIMED_OUT,
    Failure,
    fault_of,
)
from cormorant.net.http.messages import Request, Response, TransportError
from tests.net.http.servers import asking, ok, run, saying, serving
from tests.scarcity import few_files


@pytest.mark.parametrize(
    ("error", "status", "whole_site"),
    [
        (errno.ECONNREFUSED, 906, True),
        (errno.EHOSTUNREACH, 906, True),
        (errno.ETIMEDOUT, 902, True),
        (errno.EADDRNOTAVAIL, 907, False),
    ],
)
def test_why_no_connection_was_made(error: int, status: int, whole_site: bool) -> None:
    fault = fault_of(Failure(COULDNT_CONNECT, "", error, False, False, 0), Request("http://a.example/"))
    assert (fault.status, fault.retryable, fault.whole_site) == (status, True, whole_site)


@pytest.mark.parametrize("left", range(2))
@pytest.mark.parametrize("proxied", [False, True])
def test_too_few_files_of_our_own_are_no_fault_of_a_server(left: int, proxied: bool) -> None:
    async def work() -> tuple[Response | TransportError, Response | TransportError]:
        async with serving(saying(ok(), ok())) as server, asking(server) as client:
            way = {"route": Route(Proxy("127.0.0.1", server.port, consent=client.consent))} if proxied else {}
            with few_files(left):
                first = await client.get(server.url(), **way)
            return first, await client.get(server.url(), **way)

    first, second = run(work())
    assert isinstance(first, TransportError)
    assert (first.status, first.lack, first.retryable, first.whole_site) == (904, Shortage.FILES, True, False)
    assert first.requests == 0
    assert isinstance(second, Response)


@pytest.mark.parametrize("error", [errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM])
def test_a_socket_that_is_not_made_is_no_fault_of_a_server(error: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class NoSocket(socket.socket):
        def __init__(self, *_: object) -> None:
            raise OSError(error, "")

    async def work() -> Response | TransportError:
        async with serving(saying(ok())) as server, asking(server) as client:
            monkeypatch.setattr(socket, "socket", NoSocket)
            try:
                return await client.get(server.url())
            finally:
                monkeypatch.undo()

    got = run(work())
    assert isinstance(got, TransportError)
    assert (got.status, got.whole_site) == (904, False)
    assert got.lack is not None


@pytest.mark.parametrize("code", [COULDNT_CONNECT, SSL_CONNECT, NO_CERTIFICATES, OUT_OF_MEMORY])
def test_libcurl_is_not_believed_while_files_are_few(code: int) -> None:
    with few_files(2):
        assert curl_handle._lack(code, 0, -1) is Shortage.FILES
        assert curl_handle._lack(TIMED_OUT, 0, -1) is None
        assert curl_handle._lack(COULDNT_CONNECT, errno.ECONNREFUSED, -1) is None
    assert curl_handle._lack(code, 0, -1) is (Shortage.MEMORY if code == OUT_OF_MEMORY else None)
    assert curl_handle._lack(code, errno.ENOBUFS, -1) is Shortage.MEMORY


def test_a_socket_that_was_one_of_the_last_files_is_remembered_when_there_are_more_again() -> None:
    with few_files(3):
        opened = os.open(os.devnull, os.O_RDONLY)
        os.close(opened)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 3, limits[1]))
    try:
        assert curl_handle._lack(COULDNT_CONNECT, 0, opened) is Shortage.FILES
        assert curl_handle._lack(COULDNT_CONNECT, errno.ECONNREFUSED, opened) is None
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
