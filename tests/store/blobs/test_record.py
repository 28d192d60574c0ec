from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
import zstandard
from hypothesis import given
from msgspec.structs import replace

from cormorant.base.errors import CacheDamaged
from cormorant.store.blobs import record as module
from cormorant.store.blobs.record import Frame, decode, encode
from tests.store.blobs.pages import page

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NUMBERS = st.floats(allow_nan=False)
VALUES = st.one_of(WORDS, NUMBERS, st.lists(WORDS, max_size=3), st.lists(NUMBERS, max_size=3))
FRAMES = st.builds(
    Frame,
    url=WORDS,
    access_url=WORDS,
    mime=WORDS,
    status_line=WORDS,
    header_block=st.binary(max_size=200),
    body=st.binary(max_size=2000),
    text=WORDS,
    title=WORDS,
    language=WORDS,
    charset=WORDS,
    modified_at=st.none() | NUMBERS,
    attributes=st.dictionaries(WORDS, VALUES, max_size=4),
    truncated=st.booleans(),
)


@given(FRAMES)
def test_round_trip(frame: Frame) -> None:
    assert decode(encode(frame)) == frame


@given(st.binary(max_size=300))
def test_noise_is_damage(data: bytes) -> None:
    with pytest.raises(CacheDamaged):
        decode(data)


@given(st.binary(max_size=100), st.sampled_from([b"", b"\x01", b"\x01\x00\x00\x00\x00", b"\x02" + b"\0" * 16]))
def test_noise_inside_a_sound_wrapping_is_damage(data: bytes, start: bytes) -> None:
    with pytest.raises(CacheDamaged):
        decode(zstandard.ZstdCompressor().compress(start + data))


@pytest.mark.parametrize("change", [lambda d: d + b"x", lambda d: d + d, lambda d: d[:-1], lambda d: b""])
def test_another_length_is_damage(change: Any) -> None:
    with pytest.raises(CacheDamaged):
        decode(change(encode(page(1))))


def test_a_bomb_is_not_inflated() -> None:
    bomb = zstandard.ZstdCompressor().compress(b"\0" * (200 << 20))
    assert len(bomb) < 30_000
    with pytest.raises(CacheDamaged, match="would take 209715200 bytes"):
        decode(bomb)


def test_the_caller_may_ask_for_less() -> None:
    data = encode(page(1, size=5000))
    with pytest.raises(CacheDamaged, match="4000 are allowed"):
        decode(data, max_bytes=4000)


def test_a_wrapping_that_does_not_say_its_size_is_damage() -> None:
    silent = zstandard.ZstdCompressor(write_content_size=False).compress(b"\x01" * 50)
    with pytest.raises(CacheDamaged):
        decode(silent)


def test_what_is_too_large_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BODY", 10)
    monkeypatch.setattr(module, "MAX_TEXT", 4)
    frame = decode(encode(replace(page(1), text="aaaé", body=b"0123456789ab")))
    assert (frame.body, frame.text, frame.truncated) == (b"0123456789", "aaa", True)


def test_attributes_beyond_reason_are_left_out() -> None:
    frame = decode(encode(replace(page(1), attributes={"Keywords": ["x" * 1000] * 3000}, title="t" * 5000)))
    assert (frame.attributes, len(frame.title), frame.truncated) == ({}, 1000, True)
    assert frame.url == page(1).url


def test_lone_surrogates_become_question_marks() -> None:
    odd = replace(page(1), title="a\ud800b", text="c\udfffd", attributes={"K\ud800": ["\ud800", "d"]})
    frame = decode(encode(odd))
    assert (frame.title, frame.text, frame.attributes) == ("a?b", "c?d", {"K?": ["?", "d"]})


def test_sequences_come_back_as_lists() -> None:
    frame = decode(encode(replace(page(1), attributes={"Keywords": ("a", "b")})))
    assert frame.attributes == {"Keywords": ["a", "b"]}
