from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.errors import Unreadable
from cormorant.extract.formats.xml import extract_xml
from tests.clocks import cpu_s

HERE = "https://h.example/feed.xml"


def test_text_stands_between_tags() -> None:
    said = extract_xml(
        b"<?xml version='1.0'?><rss><channel><title>News <b>now</b></title><item> <p>one &amp; two</p> "
        b"<![CDATA[<three>]]></item></channel></rss>",
        address=HERE,
    )
    assert said.text == "News\nnow\none & two\n<three>"
    assert said.title == "News now"
    assert not said.truncated


@pytest.mark.parametrize(
    ("body", "text", "truncated"),
    [
        (b"<a>&eacute;&hellip;&nosuch;</a>", "é…", True),
        (b"<!DOCTYPE a SYSTEM 'http://x.example/a.dtd'><a>&copy; &unknown; y</a>", "©  y", False),
        (b"<a>so far<b></a>", "so far", True),
        (b"no xml at all", "", True),
        (b"", "", True),
        (b"<a>" * 5_000 + b"deep", "", True),
        (b"\xef\xbb\xbf \n<a>marked</a>", "marked", False),
        (b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>", "é", False),
        ("<?xml version='1.0' encoding='utf-16'?><a>é</a>".encode("utf-16"), "é", False),
    ],
)
def test_what_is_not_well_formed_is_read_up_to_the_fault(body: bytes, text: str, truncated: bool) -> None:
    said = extract_xml(body, address=HERE)
    assert said.text == text
    assert said.truncated is truncated


LAUGHS = "<!DOCTYPE z [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {name} '{('&' + before + ';') * 10}'>" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "body",
    [
        LAUGHS + "]><z>&i;</z>",
        "<!DOCTYPE z [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><z>&a;</z>",
        "<!DOCTYPE z [<!ENTITY % p SYSTEM 'http://127.0.0.1/'> %p;]><z/>",
        "<!DOCTYPE z [<!ENTITY a '" + "x" * 100_000 + "'>]><z>" + "&a;" * 1_000 + "</z>",
    ],
    ids=["laughs", "file", "parameter", "quadratic"],
)
def test_entities_of_its_own_are_refused(body: str) -> None:
    with pytest.raises(Unreadable, match="entities"):
        extract_xml(body.encode(), address=HERE)


def test_the_public_bombs_end_at_once(suite: Callable[[str], Path]) -> None:
    files = [file for file in sorted(suite("defusedxml").iterdir()) if file.suffix in (".xml", ".xsl", ".xsd")]
    assert len(files) >= 12
    for file in files:
        said: list[str] = []

        def read(file: Path = file, said: list[str] = said) -> None:
            with suppress(Unreadable):
                said.append(extract_xml(file.read_bytes(), address=HERE).text)

        assert cpu_s(read, times=1) < 2
        assert all(len(text) <= file.stat().st_size for text in said)


@given(st.binary(max_size=500))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        said = extract_xml(b"<a>" + body, address=HERE)
    except Unreadable:
        return
    said.text.encode()
