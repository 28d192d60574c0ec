"""The fetcher on good days: what an answer holds, kept connections, limits that are not reached."""

from __future__ import annotations

import asyncio
import gzip
import os
from pathlib import Path

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.profiling import StepTable
from cormorant.net.egress.guard import Egress
from cormorant.net.egress.policy import Consent
from cormorant.net.http.client import MAX_HELD, Fetcher
from cormorant.net.http.messages import Request, Response
from tests.clocks import HANG_S
from tests.net.http.servers import (
    CERTIFICATE,
    EXPIRED,
    Talk,
    answered,
    asking,
    failed,
    keeping,
    ok,
    run,
    saying,
    saying_then_silent,
    serving,
    tls_of,
)
from tests.scarcity import few_files


def test_an_answer_holds_everything() -> None:
    answer = answered(saying(ok(b"hello", 'ETag: "a"', "Content-Type: Text/HTML; charset=UTF-8")))
    assert (answer.status, answer.status_line, answer.body) == (200, "HTTP/1.1 200 OK", b"hello")
    assert answer.header_block == b'Content-Length: 5\r\nETag: "a"\r\nContent-Type: Text/HTML; charset=UTF-8\r\n'
    assert answer.headers.get("etag") == '"a"'
    assert answer.received == len(b"HTTP/1.1 200 OK\r\n\r\n") + len(answer.header_block) + 5
    assert (answer.decoded, answer.truncated, answer.peer, answer.requests) == (5, False, "127.0.0.1", 1)


@pytest.mark.parametrize("path", ["/j%2fk", "/j%2Fk?a=%e2%82%ac", "/a//b/%7e?x=/../y", "/?", "/%"])
def test_a_path_is_sent_as_it_is_written(path: str) -> None:
    async def work() -> bytes:
        async with serving(saying(ok())) as server, asking(server) as client:
            await client.answer(server.url(path))
            return server.requests[0]

    assert run(work()).decode().split("\r\n")[0] == f"GET {path} HTTP/1.1"


def test_only_what_was_asked_for_is_sent() -> None:
    async def work() -> bytes:
        async with serving(saying(ok())) as server, asking(server) as client:
            await client.answer(server.url("/a/../b?c=%20d"), headers=('If-None-Match: "x"',), user_agent="diver/1")
            return server.requests[0]

    lines = run(work()).decode().split("\r\n")
    assert lines[0] == "GET /a/../b?c=%20d HTTP/1.1"
    assert sorted(line.partition(":")[0].lower() for line in lines[1:-2]) == [
        "accept",
        "accept-encoding",
        "host",
        "if-none-match",
        "user-agent",
    ]
    assert "User-Agent: diver/1" in lines
    assert 'If-None-Match: "x"' in lines


@pytest.mark.parametrize("line", ["X: a\r\nY: b", "X: a\n", "X: \0"])
def test_a_header_line_is_one_line(line: str) -> None:
    with pytest.raises(ValueError, match="line ends"):
        failed(saying(ok()), headers=(line,))


def test_the_agent_is_one_line() -> None:
    with pytest.raises(ValueError, match="line ends"):
        failed(saying(ok()), user_agent="diver\r\nX: y")


def test_headers_do_not_stay_for_the_next_request() -> None:
    async def work() -> list[bytes]:
        async with serving(keeping(ok())) as server, asking(server, width=1) as client:
            await client.answer(headers=('If-None-Match: "x"',))
            await client.answer()
            await client.answer(headers=('If-None-Match: "ä"',))
            return server.requests

    first, second, third = run(work())
    assert b"If-None-Match" in first
    assert b"If-None-Match" not in second
    assert 'If-None-Match: "ä"'.encode() in third


def test_a_connection_is_kept() -> None:
    async def work() -> None:
        async with serving(keeping(ok())) as server, asking(server) as client:
            answers = [await client.answer() for _ in range(20)]
            assert [answer.reused for answer in answers] == [False] + 19 * [True]
            assert server.connections == 1

    run(work())


def test_connections_of_many_hosts_in_turn_are_kept() -> None:
    names = [f"host{number}.example" for number in range(150)]

    async def work() -> None:
        serves = serving(keeping(ok()))
        async with serves as server, asking(server, *names, lookup=lambda _: ("127.0.0.1",)) as client:
            for again in (False, True):
                answers = [await client.answer(server.url(host=name)) for name in names]
                assert {answer.reused for answer in answers} == {again}
            assert server.connections == len(names)

    run(work())


def test_a_connection_closed_while_idle_is_replaced() -> None:
    async def work() -> None:
        async with serving(saying(ok())) as server, asking(server) as client:
            for _ in range(5):
                assert not (await client.answer()).reused
                await asyncio.sleep(0.02)
            assert (server.connections, len(server.requests)) == (5, 5)

    run(work())


async def taken(talk: Talk) -> None:
    """Keep what is put, and the connection, for two requests; then close without a word to the third."""
    for _ in range(2):
        head = await talk.request()
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        talk.server.requests.append(await talk.reader.readexactly(length))
        await talk.send(ok())


