"""The filter program, run by a small interpreter of classic BPF: so it is tested for machines we are not on."""

from __future__ import annotations

import errno
import os
import struct

import pytest

from cormorant.sandbox.seccomp import for_process, make_filter
from cormorant.sandbox.syscalls import NEWEST_KNOWN, SYSCALLS, Architecture

ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
PID = 4711
BOTH = pytest.mark.parametrize("architecture", list(Architecture))


def verdict(program: bytes, architecture: Architecture, number: int, *arguments: int) -> int:
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    data = struct.pack("=iIQ6Q", number, architecture.audit_number, 0, *padded)
    at = accumulator = 0
    while True:
        code, yes, no, value = struct.unpack_from("=HBBI", program, at * 8)
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x54:
                accumulator &= value
            case 0x15:
                at += yes if accumulator == value else no
            case 0x35:
                at += yes if accumulator >= value else no
            case 0x45:
                at += yes if accumulator & value else no
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


def ask(architecture: Architecture, name: str, *arguments: int) -> int:
    number = SYSCALLS[name][architecture.column]
    assert number is not None
    return verdict(for_process(make_filter(architecture), PID), architecture, number, *arguments)


@BOTH
def test_plain_calls_pass(architecture: Architecture) -> None:
    for name in ("read", "mprotect", "futex", "exit_group", "getrandom"):
        assert ask(architecture, name) == ALLOW


@BOTH
@pytest.mark.parametrize(
    ("name", "good", "bad", "number"),
    [
        ("openat", (0, 0, os.O_RDONLY | os.O_CLOEXEC), (0, 0, os.O_RDWR), errno.EACCES),
        ("openat", (0, 0, os.O_RDONLY | os.O_NOFOLLOW), (0, 0, os.O_RDONLY | os.O_CREAT), errno.EACCES),
        ("openat", (0, 0, os.O_RDONLY), (0, 0, os.O_RDONLY | os.O_TRUNC), errno.EACCES),
        ("mmap", (0, 0, 0, 0x22), (0, 0, 0, 0x21), errno.EPERM),
        ("mmap", (0, 0, 0, 0x01), (0, 0, 0, 0x23), errno.EPERM),
        ("clone", (0x3D0F00,), (0x1200011,), errno.EPERM),
        ("kill", (PID, 6), (1, 6), errno.EPERM),
        ("tgkill", (PID, PID, 6), (0xFFFFFFFF, 1, 6), errno.EPERM),
        ("prctl", (15,), (1,), errno.EPERM),
        ("prctl", (0x53564D41,), (22,), errno.EPERM),
        ("prlimit64", (0, 3, 0), (0, 3, 0x7FFF00000000), errno.EPERM),
        ("prlimit64", (0, 3, 0), (0, 3, 1), errno.EPERM),
        ("fcntl", (3, 4), (3, 8), errno.EPERM),
        ("ioctl", (3, 0x5421), (3, 0x5412), errno.ENOTTY),
        ("socketpair", (1,), (2,), errno.EPERM),
        ("sendto", (3, 1, 1, 0, 0), (3, 1, 1, 0, 1 << 40), errno.EPERM),
    ],
)
def test_guarded_calls_look_at_an_argument(
    architecture: Architecture, name: str, good: tuple[int, ...], bad: tuple[int, ...], number: int
) -> None:
    assert ask(architecture, name, *good) == ALLOW
    assert ask(architecture, name, *bad) == REFUSE | number


@BOTH
def test_the_c_library_falls_back_where_the_filter_cannot_look(architecture: Architecture) -> None:
    assert ask(architecture, "clone3") == REFUSE | errno.ENOSYS
    program = make_filter(architecture)
    assert verdict(program, architecture, NEWEST_KNOWN + 1) == REFUSE | errno.ENOSYS


@BOTH
def test_everything_else_is_refused(architecture: Architecture) -> None:
    program = make_filter(architecture)
    ours = {numbers[architecture.column] for numbers in SYSCALLS.values()}
    others = set(range(NEWEST_KNOWN + 1)) - ours
    assert len(others) > 300
    assert {verdict(program, architecture, number) for number in others} == {REFUSE | errno.EPERM}


def test_another_architecture_and_x32_are_deadly() -> None:
    program = make_filter(Architecture.X86_64)
    assert verdict(program, Architecture.AARCH64, 63) == KILL
    assert verdict(program, Architecture.X86_64, 0x40000000) == KILL


def test_machines_are_known_by_name() -> None:
    assert Architecture.of_machine("x86_64") is Architecture.X86_64
    assert Architecture.of_machine("aarch64") is Architecture.AARCH64
    assert Architecture.of_machine("riscv64") is None
