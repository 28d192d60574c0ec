"""What is this process short of?"""

from __future__ import annotations

import errno
import resource

import pytest

from cormorant.base import exhaustion
from cormorant.base.exhaustion import NEEDED, Shortage
from tests.scarcity import few_files


def test_too_few_files_are_found_by_opening_some() -> None:
    assert exhaustion.of_files_now() is None
    for left in (0, NEEDED - 1):
        with few_files(left):
            assert exhaustion.of_files_now() is Shortage.FILES
    with few_files(NEEDED):
        assert exhaustion.of_files_now() is None
    assert exhaustion.of_files_now() is None


def test_how_many_files_may_be_opened_more() -> None:
    with few_files(20):
        assert exhaustion.spare_files() in (19, 20), "one is open while they are counted"
    with few_files(0):
        assert not exhaustion.spare_files()


def test_without_a_limit_any_number_may_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda _: endless)
    assert exhaustion.spare_files() is None


@pytest.mark.parametrize(
    ("number", "lack", "of_files"),
    [
        (errno.EMFILE, Shortage.FILES, Shortage.FILES),
        (errno.ENFILE, Shortage.ALL_FILES, Shortage.ALL_FILES),
        (errno.ENOBUFS, Shortage.MEMORY, None),
        (errno.ENOMEM, Shortage.MEMORY, None),
        (errno.ECONNREFUSED, None, None),
        (None, None, None),
    ],
)
def test_what_the_system_says_there_is_too_little_of(
    number: int | None, lack: Shortage | None, of_files: Shortage | None
) -> None:
    assert exhaustion.of_number(number) is lack
    assert exhaustion.of_files(OSError(number, "")) is of_files
    assert exhaustion.of_files(ValueError(number)) is None


@pytest.mark.parametrize("lack", Shortage)
def test_every_shortage_says_what_to_do(lack: Shortage) -> None:
    assert lack.cure in lack.said
    assert lack.said.endswith("then they continue.")
    assert lack.what