def test_a_body_is_sent_as_it_is_and_again_where_a_kept_connection_died() -> None:
    body = bytes(range(256)) * 1_000

    async def work() -> list[bytes]:
        async with serving(taken) as server, asking(server) as client:
            for number in range(5):
                await client.answer(body=body + b"%d" % number, method="PUT" if number != 1 else "")
            await client.answer()
            return server.requests

    requests = run(work())
    assert [each.partition(b" ")[0] for each in requests[::2]] == [b"PUT", b"POST", b"PUT", b"PUT", b"PUT", b"GET"]
    assert requests[1::2] == [*(body + b"%d" % number for number in range(5)), b""], "with its zero bytes"


@pytest.mark.parametrize("status", [204, 205, 206, 301, 302, 304, 404, 429, 500, 503])
def test_every_status_is_an_answer(status: int) -> None:
    head = f"HTTP/1.1 {status} Word\r\nContent-Length: 0\r\nLocation: http://127.0.0.1:1/\r\nRetry-After: 5\r\n\r\n"
    answer = answered(saying(head.encode()))
    assert answer.status == status
    assert answer.headers.get("location") == "http://127.0.0.1:1/"


@pytest.mark.parametrize("head", ["304 Not Modified\r\nContent-Length: 9", "204 No Content\r\nContent-Length: 3"])
def test_a_bodiless_answer_with_a_length_does_not_harm_the_next(head: str) -> None:
    async def work() -> None:
        script = saying(f"HTTP/1.1 {head}\r\n\r\n".encode(), ok(), ok())
        async with serving(script) as server, asking(server) as client:
            assert (await client.answer()).body == b""
            assert [(await client.answer()).body for _ in range(2)] == [b"hello", b"hello"]

    run(work())


def test_http_1_0_and_bare_line_feeds() -> None:
    assert answered(saying(b"HTTP/1.0 200 OK\r\n\r\nuntil the end")).body == b"until the end"
    answer = answered(saying(b"HTTP/1.1 200\nContent-Length: 2\nX: y\n\nhi"))
    assert (answer.status_line, answer.body, answer.headers.get("x")) == ("HTTP/1.1 200", b"hi", "y")


def test_interim_responses_and_trailers_are_left_out() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    final = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Late: 1\r\n\r\n"
    answer = answered(saying(3 * early + final))
    assert (answer.status, answer.body) == (200, b"hi")
    assert answer.header_block == b"Transfer-Encoding: chunked\r\n"


def test_the_environments_proxy_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert answered(saying(ok())).status == 200


def test_netrc_and_user_information_are_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))

    async def work() -> None:
        async with serving(keeping(ok())) as server, asking(server) as client:
            await client.answer()
            assert b"uthorization" not in server.requests[0]
            fault = await client.fault(server.url().replace("//", "//ada:secret@"))
            assert (fault.status, len(server.requests)) == (1004, 1)

    run(work())


def test_cookies_are_not_kept() -> None:
    async def work() -> None:
        async with serving(keeping(ok(b"", "Set-Cookie: a=b"))) as server, asking(server) as client:
            await client.answer()
            await client.answer()
            assert not any(b"Cookie" in request for request in server.requests)

    run(work())


def test_ipv6_literals() -> None:
    async def work() -> Response:
        async with serving(saying(ok()), hosts=("::1",)) as server, asking(server) as client:
            return await client.answer(server.url(host="[::1]"))

    assert run(work()).peer == "::1"


@pytest.mark.parametrize(("address", "status"), [("ftp://127.0.0.1/", 1005), ("file:///etc/hosts", 1005)])
def test_other_schemes_are_not_asked(address: str, status: int) -> None:
    assert failed(saying(ok()), url=address).status == status


def test_more_requests_than_slots_wait_their_turn() -> None:
    async def work() -> None:
        busy = most = 0

        async def script(talk: Talk) -> None:
            nonlocal busy, most
            while await talk.request():
                busy += 1
                most = max(most, busy)
                await asyncio.sleep(0.005)
                busy -= 1
                await talk.send(ok())

        async with serving(script) as server, asking(server, width=3) as client:
            answers = await asyncio.gather(*(client.answer() for _ in range(40)))
            assert len(answers) == 40
            assert (most, server.connections) == (3, 3)

    run(work())


def test_cancelled_requests_give_their_slots_back() -> None:
    async def work() -> None:
        async def script(talk: Talk) -> None:
            while head := await talk.request():
                await (talk.reader.read() if b"/slow" in head else talk.send(ok()))

        async with serving(script) as server, asking(server, width=2) as client:
            slow = [asyncio.create_task(client.get(server.url("/slow"))) for _ in range(6)]
            await asyncio.sleep(0.05)
            for task in slow:
                task.cancel()
            ended = await asyncio.gather(*slow, return_exceptions=True)
            assert all(isinstance(one, asyncio.CancelledError) for one in ended)
            assert [(await client.answer()).status for _ in range(4)] == 4 * [200]
            await asyncio.sleep(0.05)
            assert server.open <= 2

    run(work())


