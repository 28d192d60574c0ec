"""Judging an ending is pure."""

from __future__ import annotations

import signal

import pytest

from cormorant.sandbox import KillReason, Limits
from cormorant.sandbox.result import Ending, one_line, why_killed

LIMITS = Limits(cpu_s=10, memory_bytes=1000)


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        (Ending(signal.SIGXCPU, 10.0, 0, ""), KillReason.CPU),
        (Ending(signal.SIGKILL, 10.9, 0, ""), KillReason.CPU),
        (Ending(signal.SIGKILL, 8.7, 0, ""), KillReason.CPU),
        (Ending(signal.SIGKILL, 1.0, 0, ""), KillReason.MEMORY),
        (Ending(signal.SIGABRT, 1.0, 0, "memory allocation of 8 bytes failed"), KillReason.MEMORY),
        (Ending(signal.SIGABRT, 1.0, 0, "terminate called ... std::bad_alloc"), KillReason.MEMORY),
        (Ending(signal.SIGSEGV, 1.0, 800, ""), KillReason.MEMORY),
        (Ending(signal.SIGSEGV, 1.0, 700, ""), KillReason.CRASH),
        (Ending(signal.SIGSYS, 1.0, 0, ""), KillReason.CRASH),
        (Ending(3 << 8, 1.0, 900, ""), KillReason.CRASH),
        (Ending(0, 0.0, 0, ""), KillReason.CRASH),
    ],
)
def test_why(ending: Ending, reason: KillReason) -> None:
    assert why_killed(ending, LIMITS) is reason


def test_one_line_is_printable_and_short() -> None:
    assert one_line("a\x00b\n\tc\u202e \x1b[1m") == "a b c [1m"
    assert len(one_line("x" * 100_000)) == 500
