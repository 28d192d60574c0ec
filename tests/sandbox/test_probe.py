"""What this machine gives is the same whoever asks, and what cannot be asked is nothing."""

from __future__ import annotations

import sys

import pytest

from cormorant.sandbox import Allowed, ServerHandle, supported


def test_a_process_with_threads_learns_the_same_as_the_server(server: ServerHandle) -> None:
    assert supported() == server.allowed


@pytest.mark.skipif(sys.platform != "linux", reason="every Linux since 3.5 has these")
def test_linux_gives_the_basics() -> None:
    allowed = supported()
    assert (allowed.no_new_privs, allowed.death_signal, allowed.rlimits) == (True, True, True)


def test_a_trial_that_fails_is_no_support_and_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert supported() == Allowed()
