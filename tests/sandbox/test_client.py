"""Every fate of a task, with real processes."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
import uvloop

from cormorant.sandbox import (
    PAYLOAD_MAX_BYTES,
    Finished,
    Killed,
    KillReason,
    Limits,
    PayloadTooBig,
    ServerGone,
    ServerHandle,
    TaskFailed,
)
from cormorant.sandbox.client import ChildPool
from tests.sandbox.conftest import Ask, children_of, is_running, until

MIB = 1024 * 1024


def finished(answer: object) -> Finished:
    assert isinstance(answer, Finished), answer
    return answer


def killed(answer: object) -> Killed:
    assert isinstance(answer, Killed), answer
    return answer


def test_a_task_answers_and_says_what_it_cost(ask: Ask) -> None:
    answer = finished(ask("echo", b"bytes in, bytes out"))
    assert answer.value == b"bytes in, bytes out"
    assert 0 < answer.cpu_s < 5
    assert 0 < answer.wall_s < 5
    assert answer.peak_bytes > MIB


def test_nothing_in_and_nothing_out(ask: Ask) -> None:
    assert finished(ask("echo", b"")).value == b""


def test_the_largest_document_goes_in(ask: Ask) -> None:
    assert finished(ask("measure", bytes(PAYLOAD_MAX_BYTES))).value == str(PAYLOAD_MAX_BYTES).encode()


def test_a_larger_one_is_not_even_tried(ask: Ask) -> None:
    with pytest.raises(PayloadTooBig, match="65 MiB"):
        ask("measure", bytes(PAYLOAD_MAX_BYTES + 1))


def test_the_largest_output_comes_out(ask: Ask) -> None:
    assert len(finished(ask("make", str(20 * MIB).encode())).value) == 20 * MIB


def test_an_exception_becomes_one_clean_line(ask: Ask) -> None:
    answer = ask("fail")
    assert isinstance(answer, TaskFailed)
    assert answer.reason.startswith("ValueError: first line second line xxx")
    assert answer.reason.isprintable()
    assert len(answer.reason) == 500


def test_what_is_no_exception_is_a_failure_too(ask: Ask) -> None:
    assert ask("panic") == TaskFailed("PanicException: not even an Exception")


def test_a_task_that_was_not_named_at_the_start_is_not_run(ask: Ask) -> None:
    assert ask("os:getcwd") == TaskFailed("LookupError: no task named os:getcwd")


def test_a_hanging_task_is_killed_at_the_wall_limit(ask: Ask) -> None:
    answer = killed(ask("sleep", b"600", wall_s=0.3))
    assert (answer.reason, answer.signal) == (KillReason.WALL, signal.SIGKILL)
    assert 0.3 <= answer.wall_s < 2
    assert answer.peak_bytes > 0


def test_one_that_ignores_every_signal_too(ask: Ask) -> None:
    assert killed(ask("hang_deaf", wall_s=0.3)).reason is KillReason.WALL


def test_eating_cpu_ends_at_the_cpu_limit(ask: Ask) -> None:
    answer = killed(ask("spin", cpu_s=1))
    assert (answer.reason, answer.signal) == (KillReason.CPU, signal.SIGXCPU)
    assert 0.5 < answer.cpu_s < 1.5


def test_ignoring_that_signal_buys_one_second(ask: Ask) -> None:
    answer = killed(ask("spin_deaf", cpu_s=1))
    assert (answer.reason, answer.signal) == (KillReason.CPU, signal.SIGKILL)


@pytest.mark.parametrize("task", ["eat_memory", "eat_native_memory"])
def test_eating_memory_ends_at_the_memory_limit(ask: Ask, task: str) -> None:
    answer = killed(ask(task, memory_bytes=64 * MIB))
    assert answer.reason is KillReason.MEMORY
    assert answer.peak_bytes < 160 * MIB


def test_a_document_that_does_not_fit_is_a_matter_of_memory(ask: Ask) -> None:
    assert killed(ask("measure", bytes(32 * MIB), memory_bytes=16 * MIB)).reason is KillReason.MEMORY


def test_the_last_words_tell_what_an_abort_was_about(ask: Ask) -> None:
    answer = killed(ask("abort_saying", b"memory allocation of 99999999999 bytes failed\n"))
    assert (answer.reason, answer.signal) == (KillReason.MEMORY, signal.SIGABRT)
    assert answer.said == "memory allocation of 99999999999 bytes failed"


def test_last_words_are_cut_and_cleaned(ask: Ask) -> None:
    answer = killed(ask("abort_saying", b"\x1b[31m" + b"long " * 60_000 + b"end"))
    assert answer.reason is KillReason.CRASH
    assert answer.said.isprintable()
    assert len(answer.said) <= 400


def test_too_much_output_is_not_taken(ask: Ask) -> None:
    assert killed(ask("make", b"1001", output_bytes=1000)).reason is KillReason.OUTPUT
    assert len(finished(ask("make", b"1000", output_bytes=1000)).value) == 1000


def test_an_announced_length_is_not_believed(ask: Ask) -> None:
    answer = killed(ask("announce", str(2**32 - 1).encode()))
    assert answer.reason is KillReason.OUTPUT
    assert answer.wall_s < 5


def test_a_crash_before_the_answer(ask: Ask) -> None:
    answer = killed(ask("crash"))
    assert (answer.reason, answer.signal) == (KillReason.CRASH, signal.SIGSEGV)


def test_a_crash_after_the_answer_does_not_matter(ask: Ask) -> None:
    assert finished(ask("answer_then_crash", b"still true")).value == b"still true"


def test_one_that_answers_and_stays_is_killed_and_its_answer_counts(ask: Ask) -> None:
    assert finished(ask("answer_then_hang", b"still true")).value == b"still true"


def test_one_that_answers_and_talks_on_is_killed_and_its_answer_counts(ask: Ask) -> None:
    assert finished(ask("answer_then_chatter", b"still true")).value == b"still true"


@pytest.mark.parametrize("missing", [1, 5, 300, 424, 425])
def test_an_answer_cut_short_is_no_answer(ask: Ask, missing: int) -> None:
    answer = killed(ask("cut_short", str(missing).encode()))
    assert (answer.reason, answer.signal) == (KillReason.CRASH, signal.SIGSEGV)


@pytest.mark.parametrize("noise", [b"\1", b"\1\0\0", b"\0" * 5, b"\xff" * 500, b"\2\xff\xff\xff\xff", b"\0ended\0\0"])
def test_noise_is_no_answer(ask: Ask, noise: bytes) -> None:
    assert killed(ask("send_raw", noise)).reason in {KillReason.CRASH, KillReason.OUTPUT}


def test_leaving_without_a_word(ask: Ask) -> None:
    answer = killed(ask("leave", b"3"))
    assert (answer.reason, answer.signal) == (KillReason.CRASH, None)


def test_an_answer_of_the_wrong_type_is_a_crash_that_says_so(ask: Ask) -> None:
    answer = killed(ask("wrong_type"))
    assert answer.reason is KillReason.CRASH
    assert "TypeError" in answer.said


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_two_hundred_tasks_two_at_a_time(server: ServerHandle, run: object) -> None:
    async def all_of_them() -> list[object]:
        pool = ChildPool(server.addresses, parallel=2)
        return list(await asyncio.gather(*(pool.run("echo", str(number).encode()) for number in range(200))))

    answers = run(all_of_them())  # type: ignore[operator]
    assert [finished(answer).value for answer in answers] == [str(number).encode() for number in range(200)]


def test_all_fates_at_once_and_the_server_goes_on(server: ServerHandle) -> None:
    async def all_of_them() -> list[object]:
        pool = ChildPool(server.addresses, Limits(cpu_s=1, wall_s=2, memory_bytes=64 * MIB), parallel=4)
        names = ["echo", "crash", "sleep", "fail", "eat_memory", "answer_then_crash", "spin", "leave"] * 3
        return list(await asyncio.gather(*(pool.run(name, b"60") for name in names)))

    answers = uvloop.run(all_of_them())
    assert [type(answer) for answer in answers] == [
        Finished, Killed, Killed, TaskFailed, Killed, Finished, Killed, Killed,
    ] * 3  # fmt: skip
    assert server.alive


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only /proc tells who is whose child")
def test_no_child_is_left_living_or_undead(server: ServerHandle, ask: Ask) -> None:
    parent = int(finished(ask("parent")).value)
    for task in ("echo", "crash", "leave", "answer_then_crash"):
        ask(task, b"3")
    ask("sleep", b"600", wall_s=0.1)
    assert asyncio.run(until(lambda: not children_of(parent)))


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_cancelling_kills_the_child_and_frees_its_place(server: ServerHandle, run: object) -> None:
    async def cancel() -> Finished:
        pool = ChildPool(server.addresses, parallel=1)
        parent = int(finished(await pool.run("parent", b"")).value)
        waiting = asyncio.create_task(pool.run("hang_deaf", b""))
        assert await until(lambda: len(children_of(parent)) == 1)
        child = children_of(parent)[0]
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await until(lambda: not is_running(child))
        return finished(await pool.run("echo", b"free"))

    assert run(cancel()).value == b"free"  # type: ignore[operator]


def test_no_server_is_said_in_a_sentence(tmp_path: Path) -> None:
    async def ask_nobody() -> None:
        await ChildPool({"echo": str(tmp_path / "nobody.sock")}).run("echo", b"")

    with pytest.raises(ServerGone, match="cannot be reached: No such file"):
        asyncio.run(ask_nobody())


def test_limits_of_the_call_win_over_those_of_the_pool(server: ServerHandle) -> None:
    async def short() -> object:
        return await ChildPool(server.addresses, Limits(wall_s=60)).run("sleep", b"600", limits=Limits(wall_s=0.2))

    assert killed(asyncio.run(short())).reason is KillReason.WALL


def test_every_task_has_a_process_of_its_own(ask: Ask) -> None:
    assert len({finished(ask("pid")).value for _ in range(3)} | {str(os.getpid()).encode()}) == 4
