"""Limits are checked where they are made."""

from __future__ import annotations

import pytest

from cormorant.sandbox import Allowed, Limits


def test_the_defaults_are_those_promised() -> None:
    limits = Limits()
    assert (limits.cpu_s, limits.wall_s) == (60, 120.0)
    assert (limits.memory_bytes, limits.output_bytes) == (1 << 30, 20 << 20)
    assert (limits.files, limits.processes) == (64, 16)


@pytest.mark.parametrize("name", Limits.__struct_fields__)
def test_a_limit_of_nothing_is_a_mistake(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: 0})


def test_every_means_is_explained() -> None:
    lines = Allowed(landlock=7, seccomp=True).lines()
    assert {name for name, works, _ in lines if works} == {"landlock", "seccomp"}
    assert {name for name, _, _ in lines} == set(Allowed.__struct_fields__)
    assert all(text for _, _, text in lines)
