"""A machine without Landlock, seccomp and namespaces: less is held, and everything else works the same."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import textwrap

import pytest

from tests.sandbox.conftest import is_running

# Make this machine poor: calls that build walls answer "no such call", for this process and all it starts.
POOR = textwrap.dedent("""
    import asyncio, errno, os, struct, sys
    from cormorant.sandbox import Limits, libc as kernel, start_server, supported
    from cormorant.sandbox.client import ChildPool

    def step(code, value, yes=0, no=0):
        return struct.pack("=HBBI", code, yes, no, value)

    refuse, allow = step(6, 0x00050000 | errno.ENOSYS), step(6, 0x7FFF0000)
    program = [step(0x20, 0)]
    for number in (444, 272, 317):                        # landlock_create_ruleset, unshare, seccomp
        program += [step(0x15, number, 0, 1), refuse]
    program += [step(0x15, 157, 0, 3), step(0x20, 16)]    # prctl(PR_SET_SECCOMP)
    program += [step(0x15, 22, 0, 1), refuse, allow]
    kernel.set_no_new_privs()
    kernel.install_seccomp(b"".join(program))

    handle = start_server((), {name: "tests.sandbox.tasks:" + name for name in ("echo", "fork_and_linger", "spin")})
    assert supported() == handle.allowed
    assert (handle.allowed.landlock, handle.allowed.seccomp, handle.allowed.namespaces) == (0, False, False)
    assert handle.allowed.rlimits

    async def ask(task):
        return await ChildPool(handle.addresses, Limits(cpu_s=1)).run(task, b"x")

    for task in ("echo", "spin", "echo", "fork_and_linger"):
        answer = asyncio.run(ask(task))
        print(type(answer).__name__)
    print(answer.value.decode())
    handle.stop()
""")


@pytest.mark.skipif(platform.machine() != "x86_64" or sys.platform != "linux", reason="the numbers are x86_64's")
def test_a_poor_machine_works_with_what_it_has() -> None:
    with subprocess.Popen(
        (sys.executable, "-c", POOR),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as poor:
        said, _ = poor.communicate()
    *fates, grandchild = said.split()
    assert fates == ["Finished", "Killed", "Finished", "Finished"]
    assert not is_running(int(grandchild)), "what a child started outlived it"
