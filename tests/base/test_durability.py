"""What is said of a disk that fails?"""

from __future__ import annotations

import errno

import pytest

from cormorant.base.durability import reportable
from cormorant.base.errors import TooManyFiles


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_of_a_full_disk(number: int) -> None:
    said = reportable(OSError(number, "No space left on device", "/srv/data/owner.lock"))
    assert said is not None
    assert said.sentence.startswith("/srv/data/owner.lock could not be read or written: ")
    assert said.sentence.endswith("Free some space, then run the same command again.")


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS])
def test_of_one_that_fails(number: int) -> None:
    said = reportable(OSError(number, "whatever"))
    assert said is not None
    assert said.sentence.startswith("A file could not be read or written: ")
    assert "Check the disk, and that it may be written" in said.sentence


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_of_too_many_open_files(number: int) -> None:
    said = reportable(OSError(number, "Too many open files", "/srv/data/owner.lock"))
    assert isinstance(said, TooManyFiles)
    assert said.sentence.startswith("/srv/data/owner.lock could not be opened: too many open files. Raise ")


@pytest.mark.parametrize("error", [OSError(errno.ENOENT, "none", "/srv"), OSError("nothing"), ValueError("ours")])
def test_of_what_is_no_disk_nothing_is_said(error: Exception) -> None:
    assert reportable(error) is None
