"""When is a signal received that came in the middle of something?"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

import pytest

from cormorant.app.processes.signals import LONG_S, blocked, held_back
from tests.clocks import Hands


class Asked(Exception):
    """What the receiver of these tests raises."""


@pytest.fixture(autouse=True)
def receiver() -> Iterator[Callable[[int, FrameType | None], None]]:
    """SIGTERM raises `Asked` during a test."""

    def ask(number: int, frame: FrameType | None) -> None:
        raise Asked(signal.Signals(number).name)

    before = signal.signal(signal.SIGTERM, ask)
    yield ask
    signal.signal(signal.SIGTERM, before)


def strike(number: int = signal.SIGTERM) -> None:
    os.kill(os.getpid(), number)


def test_a_signal_is_received_at_the_next_look_and_once() -> None:
    with held_back(Hands()) as held:
        strike()
        strike()
        with pytest.raises(Asked, match="SIGTERM"):
            held.let_through()
        held.let_through()


def test_what_is_left_is_received_at_the_end() -> None:
    done = []

    def work() -> None:
        with held_back(Hands()):
            strike()
            done.append("all of the block")

    with pytest.raises(Asked):
        work()
    assert done


def test_what_a_block_raises_is_not_covered_by_a_signal() -> None:
    def work() -> None:
        with held_back(Hands()):
            strike()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()


def test_the_receiver_is_back_after_the_block(receiver: object) -> None:
    with held_back(Hands()):
        assert signal.getsignal(signal.SIGTERM) is not receiver
    assert signal.getsignal(signal.SIGTERM) is receiver


def test_who_insists_on_what_hangs_is_obeyed_at_once() -> None:
    clock = Hands()
    with held_back(clock):
        strike()
        clock.at += LONG_S
        strike()
        clock.at += 0.1
        with pytest.raises(Asked):
            strike()


def test_what_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with held_back(Hands()) as held:
            strike(signal.SIGHUP)
            held.let_through()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_in_a_thread_nothing_is_held_back(receiver: object) -> None:
    seen = []

    def work() -> None:
        with held_back(Hands()) as held:
            seen.append(signal.getsignal(signal.SIGTERM))
            held.let_through()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [receiver]


def test_blocked_signals_come_after_the_block() -> None:
    done = []

    def work() -> None:
        with blocked():
            signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
            done.append("all of the block")

    with pytest.raises(Asked):
        work()
    assert done
