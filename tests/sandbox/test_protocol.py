"""Frames survive the way there and back, and what is no frame is not taken for one."""

from __future__ import annotations

import socket

import pytest

from cormorant.sandbox.limits import Limits
from cormorant.sandbox.protocol import (
    ENDING_BYTES,
    AnswerKind,
    TaskHeader,
    pack_ending,
    pack_head,
    receive,
    receive_head,
    unpack_ending,
)
from cormorant.sandbox.result import Ending


def test_a_head_arrives_with_its_limits() -> None:
    head = TaskHeader("pdf", Limits(cpu_s=7, wall_s=1.5))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(pack_head(head, 12) + b"document....")
        assert receive_head(theirs) == (head, 12)
        assert receive(theirs, 12) == b"document...."
        ours.close()
        with pytest.raises(EOFError):
            receive(theirs, 1)


def test_a_head_out_of_bounds_ends_the_conversation() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(b"\xff" * 12)
        with pytest.raises(EOFError):
            receive_head(theirs)


@pytest.mark.parametrize("said", ["", "words", "é" * 1000])
def test_an_ending_has_one_size(said: str) -> None:
    packed = pack_ending(Ending(9, 1.25, 1 << 40, said))
    assert len(packed) == ENDING_BYTES
    assert packed[0] not in frozenset(AnswerKind)
    ending = unpack_ending(packed)
    assert ending is not None
    assert (ending.status, ending.cpu_s, ending.peak_bytes) == (9, 1.25, 1 << 40)
    assert said.endswith(ending.said)


def test_other_bytes_are_no_ending() -> None:
    assert unpack_ending(b"") is None
    assert unpack_ending(bytes(ENDING_BYTES)) is None
    assert unpack_ending(pack_ending(Ending(0, 0, 0, ""))[1:]) is None
