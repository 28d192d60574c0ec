"""Both ways of watching sockets, on both loops."""

from __future__ import annotations

import asyncio
import select
from collections.abc import Callable

import pytest
import uvloop

from cormorant.net.http import curl_multi
from cormorant.net.http.curl_sockets import EpollSockets, LoopSockets, sockets_for
from tests.net.http.servers import Talk, asking, keeping, ok, saying, serving

LOOPS: list[Callable[[], asyncio.AbstractEventLoop]] = [asyncio.new_event_loop, uvloop.new_event_loop]


@pytest.mark.parametrize("kind", [EpollSockets, LoopSockets])
@pytest.mark.parametrize("loop", LOOPS, ids=["asyncio", "uvloop"])
def test_requests(
    monkeypatch: pytest.MonkeyPatch,
    kind: type[EpollSockets] | type[LoopSockets],
    loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    monkeypatch.setattr(curl_multi, "sockets_for", kind)

    async def coming_and_going(talk: Talk) -> None:
        for _ in range(talk.server.connections % 4):
            if await talk.request():
                await talk.send(ok(bytes(50_000)))

    async def work() -> None:
        async with serving(keeping(ok())) as server, asking(server) as client:
            for _ in range(3):
                answers = await asyncio.gather(*(client.answer() for _ in range(40)))
                assert len(answers) == 40
                await asyncio.sleep(0.01)
        async with serving(saying(ok())) as server, asking(server) as client:
            assert [(await client.answer()).status for _ in range(10)] == 10 * [200]
        async with serving(coming_and_going) as server, asking(server, width=4) as client:
            said = await asyncio.gather(*(client.get() for _ in range(200)))
            assert len(said) == 200

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(work())


def test_the_cheapest_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        one = sockets_for(loop, print, lambda: None)
        assert isinstance(one, EpollSockets)
        one.close()
        one.close()
        monkeypatch.delattr(select, "epoll")
        assert isinstance(sockets_for(loop, print, lambda: None), LoopSockets)

    asyncio.run(work())
