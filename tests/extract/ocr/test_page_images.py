"""Which picture files become grey pictures?"""

from __future__ import annotations

import random
import struct

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.ocr.page_images import MAX_PIXELS, decode_pictures
from tests.extract.ocr.scans import png, tiff

pytest.importorskip("PIL")

ROWS = [bytes((200, 30)) * 20] * 30


def bmp(width: int, height: int, pixel: bytes) -> bytes:
    row = pixel * width + bytes(-3 * width % 4)
    head = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 54 + len(row) * height, 0, 0, 54, 40, width, height, 1, 24, 0, 0, 0,
                       0, 0, 0)  # fmt: skip
    return head + row * height


def test_small_pictures_are_doubled_and_icons_left_out() -> None:
    (picture,) = decode_pictures(png(ROWS))
    assert (picture.width, picture.height, picture.stride, len(picture.pixels)) == (80, 60, 80, 4800)
    assert not list(decode_pictures(png([b"\0" * 16] * 16)))
    (large,) = decode_pictures(png([b"\0" * 1600] * 30))
    assert (large.width, large.height) == (1600, 30)


def test_colours_become_grey() -> None:
    (picture,) = decode_pictures(bmp(30, 30, b"\x00\x00\xff"))  # red
    assert set(picture.pixels) == {76}


def test_each_page_of_a_tiff_is_a_picture() -> None:
    assert [picture.height for picture in decode_pictures(tiff(ROWS, ROWS[:25]))] == [60, 50]


@pytest.mark.parametrize(("width", "height"), [(50_000, 50_000), (MAX_PIXELS, 2), (2**31 - 1, 2**31 - 1)])
def test_bombs_are_refused_before_they_are_decoded(width: int, height: int) -> None:
    with pytest.raises(Unreadable, match="more than 50 million pixels"):
        list(decode_pictures(png(ROWS, width, height)))


@pytest.mark.parametrize("body", [b"", b"GIF89a", b"%PDF-1.4", b"\x89PNG\r\n\x1a\n", b"<svg/>"])
def test_what_is_no_picture_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        list(decode_pictures(body))


def test_a_picture_that_lost_its_end_is_read_as_far_as_it_goes() -> None:
    chance = random.Random(1)
    rows = [chance.randbytes(40) for _ in range(60)]
    whole = png(rows)
    (picture,) = decode_pictures(whole[: len(whole) * 2 // 3])
    assert not picture.is_complete
    (picture,) = decode_pictures(whole)
    assert picture.is_complete


def test_damage_raises_nothing_else() -> None:
    chance = random.Random(5)
    for whole in (png(ROWS), tiff(ROWS, ROWS), bmp(30, 30, b"abc")):
        for _ in range(150):
            body = bytearray(whole)
            for _ in range(chance.randint(1, 6)):
                body[chance.randrange(len(body))] = chance.randrange(256)
            try:
                list(decode_pictures(bytes(body)))
            except Unreadable:
                continue
