from __future__ import annotations

import pytest

from cormorant.extract.document.cells.sheet_text import RowText, comment_text, header_text
from cormorant.extract.document.text_builder import TextBuilder

NOTICE = "Your version of Excel allows you ... https://go.microsoft.com/fwlink/?linkid=870924"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("", ""), ("plain", "plain"), ("&Lleft&Cmiddle&Rright", "left\nmiddle\nright"), ("&P/&N", "/"), ("A&&B", "A&B"),
        ('&"Arial,Bold Italic"&14big', "big"), ("&8 2026", "2026"), ("&KFF0000red&K01+024tint", "redtint"),
        ("&P+12 rest", "rest"), ("&D &T &F &A &Z&G", ""), ("&B&I&U&Eyes", "yes"), ("tail &", "tail &"),
        ('&"open', "open"),
        ("a\nb", "a\nb"), ("&" * 100_001, "&" * 50_000 + "&"),
    ],
)  # fmt: skip
def test_a_header_keeps_its_words_without_codes(code: str, words: str) -> None:
    assert header_text(code).replace('"', "") == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ann:\nCheck this", "Ann:\nCheck this"),
        (f"[Threaded comment]\n\n{NOTICE}\n\nComment:\n    why\nso: \nReply:\n    because", "why\nso:\nbecause"),
        (f"[Kommentarthread]\n\n{NOTICE}\n\nKommentar:\n    Beispiel: so", "Beispiel: so"),
        ("[Threaded comment] alone", "[Threaded comment] alone"),
        (f"[Threaded comment]\n{NOTICE}", ""),
        ("[" * 100_000, "[" * 100_000),
        ("[a]" + "\n" * 100_000, "[a]" + "\n" * 100_000),
    ],
)
def test_the_notice_above_a_thread_is_no_text(text: str, words: str) -> None:
    assert comment_text(text) == words


def test_raw_forms_follow_the_row_each_once_and_none_that_is_displayed() -> None:
    text = TextBuilder()
    rows = RowText(text)
    for shown, raw in (("50%", "0.5"), ("half", ""), ("50.0%", "0.5"), ("2", ""), ("2.0", "2"), ("", "7")):
        rows.add(shown, raw)
    rows.end()
    rows.end()
    assert text.text() == "50%\thalf\t50.0%\t2\t2.0\t0.5\t7"


def test_a_row_without_end_stops_where_the_text_is_full() -> None:
    text = TextBuilder()
    rows = RowText(text)
    for _ in range(2_000):
        rows.add("a" * 30_000)
    rows.end()
    assert text.full
    assert len(text.text()) < 23_000_000