def test_closing_ends_what_is_under_way() -> None:
    async def work() -> None:
        async def script(talk: Talk) -> None:
            await talk.reader.read()

        async with serving(script) as server, asking(server) as client:
            task = asyncio.create_task(client.fault())
            await asyncio.sleep(0.05)
            await client.fetcher.close()
            assert (await task).retryable
            await asyncio.sleep(0.05)
            assert server.open == 0

    run(work())


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_connections_and_descriptors_do_not_leak() -> None:
    async def work() -> None:
        async with serving(keeping(ok())) as server, asking(server, width=4) as client:
            await asyncio.gather(*(client.answer() for _ in range(50)))
            before = descriptors()
            for _ in range(10):
                await asyncio.gather(*(client.answer() for _ in range(50)))
                await client.get(max_bytes=1)
            await asyncio.sleep(0.05)
            assert server.open <= 4
            assert descriptors() <= before + 8

    before = descriptors()
    run(work())
    assert descriptors() <= before


def test_large_bodies_come_whole() -> None:
    body = os.urandom(3_000_000)
    assert answered(saying(ok(body))).body == body
    packed = gzip.compress(body, 1)
    answer = answered(saying(ok(packed, "Content-Encoding: gzip")))
    assert answer.body == body
    assert answer.received < len(packed) + 200
    assert answer.decoded == len(body)


def test_steps_are_counted() -> None:
    table = StepTable()

    async def work() -> None:
        async with serving(keeping(ok())) as server:
            egress = Egress(SystemClock())
            fetcher = Fetcher(egress, steps=table)
            consent = Consent.of([("127.0.0.1", server.port)])
            assert isinstance(await fetcher.get(Request(server.url(), consent=consent)), Response)
            await fetcher.close()

    run(work())
    assert table.rows["http"][0] > 0


def test_tls_is_verified() -> None:
    async def work() -> None:
        async with serving(keeping(ok()), tls=tls_of(CERTIFICATE)) as server, asking(server, "localhost") as client:
            named, ca = server.url(host="localhost", scheme="https"), str(CERTIFICATE)
            unknown = await client.fault(named)
            assert (unknown.status, unknown.whole_site, unknown.requests) == (976, True, 0)
            assert (await client.answer(named, ca=ca)).status == 200
            assert (await client.fault(named)).status == 976

    run(work())


@pytest.mark.parametrize(("certificate", "host"), [(EXPIRED, "localhost"), (CERTIFICATE, "other.example")])
def test_expired_and_foreign_certificates_fail(certificate: Path, host: str) -> None:
    async def work() -> None:
        def lookup(_: str) -> tuple[str, ...]:
            return ("127.0.0.1",)

        serves = serving(keeping(ok()), tls=tls_of(certificate))
        async with serves as server, asking(server, host, lookup=lookup) as client:
            fault = await client.fault(server.url(host=host, scheme="https"), ca=str(certificate))
            assert (fault.status, fault.retryable, len(server.requests)) == (976, False, 0)

    run(work())


@pytest.mark.parametrize("apart", [False, True])
def test_more_requests_than_the_width_are_under_way_while_they_hold_little(apart: bool) -> None:
    async def work(held: int, wanted: int) -> None:
        async with serving(saying_then_silent(b"")) as server:
            clock = SystemClock()
            egress = Egress(clock)
            whole = Fetcher(egress, width=2, most=6)
            fetcher = whole.apart() if apart else whole
            fetcher._held = held
            consent = Consent.of([("127.0.0.1", server.port)])
            asking = [asyncio.create_task(fetcher.get(Request(server.url(), consent=consent))) for _ in range(9)]
            async with asyncio.timeout(HANG_S):
                for _ in range(wanted):
                    await server.came.acquire()
            await asyncio.sleep(0.1)  # one more would come about now
            assert len(server.requests) == wanted
            for each in asking:
                each.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
            await fetcher.close()
            await whole.close()
            await egress.close()

    run(work(0, 6))
    run(work(MAX_HELD + 1, 2))


def test_no_more_connections_are_opened_than_there_may_be_files_for() -> None:
    async def work() -> tuple[int, int]:
        async with serving(keeping(ok())) as server:
            with few_files(20):
                async with asking(server, width=32) as client:
                    got = await asyncio.gather(*(client.get() for _ in range(32)))
            return sum(isinstance(each, Response) for each in got), server.connections

    answers, connections = run(work())
    assert answers == 32
    assert connections < 8


def test_connections_that_are_kept_give_way_while_files_are_few() -> None:
    hosts = tuple(f"127.0.0.{number}" for number in range(1, 10))

    async def work() -> list[int]:
        async with serving(keeping(ok()), hosts=hosts) as server, asking(server, *hosts) as client:
            for host in hosts[:-1]:
                await client.answer(server.url(host=host))
            with few_files(1):
                return [(await client.get(server.url(host=hosts[-1]))).status for _ in range(2)]

    assert run(work()) == [904, 200]
