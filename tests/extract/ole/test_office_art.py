"""Words in the drawings of Office documents."""

from __future__ import annotations

import struct

from cormorant.extract.ole.office_art import art_texts, property_texts


def record(kind: int, body: bytes, version: int = 0) -> bytes:
    return struct.pack("<HHI", version, kind, len(body)) + body


def table(*texts: tuple[int, str]) -> tuple[bytes, int]:
    words = [(number, text.encode("utf-16-le") + b"\0\0") for number, text in texts]
    return b"".join(struct.pack("<HI", number, len(each)) for number, each in words) + b"".join(
        each for _, each in words
    ), len(words)


def test_word_art_and_descriptions_are_found_in_their_order() -> None:
    first, count = table((0xC0C0, "Word art"), (0xC380, "Shape 1"), (0xC381, "A map"))
    second, _ = table((0xC381, "A plan"))
    group = record(0xF003, record(0xF00B, first, count << 4 | 3) + record(0xF121, second, 0x13), 15)
    assert list(art_texts(b"xx" + group, 2)) == ["Word art", "A map", "A plan"]


def test_descriptions_that_a_program_made_are_left_out() -> None:
    made, count = table((0xC381, "Picture 3"), (0xC381, "C:\\photos\\a.jpg"))
    assert property_texts(made, count) == []


def test_lies_about_sizes_and_counts_end() -> None:
    words, _ = table((0xC381, "A map"))
    assert property_texts(words, 4_000) == ["A map"] or property_texts(words, 4_000) == []
    assert list(art_texts(struct.pack("<HHI", 15, 0xF003, 0xFFFFFFFF) * 1000)) == []
    assert list(art_texts(b"")) == []
