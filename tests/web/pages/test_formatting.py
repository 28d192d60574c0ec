"""The presentation of a hit."""

from __future__ import annotations

import pytest

from cormorant.search.reader import Hit
from cormorant.web.pages import formatting


@pytest.mark.parametrize(
    ("url", "steps"),
    [
        ("https://a.example/", ("a.example",)),
        ("https://a.example/b/c.html?d=1", ("a.example", "b", "c.html?d=1")),
        ("https://a.example/?id=7", ("a.example", "?id=7")),
        ("https://a.example/list?q=%D8%AF", ("a.example", "list?q=\u062f")),
        ("https://a.example/list?" + "x" * 61, ("a.example", "list?" + "x" * 60 + "…")),
        ("file:///srv/why%3F.txt", ("/srv/why?.txt",)),
        ("https://a.example/%D8%AF/%D9%85.html", ("a.example", "\u062f", "\u0645.html")),
        ("https://a.example/1/2/3/4/5", ("a.example", "…", "3", "4", "5")),
        ("file:///srv/my%20papers/a.txt", ("/srv/my papers/a.txt",)),
        ("file:///1/2/3/4/5/6.txt", ("/1/…/4/5/6.txt",)),
        ("file://files.example/team/my%20papers/a.txt", (r"\\files.example\team\my papers\a.txt",)),
    ],
)
def test_an_address_is_shown_step_by_step(url: str, steps: tuple[str, ...]) -> None:
    assert formatting.where(url) == formatting.where(url, "papers") == steps


@pytest.mark.parametrize(
    ("url", "steps"),
    [
        ("git://3/docs/a%20b.md", ("notes", "docs", "a b.md")),
        ("mail://12/~/2.m", ("notes", "2.m")),
        ("mail://12/Work/2.m#/plan.pdf", ("notes", "Work", "plan.pdf")),
        ("table://2/17", ("notes", "17")),
        ("sftp://files.example/17/a.txt", ("files.example", "17", "a.txt")),
        ("http://127/a", ("127", "a")),
    ],
)
def test_the_number_of_a_source_is_shown_as_its_name(url: str, steps: tuple[str, ...]) -> None:
    assert formatting.where(url, "notes") == steps


def _message(url: str = "mail://12/.Old.Port/1795922933.M90P9Q1.vm", **attributes: str | list[str]) -> Hit:
    given = {"Author": "Ada Lovelace <ada@example.org>", "Subject": "Dues", "MailFolder": "Old/Port"} | attributes
    return Hit(7, url, "Dues", "", (), 1.0, "post", "message/rfc822", "en", 1200, 86_400.0, cached=True, duplicates=0,
               attributes=given)  # fmt: skip


def test_a_message_is_shown_with_its_folder_its_author_and_its_day_instead_of_its_file() -> None:
    view = formatting.shown(_message())
    assert (view.where, view.author, view.sent) == (("post", "Old", "Port"), "Ada Lovelace", "2 Jan 1970")
    assert (view.icon, view.meta, view.link) == ("letter", ("Message, 1.2 kB",), "/mail/7")


@pytest.mark.parametrize(
    ("author", "name"),
    [
        (["Lovelace, Ada <ada@example.org>", "Grace Hopper <grace@example.org>"], "Lovelace, Ada"),
        ("ada@example.org", "ada@example.org"), ("", ""), ("A" * 200, "A" * formatting.LONGEST_AUTHOR),
    ],
)  # fmt: skip
def test_the_first_author_of_a_message_is_named_by_the_name_alone(author: str | list[str], name: str) -> None:
    assert formatting.shown(_message(Author=author)).author == name


def test_a_message_outside_of_mail_is_shown_where_its_file_is() -> None:
    assert formatting.shown(_message("file:///srv/dues.eml")).where == ("/srv/dues.eml",)
    assert formatting.shown(_message("mail://12/~/1.m#/dues.eml")).where == ("post", "dues.eml")


