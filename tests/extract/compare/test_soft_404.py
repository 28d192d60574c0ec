"""Which pages are what a site shows for addresses that do not exist?"""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cormorant.extract.compare.soft_404 import is_like, may_be_like, says_missing, sketch, unpack

PROBE, PAGE = "https://a.example/shop/5f0c9a.html", "https://a.example/shop/rose.html"
SHELL = "\n".join(f"This is entry {letter * 3} of a long navigation" for letter in "abcdefghijklmno")
SORRY = f"{SHELL}\nPage not found\nThere is no {{}} here. Report 17."


@pytest.mark.parametrize(
    ("title", "text", "like"),
    [
        ("Shop", SORRY.format("rose.html").replace("17", "18"), True),
        ("Shop", f"{SORRY.format('rose.html')}\nAn advertisement", True),
        ("Shop", f"{SHELL}\nRose\n20 EUR", False),  # nine tenths are the same, the message is not there
        ("Shop", f"{SHELL}\nPage not found in shops", False),
        ("Shop", f"{SORRY.format('rose.html')}\n{' '.join(['petals', 'and', 'thorns'] * 5)}", False),
        ("Shop", SHELL, False),
        ("", "", False),
    ],
)
def test_a_page_that_has_the_message_and_hardly_anything_of_its_own(title: str, text: str, like: bool) -> None:
    missing = sketch("Shop", SORRY.format("5f0c9a.html"), PROBE)
    assert is_like(sketch(title, text, PAGE), missing) is like


@pytest.mark.parametrize(
    ("probe", "page", "like"),
    [
        (("404", "Nothing here"), ("404", "Nothing here"), True),
        (("App", "Please enable scripts"), ("App", "Please enable scripts"), False),  # every page says so
        (("404", "Nothing here"), ("404", "Nothing here yet"), False),
        (("404", ""), ("404", ""), False),
    ],
)
def test_a_short_answer_proves_little(probe: tuple[str, str], page: tuple[str, str], like: bool) -> None:
    assert is_like(sketch(*page, PAGE), sketch(*probe, PROBE)) is like


@pytest.mark.parametrize("token", ["5f0be9a1", "face17bad", "a1"])
def test_the_address_that_was_asked_for_hides_no_word(token: str) -> None:
    text = f"{SHELL}\nThis is a bad address, and we be sorry to face it"
    missing = sketch("Shop", text, f"https://a.example/{token}.html")
    assert is_like(sketch("Shop", text, PAGE), missing)


@given(st.text(max_size=300), st.text(max_size=3000))
def test_a_sketch_is_kept_and_a_page_is_like_itself_or_proves_nothing(title: str, text: str) -> None:
    made = sketch(title, text, PAGE)
    assert unpack(made.pack()) == made
    assert may_be_like(len(text), made)
    assert is_like(made, made) is (made.words >= 20 or (bool(made.says) and made.words > 0))


@pytest.mark.parametrize("value", [b"", b"\x00", b"\x93\x01\x02\x03", b"nonsense"])
def test_what_is_no_sketch_is_none(value: bytes) -> None:
    assert unpack(value) is None


@pytest.mark.parametrize(
    "title",
    [
        "Not Found",
        "404 - Acme",
        "Seite nicht gefunden",
        "Page introuvable",
        "Página no encontrada",
        "未找到页面",
        "Oops!",
    ],
)
def test_titles_of_missing_pages(title: str) -> None:
    assert says_missing(title, "")


def test_an_ordinary_page_does_not_say_that_it_is_missing() -> None:
    assert not says_missing("How to plant roses", "word " * 200 + "not found")
    assert not says_missing("Page 404", "The door is 404cm wide.")
    assert says_missing("Shop | Error 404", "")
