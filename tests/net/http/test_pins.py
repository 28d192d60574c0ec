"""Every request goes to an address that was judged for it (faults S1, S5)."""

from __future__ import annotations

import asyncio

import pytest

from cormorant.base.clock import SystemClock
from cormorant.base.errors import Unreachable
from cormorant.model.outcome import Deferred
from cormorant.net.egress.guard import Egress, Pinned
from cormorant.net.egress.policy import AddressClass, Consent
from cormorant.net.egress.resolver import Lookup, Resolver
from cormorant.net.http import client as http_client
from cormorant.net.http.client import Fetcher
from cormorant.net.http.messages import Request, Response, TransportError
from cormorant.sources.web.response import of_fault
from tests.clocks import Hands
from tests.net.http.servers import asking, keeping, ok, run, serving

BOTH = ("127.0.0.1", "127.0.0.2")


def always(*addresses: str) -> Lookup:
    """A name server that has one answer."""
    return lambda _: addresses


def test_a_name_is_reached_at_its_pin_and_keeps_its_host() -> None:
    async def work() -> None:
        async with (
            serving(keeping(ok()), hosts=BOTH) as server,
            asking(server, "a.example", lookup=always("127.0.0.2")) as client,
        ):
            answer = await client.answer(server.url(host="a.example"))
            assert answer.peer == "127.0.0.2"
            assert f"Host: a.example:{server.port}".encode() in server.requests[0]

    run(work())


def test_the_next_address_is_tried() -> None:
    async def work() -> None:
        async with (
            serving(keeping(ok()), hosts=("127.0.0.2",)) as server,
            asking(server, "a.example", lookup=always(*BOTH)) as client,
        ):
            assert (await client.answer(server.url(host="a.example"))).peer == "127.0.0.2"

    run(work())


@pytest.mark.parametrize("answer", [("127.0.0.1",), ("93.184.216.34", "127.0.0.1"), ("::ffff:127.0.0.1",)])
def test_a_forbidden_answer_opens_no_connection(answer: tuple[str, ...]) -> None:
    async def work() -> None:
        async with serving(keeping(ok())) as server, asking(server, lookup=always(*answer)) as client:
            for host in ("evil.example", "metadata.google.internal"):
                fault = await client.fault(server.url(host=host))
                assert (fault.status, fault.requests, fault.retryable) == (974, 0, False)
                assert fault.ruling is not None
            assert server.connections == 0

    run(work())


class Misled(Egress):
    """Pins another address than libcurl will find by itself."""

    async def open(self, host: str, port: int, consent: Consent) -> Pinned:
        return Pinned(host, port, ("127.0.0.9",))


def test_the_socket_is_vetoed_when_libcurl_has_another_address() -> None:
    async def work() -> TransportError | Response:
        async with serving(keeping(ok())) as server:
            fetcher = Fetcher(Misled(Hands()))
            fetcher._loaded["localhost", server.port] = Pinned("localhost", server.port, ("127.0.0.9",))
            fault = await fetcher.get(Request(server.url(host="localhost")))
            await fetcher.close()
            assert server.connections == 0
            return fault

    fault = run(work())
    assert isinstance(fault, TransportError)
    assert (fault.status, fault.requests) == (974, 0)


def test_a_kept_connection_to_an_older_pin_is_not_used() -> None:
    async def work() -> None:
        clock, answers = Hands(), [("127.0.0.1",), ("127.0.0.2",), BOTH]
        async with serving(keeping(ok()), hosts=BOTH) as server:
            egress = Egress(clock, resolver=Resolver(clock, lambda _: answers.pop(0)))
            fetcher = Fetcher(egress)
            request = Request(server.url(host="a.example"), consent=Consent.of([("a.example", server.port)]))
            peers = []
            for _ in range(3):
                for _ in range(2):
                    answer = await fetcher.get(request)
                    assert isinstance(answer, Response)
                    peers.append((answer.peer, answer.reused))
                clock.at += 61
            await fetcher.close()
        assert peers == [
            ("127.0.0.1", False),
            ("127.0.0.1", True),
            ("127.0.0.2", False),
            ("127.0.0.2", True),
            ("127.0.0.2", True),
            ("127.0.0.2", True),
        ]
        assert len(server.requests) == 6

    run(work())


def test_pins_are_unloaded_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "_MOST_PINS", 3)

    async def work() -> None:
        names = [f"host{number}.example" for number in range(10)]
        async with serving(keeping(ok())) as server, asking(server, *names, lookup=always("127.0.0.1")) as client:
            for name in [*names, *names]:
                assert (await client.answer(server.url(host=name))).status == 200
            assert len(client.fetcher._loaded) <= 3
            many = await asyncio.gather(*(client.answer(server.url(host=name)) for name in names))
            assert len(many) == 10

    run(work())


def test_a_trailing_dot_is_another_name_of_the_same_host() -> None:
    async def work() -> None:
        async with serving(keeping(ok())) as server, asking(server, "a.example", lookup=always("127.0.0.1")) as client:
            assert (await client.answer(server.url(host="a.example."))).status == 200

    run(work())


def test_a_name_without_an_address() -> None:
    async def work() -> None:
        async with serving(keeping(ok())) as server, asking(server, lookup=always()) as client:
            fault = await client.fault(server.url(host="nowhere.example"))
            assert (fault.status, fault.retryable, fault.whole_site, fault.requests) == (975, True, True, 0)

    run(work())


def test_a_database_that_is_away_is_no_fault_of_the_host() -> None:
    def settle(_host: str, _port: int, _classes: frozenset[AddressClass]) -> frozenset[AddressClass]:
        raise Unreachable("postgresql://db.internal.example does not answer.")

    async def work() -> Response | TransportError:
        clock = SystemClock()
        egress = Egress(clock, resolver=Resolver(clock, always("127.0.0.1")), settle=settle)
        fetcher = Fetcher(egress)
        try:
            return await fetcher.get(Request("http://a.example/", consent=Consent.of([("a.example", 80)])))
        finally:
            await fetcher.close()
            await egress.close()

    fault = run(work())
    assert isinstance(fault, TransportError)
    assert (fault.status, fault.retryable, fault.whole_site, fault.requests) == (984, True, False, 0)
    assert "db.internal" not in fault.reason
    assert of_fault(fault) == Deferred(984, fault.reason)
