from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.formats import plain
from cormorant.extract.formats.plain import MAX_FIELD, extract_csv, extract_json, extract_markdown, extract_text
from tests.clocks import cpu_s

HERE = "file:///share/notes/read%20me.md"


def test_plain_text_is_named_after_its_file() -> None:
    said = extract_text(b"one\r\n\r\n  \r\n\r\ntwo\0", address=HERE)
    assert (said.text, said.title, said.charset) == ("one\n\ntwo", "read me.md", "utf-8")


MARKDOWN = """
<!-- no -->
Install *the* **thing**
=======================

See [the manual](https://x.example/a_b "tip") or [this][ref], ![a picture](p.png).

## Use `it` ##

```sh
# not a heading
run_me --now *
```

Sub
---
snake_case_name and <br> done.
"""


def test_markdown_is_text_without_marks() -> None:
    said = extract_markdown(MARKDOWN.encode(), address=HERE)
    assert said.title == "Install the thing"
    assert said.text == (
        "Install the thing\n\nSee the manual or this, a picture.\n\nUse it\n\n"
        "# not a heading\nrun_me --now *\n\nSub\n\nsnake_case_name and  done."
    )


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("---\ntitle: 'From above'\n---\n# Head", "From above"),
        ("---\nlayout: x\n---\n# Head", "Head"),
        ("text\n\n###### Six", "Six"),
        ("text only", "read me.md"),
        ("---\nnever closed", "read me.md"),
        ("```\n# code\n```", "read me.md"),
        ("", "read me.md"),
    ],
)
def test_the_title_of_markdown_is_its_first_heading(markdown: str, title: str) -> None:
    assert extract_markdown(markdown.encode(), address=HERE).title == title


@pytest.mark.parametrize(
    "piece", ["[", "![](", "<!--", "<a ", "*", "_a", "`", "# ", "[a](b ", "~~~\n", "=", "\\", " ", "\n "]
)
def test_hostile_markdown_ends(piece: str) -> None:
    body = (piece * (300_000 // len(piece))).encode()
    assert cpu_s(lambda: extract_markdown(body, address=HERE), times=1) < 5


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("a,b\n1,2\n", "a, b\n1, 2"),
        ('a;b\n"x;y";"two\nlines"\n', "a, b\nx;y, two lines"),
        ('"he said ""hi""",1\n', 'he said "hi", 1'),
        ("a\tb\n", "a, b"),
        ("nul\0,x\n", "nul, x"),
        ("=cmd(),x\n", "=cmd(), x"),
        ('"never closed\na,b', "never closed a,b"),
    ],
)
def test_rows_are_lines(body: str, text: str) -> None:
    assert extract_csv(body.encode(), address=HERE).text == text


def test_tabs_divide_when_the_type_says_so() -> None:
    assert extract_csv(b"a,b\tc\n", address=HERE, tab=True).text == "a,b, c"


def test_a_field_is_cut_at_its_cap() -> None:
    said = extract_csv(b"a," + b"x" * (MAX_FIELD + 10) + b",b\nnext,row\n", address=HERE)
    assert said.truncated
    assert len(said.text) == len("a, , b\nnext, row") + MAX_FIELD


def test_text_beyond_the_cap_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MAX_TEXT", 10)
    assert extract_csv(b"a,b\n" * 99, address=HERE).truncated
    assert extract_text(b"x" * 99, address=HERE).truncated


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb'{"a": "\u00e9t\u00e9\n\"x\""}', '{"a": "été\n"x""}'),
        (rb'"\ud83d\ude00 \ud800"', '"😀 "'),
        (b"[" * 100_000, "[" * 100_000),
        (b"{not json", "{not json"),
    ],
)
def test_json_is_text_with_its_escapes_undone(body: bytes, text: str) -> None:
    assert extract_json(body, address=HERE).text == text


@given(st.binary(max_size=2000))
def test_any_bytes_are_read(body: bytes) -> None:
    for read in (extract_text, extract_markdown, extract_csv, extract_json):
        said = read(body, address=HERE)
        said.text.encode()
        assert "\0" not in said.text
