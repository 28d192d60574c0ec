"""The fetcher on bad days: every misbehaviour ends as one value, in bounded time and memory (faults N2 to N14, N22)."""

from __future__ import annotations

import asyncio
import errno
import socket
import time

import pytest

from cormorant.net.http.messages import TransportError
from tests.net.http.servers import (
    CERTIFICATE,
    Script,
    Server,
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

HEAD = b"HTTP/1.1 200 OK\r\n"
OTHER_S = 9.0
"""Less than what else would end a request that nothing ends in time: an idle time-out of ten seconds."""
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def drip(start: bytes, piece: bytes, every_s: float) -> Script:
    """Say `start`, then `piece` again and again, for ever."""

    async def script(talk: Talk) -> None:
        await talk.request()
        await talk.send(start)
        while True:
            await asyncio.sleep(every_s)
            await talk.send(piece)

    return script


def test_refused_connections() -> None:
    async def work() -> TransportError:
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            server = Server(bound.getsockname()[1])
            async with asking(server) as client:
                return await client.fault()

    fault = run(work())
    assert (fault.status, fault.retryable, fault.whole_site, fault.requests) == (906, True, True, 0)


def test_a_black_hole_ends_at_the_connect_time_out() -> None:
    async def work() -> tuple[TransportError, float]:
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            port = full.getsockname()[1]
            fillers = [socket.socket() for _ in range(4)]
            for each in fillers:
                each.setblocking(False)
                assert each.connect_ex(("127.0.0.1", port)) in (0, errno.EINPROGRESS)
            async with asking(Server(port)) as client:
                start = time.perf_counter()
                fault = await client.fault(connect_timeout_s=0.5, idle_timeout_s=0.5)
                took = time.perf_counter() - start
            for each in fillers:
                each.close()
            return fault, took

    fault, took = run(work())
    assert (fault.status, fault.retryable, fault.whole_site) == (902, True, True)
    assert took < OTHER_S


@pytest.mark.parametrize(
    "script",
    [
        drip(HEAD + b"X: ", b"a", 0.05),
        drip(HEAD, b"X: aaaaaaaaaa\r\n", 0.05),
        drip(b"HTTP/1.1 200 O", b"K", 0.05),
        saying_then_silent(HEAD + b"Content-Length: 5\r\n"),
        saying_then_silent(b""),
        drip(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.2),
    ],
    ids=["line", "lines", "status", "half", "silent", "interims"],
)
def test_a_header_must_end_in_time(script: Script) -> None:
    start = time.perf_counter()
    fault = failed(script, idle_timeout_s=0.6)
    assert (fault.status, fault.retryable, fault.requests) == (902, True, 1)
    assert 0.5 < time.perf_counter() - start < OTHER_S


@pytest.mark.parametrize(
    "script",
    [
        saying_then_silent(HEAD + b"Content-Length: 2000000\r\n\r\n" + bytes(1_000_000)),
        saying_then_silent(HEAD + b"\r\nhalf"),
        drip(HEAD + b"Content-Length: 2000000\r\n\r\n" + bytes(50_000), b"a", 0.05),
        drip(CHUNKED, b"1\r\na\r\n", 0.05),
        drip(CHUNKED + b"5;", b"x" * 100, 0.05),
        saying_then_silent(CHUNKED + b"1\r\na\r\n0\r\n"),
    ],
    ids=["stall", "stall without length", "slow", "slow chunks", "endless extension", "no end of trailers"],
)
def test_a_body_that_stalls_or_crawls_is_ended(script: Script) -> None:
    start = time.perf_counter()
    fault = failed(script, idle_timeout_s=0.6)
    assert (fault.status, fault.retryable) == (902, True)
    assert 0.5 < time.perf_counter() - start < OTHER_S


def test_a_steady_body_is_not_ended() -> None:
    async def script(talk: Talk) -> None:
        await talk.request()
        await talk.send(HEAD + b"Content-Length: 20000\r\n\r\n")
        for _ in range(20):
            await asyncio.sleep(0.1)
            await talk.send(bytes(1000))

    assert answered(script, idle_timeout_s=1.5).decoded == 20_000


def test_the_whole_request_is_bounded() -> None:
    start = time.perf_counter()
    fault = failed(drip(HEAD + b"\r\n", bytes(5_000), 0.05), timeout_s=0.7)
    assert (fault.status, fault.retryable) == (902, True)
    assert time.perf_counter() - start < OTHER_S


@pytest.mark.parametrize(
    "script",
    [
        drip(HEAD, b"X-Filler: " + b"a" * 1000 + b"\r\n", 0),
        drip(HEAD + b"X: ", b"a" * 1000, 0),
        saying(HEAD + b"".join(b"X-%d: a\r\n" % n for n in range(250)) + b"Content-Length: 0\r\n\r\n"),
        saying(HEAD + b"X: " + b"a" * 70_000 + b"\r\nContent-Length: 0\r\n\r\n"),
        drip(CHUNKED + b"1\r\na\r\n0\r\n", b"X: " + b"a" * 1000 + b"\r\n", 0),
    ],
    ids=["endless fields", "endless line", "many fields", "large", "endless trailers"],
)
def test_headers_are_bounded(script: Script) -> None:
    fault = failed(script)
    assert fault.status in (1006, 1002)
    assert fault.received < 400_000


def test_a_flood_of_interim_responses_fails() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\n\r\n"
    assert answered(saying(10 * early + ok())).body == b"hello"
    assert failed(saying(11 * early + ok())).status == 1005
    assert failed(drip(b"", early, 0)).status in (1005, 1006)


@pytest.mark.parametrize(
    ("response", "status"),
    [
        (b"<html>no header at all</html>", 1005),
        (b"ICY 200 OK\r\n\r\nmusic", 1005),
        (bytes(range(256)) * 40, 1005),
        (b"HTTP/1.1 99 Low\r\n\r\n", 1005),
        (b"HTTP/3.7 200 OK\r\n\r\n", 1006),
        (b"HTTP/1.1 2000 OK\r\n\r\n", 1006),
        (b"HTTP/1.1 101 Switching\r\nUpgrade: other\r\n\r\n", 1005),
        (HEAD + b"X: a\0b\r\nContent-Length: 0\r\n\r\n", 1006),
        (HEAD + b"X: a\rSet-Cookie: b\r\nContent-Length: 0\r\n\r\n", 1006),
        (HEAD + b"no colon here\r\n\r\n", 1006),
        (HEAD + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde", 1006),
        (HEAD + b"Content-Length: 3, 5\r\n\r\nabcde", 1006),
        (HEAD + b"Content-Length: -5\r\n\r\nabcde", 1006),
        (HEAD + b"Content-Length: 5x\r\n\r\nabcde", 1006),
        (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 1005),
    ],
)
def test_what_is_not_http_fails(response: bytes, status: int) -> None:
    fault = failed(saying(response))
    assert (fault.status, fault.retryable) == (status, False)


def test_folded_lines_are_joined() -> None:
    assert answered(saying(ok(b"", "X: a\r\n   b"))).headers.get("x") == "a b"


@pytest.mark.parametrize(
    "response",
    [
        b"",
        HEAD,
        HEAD + b"Content-Length: 10\r\n\r\nabc",
        CHUNKED + b"3\r\nabc\r\n",
        CHUNKED + b"3\r\nab",
        CHUNKED + b"zz\r\nabc\r\n0\r\n\r\n",
        CHUNKED + b"ffffffffffffffffff\r\nabc\r\n",
        CHUNKED + b"-3\r\nabc\r\n0\r\n\r\n",
        CHUNKED + b"3\r\nabcdef\r\n0\r\n\r\n",
    ],
)
def test_a_broken_stream_is_not_an_answer(response: bytes) -> None:
    fault = failed(saying(response))
    assert (fault.status, fault.retryable, fault.requests) == (1002, True, 1)


def test_a_reset_in_the_middle_is_not_sent_again() -> None:
    async def script(talk: Talk) -> None:
        await talk.request()
        await talk.send(HEAD + b"Content-Length: 10\r\n\r\nabc")
        await asyncio.sleep(0.05)
        talk.reset()

    async def work() -> None:
        async with serving(script) as server, asking(server) as client:
            assert (await client.fault()).status == 1002
            assert len(server.requests) == 1

    run(work())


def dying_after(answers: int) -> Script:
    """Answer so often on the first connection only, then reset at every request."""

    async def script(talk: Talk) -> None:
        first = talk.server.connections == 1
        for number in range(1_000):
            if not await talk.request():
                return
            if not first or number >= answers:
                talk.reset()
                return
            await talk.send(ok())

    return script


def test_a_reset_on_a_kept_connection_is_tried_once_more() -> None:
    async def recovering(talk: Talk) -> None:
        keep = talk.server.connections > 1
        while await talk.request():
            await talk.send(ok())
            if not keep:
                await talk.request()
                talk.reset()
                return

    async def work() -> None:
        async with serving(recovering) as server, asking(server) as client:
            await client.answer()
            again = await client.answer()
            assert (again.status, again.reused, server.connections, again.requests) == (200, False, 2, 1)
        async with serving(dying_after(1)) as server, asking(server) as client:
            await client.answer()
            assert (await client.fault()).status == 1002
            assert len(server.requests) == 3

    run(work())


def test_a_fresh_connection_that_dies_is_not_tried_again() -> None:
    async def work() -> None:
        async with serving(dying_after(0)) as server, asking(server) as client:
            fault = await client.fault()
            assert (fault.status, fault.retryable, len(server.requests)) == (1002, True, 1)

    run(work())


def test_doubtful_framing_is_read_once_and_its_connection_closed() -> None:
    both = HEAD + b"Transfer-Encoding: chunked\r\nContent-Length: 50\r\n\r\n3\r\nabc\r\n0\r\n\r\n"

    async def work() -> None:
        async with serving(keeping(both)) as server, asking(server) as client:
            for number in range(1, 4):
                answer = await client.answer()
                assert (answer.body, answer.reused, server.connections) == (b"abc", False, number)
            assert len(server.requests) == 3

    run(work())


def test_bytes_beyond_the_length_are_dropped_with_their_connection() -> None:
    async def work() -> None:
        async with serving(keeping(ok(b"abc") + b"EXTRA")) as server, asking(server) as client:
            assert [(await client.answer()).body for _ in range(3)] == 3 * [b"abc"]
            assert server.connections == 3

    run(work())


def test_an_endless_body_is_dropped_or_cut_at_the_cap() -> None:
    endless = drip(HEAD + b"\r\n", bytes(20_000), 0)
    fault = failed(endless, max_bytes=100_000)
    assert (fault.status, fault.retryable) == (960, False)
    assert fault.received < 130_000
    answer = answered(endless, max_bytes=100_000, cut=True)
    assert (answer.decoded, answer.truncated) == (100_000, True)


@pytest.mark.parametrize("cut", [False, True])
def test_a_body_of_exactly_the_cap_is_whole(cut: bool) -> None:
    answer = answered(saying(HEAD + b"\r\n" + bytes(50_000)), max_bytes=50_000, cut=cut)
    assert (answer.decoded, answer.truncated) == (50_000, False)


def test_a_declared_length_above_the_cap_costs_nothing() -> None:
    fault = failed(saying(HEAD + b"Content-Length: 5000000\r\n\r\n" + bytes(100_000)), max_bytes=10_000)
    assert fault.status == 960
    assert fault.received < 20_000
    cut = answered(saying(HEAD + b"Content-Length: 100000\r\n\r\n" + bytes(100_000)), max_bytes=10_000, cut=True)
    assert (cut.decoded, cut.truncated) == (10_000, True)


def test_cutting_does_not_stay_for_the_next_request() -> None:
    async def work() -> None:
        async with serving(keeping(ok(bytes(5_000)))) as server, asking(server, width=1) as client:
            assert (await client.answer(max_bytes=100, cut=True)).truncated
            assert (await client.fault(max_bytes=100)).status == 960
            assert not (await client.answer()).truncated

    run(work())


def test_tls_and_plain_ports_confused() -> None:
    async def work() -> None:
        async def plain(talk: Talk) -> None:
            await talk.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        async with serving(plain) as server, asking(server) as client:
            assert (await client.fault(server.url(scheme="https"))).status == 976
        async with serving(keeping(ok()), tls=tls_of(CERTIFICATE)) as server, asking(server) as client:
            assert (await client.fault()).status in (1002, 1005)

    run(work())


def test_a_silent_handshake_ends_at_the_connect_time_out() -> None:
    async def silent(talk: Talk) -> None:
        await talk.reader.read()

    async def work() -> None:
        async with serving(silent) as server, asking(server) as client:
            fault = await client.fault(server.url(scheme="https"), connect_timeout_s=0.5)
            assert (fault.status, fault.whole_site, fault.requests) == (902, True, 0)

    run(work())


def test_one_bad_server_does_not_hold_up_another() -> None:
    async def work() -> None:
        bad, good = saying_then_silent(HEAD), keeping(ok())
        async with serving(bad) as slow, serving(good) as fast, asking(slow) as held, asking(fast) as free:
            waiting = asyncio.create_task(held.fault(idle_timeout_s=1.0))
            for _ in range(50):
                assert (await free.answer()).status == 200
            assert not waiting.done()
            assert (await waiting).status == 902

    run(work())


def test_no_reason_repeats_what_the_server_wrote() -> None:
    for response in (
        b"secret",
        HEAD + b"secret\r\n\r\n",
        HEAD + b"Content-Length: secret\r\n\r\n",
        CHUNKED + b"secret",
    ):
        assert "secret" not in failed(saying(response)).reason


def test_a_body_in_tiny_pieces_takes_no_more_memory_than_another() -> None:
    count = 50_000
    go_on = asyncio.Event()

    async def crumbs(talk: Talk) -> None:
        await talk.request()
        await talk.send(CHUNKED + b"2\r\nab\r\n" * count)
        await go_on.wait()
        await talk.send(b"2\r\nyz\r\n0\r\n\r\n")

    async def work() -> None:
        async with serving(crumbs) as server, asking(server) as client:
            asked = asyncio.create_task(client.answer())
            pieces = count
            for _ in range(100):
                await asyncio.sleep(0.05)
                held = [slot for slot in client.fetcher._slots if slot.busy]
                pieces = sum(len(slot._chunks) for slot in held if slot.size == 2 * count)
                if 0 < pieces < count:
                    break
            assert 0 < pieces <= count // 100
            go_on.set()
            assert (await asked).body == b"ab" * count + b"yz"

    run(work())
