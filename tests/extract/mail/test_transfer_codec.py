from __future__ import annotations

import base64
import binascii

import pytest

from cormorant.extract.mail.transfer_codec import base64_decoded, transfer_decoded

TEXT = b"Some bytes of a file: \x00\x01\xff." * 40


def test_base64_is_decoded_whatever_stands_between_its_letters() -> None:
    encoded = base64.encodebytes(TEXT)
    for made in (
        encoded,
        encoded.replace(b"\n", b"\r\n"),
        encoded.replace(b"\n", b" \n!"),
        encoded.replace(b"\n", b""),
    ):
        assert base64_decoded(made) == TEXT


@pytest.mark.parametrize("missing", range(1, 8))
def test_base64_that_is_cut_short_gives_its_beginning(missing: int) -> None:
    made = base64_decoded(base64.b64encode(TEXT)[:-missing])
    assert TEXT.startswith(made)
    assert len(TEXT) - len(made) <= missing


def test_base64_may_go_on_behind_its_padding() -> None:
    assert (
        base64_decoded(base64.encodebytes(b"first ") + base64.encodebytes(b"ends ") + base64.encodebytes(b"x"))
        == b"first ends x"
    )


def test_text_that_was_added_behind_base64_is_none() -> None:
    assert (
        base64_decoded(base64.encodebytes(b"data") + b"\n-- \nOur list: https://example.org, every day.\n") == b"data"
    )


@pytest.mark.parametrize(
    ("encoding", "raw", "data"),
    [
        ("quoted-printable", b"gr=C3=BC=\r\n=C3=9Fe", "grüße".encode()),
        ("Quoted-Printable ", b"a=zz=3Db=", b"a=zz=b"),
        ("8bit", b"\xff", b"\xff"),
        ("nonsense", b"as it is", b"as it is"),
        ("", b"as it is", b"as it is"),
        ("x-uuencode", b"begin 644 a\n" + binascii.b2a_uu(b"data") + b"`\nend\n", b"data"),
    ],
)
def test_encodings_are_undone(encoding: str, raw: bytes, data: bytes) -> None:
    assert transfer_decoded(raw, encoding) == data
