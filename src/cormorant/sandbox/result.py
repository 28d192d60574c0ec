"""Result of a task: one of three values, judged by the child's answer rather than by its exit.

the child's frame                 + how it ended      = value
------------------------------------------------------------------------------
value                               (any)               Finished
failed                              (any)               Failed
none, or cut short                  we stopped it       Killed(WALL or OUTPUT)
none                                CPU limit           Killed(CPU)
none, "memory"                      memory limit        Killed(MEMORY)
none                                anything else       Killed(CRASH)
"""

from __future__ import annotations

import enum
import os
import signal as signals
from typing import Final

import msgspec

from cormorant.sandbox.limits import Limits

# Messages of Rust and C++ allocators before they abort.
_OUT_OF_MEMORY_WORDS: Final = ("memory allocation of", "std::bad_alloc", "out of memory", "MemoryError")
# A crash this near to the limit is taken for a failed allocation.
_NEAR_MEMORY_LIMIT: Final = 0.75
# The kernel limits CPU time by one count and reports another; under load they differed by 13 %.
_NEAR_CPU_LIMIT: Final = 0.75
REASON_CHARACTERS: Final = 500


class KillReason(enum.Enum):
    """Why a child did not answer."""

    CPU = "cpu"
    WALL = "wall"
    MEMORY = "memory"
    OUTPUT = "output"
    CRASH = "crash"


class Finished(msgspec.Struct, frozen=True):
    """The task returned `value`.

    `wall_s` is measured from the hand-in to the answer, without the wait for a free place. `peak_bytes` is the largest
    resident size, including the size at the fork.
    """

    value: bytes
    cpu_s: float
    wall_s: float
    peak_bytes: int


class TaskFailed(msgspec.Struct, frozen=True):
    """The task raised an exception. `reason` is "Type: message" in one line of printable characters, at most 500."""

    reason: str


class Killed(msgspec.Struct, frozen=True):
    """The child ended without an answer. `signal` is None if it exited by itself; `said` is its last words."""

    reason: KillReason
    signal: int | None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_bytes: int = 0
    said: str = ""


Answer = Finished | TaskFailed | Killed


class Ending(msgspec.Struct, frozen=True):
    """Ending of a child as the server saw it: wait status, CPU seconds, largest resident bytes, last words."""

    status: int
    cpu_s: float
    peak_bytes: int
    said: str

    @property
    def signal(self) -> int | None:
        """The signal that ended it, None if it exited by itself."""
        return os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None


def one_line(text: str) -> str:
    """Return `text` as one line of printable characters, at most 500."""
    printable = "".join(character if character.isprintable() else " " for character in text[: 4 * REASON_CHARACTERS])
    return " ".join(printable.split())[:REASON_CHARACTERS]


def why_killed(ending: Ending, limits: Limits) -> KillReason:
    """Return the reason of an ending that was not our request. Pure."""
    signal = ending.signal
    if signal == signals.SIGXCPU:
        return KillReason.CPU
    if signal == signals.SIGKILL:
        # A blocked SIGXCPU is followed by SIGKILL a second later. Otherwise only the kernel's memory killer sends it.
        return KillReason.CPU if ending.cpu_s >= _NEAR_CPU_LIMIT * limits.cpu_s else KillReason.MEMORY
    if any(words in ending.said for words in _OUT_OF_MEMORY_WORDS):
        return KillReason.MEMORY
    if signal is not None and ending.peak_bytes >= _NEAR_MEMORY_LIMIT * limits.memory_bytes:
        return KillReason.MEMORY
    return KillReason.CRASH
