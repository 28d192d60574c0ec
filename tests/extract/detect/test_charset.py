from __future__ import annotations

import encodings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.detect.charset import decoded, is_label
from cormorant.extract.html.page import extract_html
from cormorant.model.content import Manner
from tests.suites.record import record


@pytest.mark.parametrize(
    ("body", "charset", "wanted"),
    [
        (b"abc", "", ("abc", "utf-8")),
        ("é".encode(), "", ("é", "utf-8")),
        ("é".encode(), "ISO-8859-1", ("Ã©", "iso-8859-1")),
        (b"\xef\xbb\xbf\xc3\xa9", "latin1", ("é", "utf-8")),
        ("é".encode("utf-16"), "", ("é", "utf-16le")),
        ("héllo wörld".encode("utf-16-be"), "", ("héllo wörld", "utf-16be")),
        (b"\xe9", "", ("é", "windows-1252")),
        (b"\xc3", "utf-8", ("\ufffd", "utf-8")),
        (b"+ADw-", "utf-7", ("+ADw-", "utf-8")),
        (b"x", "no such", ("x", "utf-8")),
        (b"\xb0\xa1", "ks_c_5601-1987", ("가", "ks_c_5601-1987")),
        (b"\xe9", "ISO_8859-1:1987", ("é", "iso_8859-1:1987")),
        (b"x", "ünknown", ("x", "utf-8")),
        (b"<?xml version='1.0' encoding='koi8-r'?>\xd6", "", ("<?xml version='1.0' encoding='koi8-r'?>ж", "koi8-r")),
        (b"<?xml version='1.0' encoding='utf-16'?>\xc3\xa9", "", ("<?xml version='1.0' encoding='utf-16'?>é", "utf-8")),
    ],
)
def test_the_order_is_mark_transport_declaration_bytes(body: bytes, charset: str, wanted: tuple[str, str]) -> None:
    assert decoded(body, charset)[:2] == wanted


def test_labels_that_are_none_are_not_remembered() -> None:
    known = len(encodings._cache)  # of Python, which forgets nothing in it
    for number in range(50):
        decoded(b"x", f"no-such-{number}")
        extract_html(f"<meta charset=none-{number}>x".encode(), address="https://h.example/")
        assert not is_label(f"not-one-{number}")
    assert len(encodings._cache) == known


@given(st.binary(), st.text(max_size=12))
def test_any_bytes_with_any_label_are_text(body: bytes, charset: str) -> None:
    text, name, _ = decoded(body, charset)
    text.encode()
    assert name == name.lower()


def test_the_public_text_in_big5(suite: Callable[[str], Path]) -> None:
    body = (suite("html5lib-encoding") / "chardet" / "test_big5.txt").read_bytes()
    assert decoded(body)[1] == "big5"


def test_the_public_pages_of_the_encoding_sniffer(suite: Callable[[str], Path]) -> None:
    files = sorted(suite("html-encoding-sniffer").rglob("*.html"))
    assert len(files) == 16
    for file in files:
        # The pages in utf/ declare an UTF-16 they are not in, which the standard reads as UTF-8.
        wanted = "utf-8" if file.parent.name == "utf" else file.stem.rpartition("_")[2]
        assert extract_html(file.read_bytes(), address="https://h.example/").charset == wanted.lower(), file.name
    record("html-encoding-sniffer", len(files), len(files), {})


@pytest.mark.parametrize(
    ("markup", "charset", "default", "wanted"),
    [
        (b"\xef\xbb\xbf<p>x", "koi8-r", "gbk", ("utf-8", "mark")),
        (b"<meta charset=koi8-r>", "gbk", "big5", ("gbk", "header")),
        (b"<meta charset=koi8-r>", "", "gbk", ("koi8-r", "page")),
        (
            b"<meta http-equiv=content-type content='a; charset = \"koi8-r\"'>",
            "no such",
            "",
            ("koi8-r", "page"),
        ),
        (b"<p>\xd6", "", "koi8-r", ("koi8-r", "default")),
        (b"<meta charset=utf-7><p>\xd6", "", "koi8-r", ("koi8-r", "default")),
        ("<p>é".encode(), "", "", ("utf-8", "bytes")),
        (b"<meta charset=utf-7>+ADw-", "", "", ("windows-1252", "bytes")),
    ],
)
def test_a_page_tells_how_its_charset_was_known(
    markup: bytes, charset: str, default: str, wanted: tuple[str, str]
) -> None:
    page = extract_html(markup, address="https://h.example/", charset=charset, manner=Manner(charset=default))
    assert (page.charset, page.charset_from) == wanted


def test_the_default_stands_between_the_declaration_and_the_bytes() -> None:
    assert decoded(b"\xd6", default="koi8-r")[1:] == ("koi8-r", "default")
    assert decoded(b"<?xml version='1.0' encoding='gbk'?>", default="koi8-r")[1:] == ("gbk", "page")
    assert decoded(b"\xd6", "gbk", "koi8-r")[1:] == ("gbk", "header")
    assert decoded("é".encode())[1:] == ("utf-8", "bytes")


def test_the_public_cases_of_the_encoding_prescan(suite: Callable[[str], Path]) -> None:
    cases = 0
    for file in sorted(suite("html5lib-encoding").glob("*.dat")):
        for case in file.read_bytes().split(b"#data\n")[1:]:
            body, _, wanted = case.partition(b"\n#encoding\n")
            got = extract_html(body, address="https://h.example/").charset
            assert got == wanted.split(b"\n")[0].strip().decode().lower(), (file.name, body)
            cases += 1
    assert cases == 82
    record("html5lib-encoding", cases, cases, {})