def test_a_document_that_is_no_message_has_its_day_among_its_facts() -> None:
    hit = Hit(7, "file:///srv/a.txt", "A", "", (), 1.0, "papers", "text/plain", "en", 12, 0.0, cached=True,
              duplicates=0, attributes={"Author": "Ada"})  # fmt: skip
    view = formatting.shown(hit)
    assert (view.author, view.sent, view.meta) == ("", "", ("Text, 12 bytes", "1 Jan 1970"))


def test_a_row_is_called_one_and_a_document_in_its_column_is_called_by_its_type() -> None:
    rows = [
        Hit(7, url, "A", "", (), 1.0, "desk", mime, "en", 12, None, cached=True, duplicates=0)
        for url, mime in (("table://4/17", "text/html"), ("table://4/17#/scan.pdf", "application/pdf"))
    ]
    views = [formatting.shown(each) for each in rows]
    assert [(view.icon, view.meta) for view in views] == [("row", ("Row, 12 bytes",)), ("file", ("PDF, 12 bytes",))]


@pytest.mark.parametrize(
    ("url", "steps"),
    [
        ("file:///1/2/3/4/5/6%20b.txt", ("/1/2/3/4/5/6 b.txt",)),
        ("git://3/1/2/3/4/5/6.md", ("papers", "1", "2", "3", "4", "5", "6.md")),
        ("file:///1/2/3/4/5/6.zip#/a/b/c/d/e/f.txt", ("/1/2/3/4/5/6.zip", "a", "b", "c", "d", "e", "f.txt")),
    ],
)
def test_a_place_is_shown_whole_on_the_page_of_a_document(url: str, steps: tuple[str, ...]) -> None:
    hit = Hit(7, url, "A", "", (), 1.0, "papers", "text/plain", "en", 12, None, cached=True, duplicates=0)
    assert formatting.location(hit, whole=True) == steps
    assert formatting.location(hit) != steps


@pytest.mark.parametrize(
    ("reach", "page", "offered"),
    [
        (0, 1, []), (10, 1, []), (11, 1, [1, 2]), (100, 5, [1, None, 3, 4, 5, 6, 7, None, 10]),
        (500, 50, [1, None, 48, 49, 50]),
    ],
)  # fmt: skip
def test_pages_that_are_offered(reach: int, page: int, offered: list[int | None]) -> None:
    assert formatting.pages(reach, page) == offered


@pytest.mark.parametrize(
    ("moment", "said"), [(0.0, "1 Jan 1970"), (None, ""), (4e11, ""), (-1e11, ""), (253_402_300_799.0, "31 Dec 9999")]
)
def test_a_day_that_no_calendar_has_is_not_shown(moment: float | None, said: str) -> None:
    assert formatting.day(moment) == said
    hit = Hit(1, "https://a.example/", "", "", (), 1.0, "web", "text/html", "en", 0, moment, cached=True, duplicates=0)
    assert formatting.meta(hit)[1:] == ((said,) if said else ())


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "JavaScript://a.example/%0aalert(1)", "data:text/html,a", "db:1"]
)
@pytest.mark.parametrize("cached", [True, False])
def test_only_an_address_of_the_web_is_a_link(url: str, *, cached: bool) -> None:
    """A package's kind of source chooses the addresses of its documents: one that runs a script becomes no link."""
    hit = Hit(7, url, "A title", "", (), 1.0, "own", "text/html", "en", 0, None, cached=cached, duplicates=0)
    assert formatting.shown(hit).link == ("/cached/7" if cached else "")


def test_a_moment_is_on_the_machine_s_clock_and_tells_programs_the_same_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    at = "2026-11-28T13:03:00.000Z"
    assert str(formatting.moment(at)) == f'<time datetime="{at}">2026-11-28 14:03 CET</time>'
    assert (formatting.moment(None), formatting.moment("ten"), formatting.moment(3)) == ("", "ten", 3)
