"""Bodies in compressed RTF; the first two are the examples of [MS-OXRTFCP] 4."""

from __future__ import annotations

import random
import struct

import pytest

from cormorant.extract.ole.mapi.compressed_rtf import decompress_rtf

HELLO = bytes.fromhex(
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)
REPEATED = bytes.fromhex("1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0")


def test_the_examples_of_the_specification_are_unpacked() -> None:
    assert decompress_rtf(HELLO) == rb"{\rtf1\ansi\ansicpg1252\pard hello world}" + b"\r\n"
    assert decompress_rtf(REPEATED) == rb"{\rtf1 WXYZWXYZWXYZWXYZWXYZ}"


def test_a_body_that_is_not_compressed_is_taken_as_it_is() -> None:
    assert decompress_rtf(struct.pack("<IIII", 20, 8, 0x414C454D, 0) + b"{\\rtf1 }") == b"{\\rtf1 }"
    assert decompress_rtf(b"{\\rtf1 a body without header}") == b"{\\rtf1 a body without header}"


@pytest.mark.parametrize("data", [b"", b"short", bytes(200)])
def test_what_is_no_body_is_empty(data: bytes) -> None:
    assert decompress_rtf(data) == b""


def test_a_body_that_was_cut_is_unpacked_so_far() -> None:
    assert decompress_rtf(HELLO[:-12]).startswith(b"{\\rtf1\\ansi\\ansicpg125")


def test_a_lie_about_the_size_ends_with_the_bytes() -> None:
    assert decompress_rtf(HELLO[:4] + b"\xff\xff\xff\xff" + HELLO[8:]).endswith(b"world}\r\n")


def test_mutations_raise_nothing() -> None:
    chance = random.Random(7)
    for _ in range(300):
        body = bytearray(HELLO)
        for _ in range(chance.randrange(1, 6)):
            body[chance.randrange(4, len(body))] = chance.randrange(256)
        decompress_rtf(bytes(body))
