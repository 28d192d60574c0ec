"""Connections that a source keeps: used again, dropped after faults, closed; a refused login is tried once."""

from __future__ import annotations

import pytest

from cormorant.base.errors import LoginRefused
from cormorant.sources.connection_pool import IDLE_S, ConnectionPool
from tests.clocks import Hands


class Server:
    """Numbers its connections, and notes those that were closed."""

    def __init__(self) -> None:
        self.made, self.closed, self.password_is_right = 0, list[int](), True

    def connect(self) -> int:
        self.made += 1
        if not self.password_is_right:
            raise LoginRefused("The server refuses the password of ada.")
        return self.made


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def pool(server: Server, hands: Hands) -> ConnectionPool[int]:
    return ConnectionPool(server.connect, server.closed.append, hands)


def test_a_connection_is_used_again_until_it_was_idle_for_long(
    pool: ConnectionPool[int], server: Server, hands: Hands
) -> None:
    for _ in range(2):
        with pool.connection() as lent:
            assert lent == 1
    hands.at += IDLE_S
    with pool.connection() as lent, pool.connection() as other:
        assert (lent, other) == (2, 3)
    assert server.closed == [1]


def test_a_connection_on_which_something_failed_is_closed(pool: ConnectionPool[int], server: Server) -> None:
    with pytest.raises(ZeroDivisionError), pool.connection():
        _ = 1 // 0
    assert server.closed == [1]
    with pool.connection() as lent:
        assert lent == 2


def test_a_refused_login_is_tried_once(pool: ConnectionPool[int], server: Server) -> None:
    server.password_is_right = False
    for _ in range(3):
        with pytest.raises(LoginRefused, match="password of ada"), pool.connection():
            pass
    assert server.made == 1


def test_what_comes_back_after_the_end_is_closed(pool: ConnectionPool[int], server: Server) -> None:
    with pool.connection():
        with pool.connection():
            pass
        pool.close()
        assert server.closed == [2]
    assert server.closed == [2, 1]
