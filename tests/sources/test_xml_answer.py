"""Answers of servers in XML: well-formed, and without what makes small XML large."""

from __future__ import annotations

import pytest

from cormorant.sources.xml_answer import parse_answer

BOMB = b'<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>'


def test_an_answer_is_parsed() -> None:
    assert parse_answer(b'<a xmlns="urn:x"><b>text</b><!-- note --></a>').findtext("{urn:x}b") == "text"


@pytest.mark.parametrize("body", [b"", b"<a>", b"plain", BOMB, b"\xef\xbb\xbf" + BOMB, BOMB.decode().encode("utf-16")])
def test_anything_else_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_answer(body)
