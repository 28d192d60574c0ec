from __future__ import annotations

import base64
import random

import pytest

from cormorant.extract.mail.smime import signed_content
from tests.extract.mail.reading import HEAD, body_of, files, plain

OID = bytes.fromhex("2a864886f70d0107")


def element(tag: int, *content: bytes) -> bytes:
    data = b"".join(content)
    if len(data) < 0x80:
        return bytes((tag, len(data))) + data
    return bytes((tag, 0x82)) + len(data).to_bytes(2, "big") + data


def endless(tag: int, *content: bytes) -> bytes:
    return bytes((tag, 0x80)) + b"".join(content) + b"\0\0"


def signed(content: bytes) -> bytes:
    inner = element(0x30, element(6, OID + b"\x01"), element(0xA0, element(4, content)))
    data = element(0x30, element(2, b"\x01"), element(0x31), inner, element(0x31))
    return element(0x30, element(6, OID + b"\x02"), element(0xA0, data))


def streamed(*pieces: bytes) -> bytes:
    octets = endless(0x24, *(element(4, piece) for piece in pieces))
    inner = endless(0x30, element(6, OID + b"\x01"), endless(0xA0, octets))
    data = endless(0x30, element(2, b"\x01"), element(0x31), inner)
    return endless(0x30, element(6, OID + b"\x02"), endless(0xA0, data))


def test_the_content_of_a_signature_is_found() -> None:
    assert signed_content(signed(b"text " * 100)) == b"text " * 100
    assert signed_content(streamed(b"one ", b"two ", b"three")) == b"one two three"


@pytest.mark.parametrize("smime", ["; smime-type=signed-data", ""])
def test_a_mail_within_its_signature_is_read(smime: str) -> None:
    inner = plain("Signed words") + "\n"
    packed = base64.encodebytes(signed(inner.encode())).decode()
    kind = f"Content-Type: application/pkcs7-mime{smime}; name=smime.p7m\nContent-Transfer-Encoding: base64"
    mail = f"{HEAD}{kind}\n\n{packed}"
    assert body_of(mail) == "Signed words"
    assert files(mail) == []


@pytest.mark.parametrize("data", [b"", b"\x30", b"\x30\x80", b"0" * 100, signed(b"x")[:20], b"\x30\x89" + b"\xff" * 20])
def test_what_is_no_signature_has_no_content(data: bytes) -> None:
    assert signed_content(data) is None


def test_damaged_signatures_are_survived() -> None:
    for body in (signed(b"text " * 10), streamed(b"text", b"more")):
        for seed in range(300):
            chance = random.Random(seed)
            made = bytearray(body)
            for _ in range(4):
                made[chance.randrange(len(made))] = chance.randrange(256)
            signed_content(bytes(made))
