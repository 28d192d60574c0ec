"""Our numbers are the kernel's, where its headers are installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cormorant.sandbox.syscalls import SYSCALLS, Architecture

HEADERS = {
    Architecture.X86_64: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    Architecture.AARCH64: Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("architecture", list(Architecture))
def test_numbers_agree_with_the_headers(architecture: Architecture) -> None:
    header = HEADERS[architecture]
    if not header.exists():
        pytest.skip("no kernel headers here")
    text = header.read_text()
    theirs = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text))
    for name, other in re.findall(r"#define __NR_(\w+) __NR3264_(\w+)", text):
        theirs.setdefault(name, theirs.get(other, ""))
    assert len(theirs) > 250
    for name, numbers in SYSCALLS.items():
        ours = numbers[architecture.column]
        if ours is not None:
            assert theirs.get(name) == str(ours), name


def test_no_number_stands_twice() -> None:
    for architecture in Architecture:
        numbers = [row[architecture.column] for row in SYSCALLS.values() if row[architecture.column] is not None]
        assert len(numbers) == len(set(numbers))
