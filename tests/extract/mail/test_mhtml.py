from __future__ import annotations

import pytest

from cormorant.extract.errors import Unreadable
from cormorant.extract.mail.mhtml import extract_mhtml
from cormorant.model.content import Extraction
from tests.extract.mail.reading import task

PAGE = "<html><head><title>Our page</title><meta name=robots content=noindex></head><body>{}</body></html>"
HEAD = (
    "From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/docs/a.html\n"
    "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nDate: Sat, 14 Mar 2026 09:30:00 -0000\nMIME-Version: 1.0\n"
    'Content-Type: multipart/related; type="text/html"; boundary="b"\n\n'
)


def saved(*parts: str, head: str = HEAD) -> Extraction:
    body = head + "".join(f"--b\n{part}\n" for part in parts) + "--b--\n"
    return extract_mhtml(body.encode(), task("a.mhtml"))


def page(text: str, more: str = "") -> str:
    return f"Content-Type: text/html; charset=utf-8\n{more}\n{PAGE.format(text)}"


def test_a_saved_page_is_read_like_the_page() -> None:
    made = saved(page("Hello <a href='b.html'>next</a>", "Content-Location: https://example.org/docs/a.html\n"))
    assert made.text == "Hello next"
    assert made.title == "Our page"
    assert [link.address for link in made.links] == ["https://example.org/docs/b.html"]
    assert (made.directives, made.canonical) == ((), "")


def test_without_a_location_the_snapshot_says_where_links_lead() -> None:
    assert [link.address for link in saved(page("<a href='/c'>c</a>")).links] == ["https://example.org/c"]
    bare = "Subject: x\n" + HEAD[HEAD.find("MIME-Version") :]
    assert saved(page("<a href='/c'>c</a>"), head=bare).links == ()


def test_frames_stand_behind_the_page_once() -> None:
    made = saved(page("outer"), page("frame"), page("frame"), "Content-Type: image/png\n\nx", page(""))
    assert made.text == "outer\n\nframe"


def test_the_subject_is_the_title_of_a_page_without_one() -> None:
    untitled = page("x").replace("<title>Our page</title>", "")
    assert saved(untitled).title == "Grüße"
    bare = HEAD[HEAD.find("MIME-Version") :]
    assert saved(untitled, head=bare).title == "a.mhtml"


def test_the_root_is_the_part_that_start_names() -> None:
    head = HEAD.replace("multipart/related;", 'multipart/related; start="<root>";')
    assert saved(page("frame"), page("root", "Content-ID: <root>\n"), head=head).text == "root\n\nframe"


def test_what_holds_no_page_cannot_be_read() -> None:
    with pytest.raises(Unreadable):
        saved("Content-Type: image/png\n\nx")
    with pytest.raises(Unreadable):
        extract_mhtml(b"", task())


def test_a_page_that_is_cut_short_is_read_and_noted() -> None:
    made = extract_mhtml((HEAD + "--b\n" + page("beginning")).encode()[:-10], task())
    assert made.text == "beginning"
    assert made.truncated
