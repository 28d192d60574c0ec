from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

import pypdfium2
import pytest
import turbohtml

from cormorant.app.sample.pages import GONE, HERE, MOVED, documents_folder, read_pages
from tests.app.sample import expected
from tests.app.sample.make_documents import every

PAGES = read_pages()
HTML = {
    path: page.body.decode() for path, page in PAGES.items() if path.endswith((".html", "/")) and page.status == 200
}


def links(path: str) -> Iterator[tuple[str, str]]:
    """Yield what a page links to (path and query, fragments cut) with the link's rel."""
    for tag in re.findall(r"<a [^>]*>", HTML[path]):
        (href,) = re.findall(r'href="([^"]*)"', tag)
        if not href.startswith("mailto:"):
            yield urljoin(path, unescape(href)).partition("#")[0], "".join(re.findall(r'rel="([^"]*)"', tag))


def reachable() -> set[str]:
    """Follow links from the first page as a polite crawler does, and return what it comes to know."""
    known = {"/"}
    waiting = deque(known)
    while waiting:
        path = waiting.popleft().partition("?")[0]
        targets = [MOVED[path][1]] if path in MOVED and MOVED[path][0] == 301 else []
        if path in HTML and not path.startswith("/warden/"):
            targets += [target for target, rel in links(path) if rel != "nofollow"]
        for target in targets:
            if target not in known:
                known.add(target)
                waiting.append(target)
    return known


def test_a_crawl_comes_to_know_exactly_what_is_expected() -> None:
    every_outcome = {*expected.INDEXED, *expected.EXCLUDED, *expected.MOVED, *expected.GONE}
    assert reachable() == every_outcome


def test_every_page_is_there_for_a_reason() -> None:
    reached = {path.partition("?")[0] for path in reachable()} | expected.NEVER_VISITED
    spare = {"/birds", "/de", "/fr", "/log/feed.xml", "/robots.txt", "/style.css"}
    assert set(PAGES) == (reached | spare) - {"/birds/great-auk.html"}


def test_the_outcomes_are_what_the_pages_say() -> None:
    assert 'name="robots" content="noindex' in HTML["/rota.html"]
    assert 'rel="canonical" href="/birds/puffin.html"' in HTML["/birds/puffin.html"]
    assert b"Disallow: /warden/" in PAGES["/robots.txt"].body
    assert PAGES["/harbour.html"].body == PAGES["/timetable.html"].body
    assert {path: PAGES[path].status for path in GONE} == {"/webcam.html": expected.GONE["/webcam.html"]}
    assert ("/guestbook.html", "nofollow") in links("/visit.html")


@pytest.mark.parametrize("path", sorted(HTML))
def test_every_page_is_whole(path: str) -> None:
    text = HTML[path]
    for part in ("<!doctype html>", '<meta charset="utf-8">', "<title>", "<h1>", '<meta name="description"', "</html>"):
        assert part in text, part
    assert re.search(r'<html lang="(en|de|fr)">', text)
    assert all(target in PAGES or target.partition("?")[0] in {*PAGES, *expected.GONE} for target, _ in links(path))
    assert "T" in PAGES[path].headers["Last-Modified"] or "2026" in PAGES[path].headers["Last-Modified"]


def test_languages() -> None:
    found = {path: re.findall(r'<html lang="(..)">', text)[0] for path, text in HTML.items()}
    assert {path for path, language in found.items() if language != "en"} == {"/de/", "/fr/"}
    assert (found["/de/"], found["/fr/"]) == ("de", "fr")


def test_nothing_leads_off_the_site() -> None:
    assert not any(re.search(r"(href|src)=\"?(https?:)?//", text) for text in HTML.values())


def test_the_questions_have_their_words_in_the_page() -> None:
    for question, path in expected.QUESTIONS.items():
        if path in HTML or path == "/today":
            text = turbohtml.parse(HTML.get(path) or HTML["/log/midsummer.html"]).to_text().lower()
            assert all(word in text for word in question.split()), question


def test_binary_documents_are_what_the_script_makes() -> None:
    for path, data in every().items():
        assert (HERE / path).read_bytes() == data, (
            f"{path}: run python -m tests.app.sample.make_documents src/cormorant/sample"
        )


def test_the_folder_has_what_is_expected_and_is_small() -> None:
    files = [file for file in documents_folder().rglob("*") if file.is_file()]
    names = {file.relative_to(documents_folder()).as_posix() for file in files}
    assert names == expected.READABLE | expected.BROKEN
    assert sum(file.stat().st_size for file in files) < 60_000


@pytest.mark.parametrize("path", ["documents/boat-safety.pdf", "site/visitor-guide.pdf"])
def test_pdfs_have_text(path: str) -> None:
    document = pypdfium2.PdfDocument((HERE / path).read_bytes())
    text = "".join(page.get_textpage().get_text_bounded() for page in document)
    document.close()
    for question, where in expected.QUESTIONS.items():
        if where in ("/" + Path(path).name, Path(path).name):
            assert all(word in text.lower() for word in question.split())


def test_the_broken_pdf_is_broken() -> None:
    (name,) = expected.BROKEN
    with pytest.raises(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument((documents_folder() / name).read_bytes())


@pytest.mark.parametrize("name", sorted(name for name in expected.READABLE if name.endswith(("docx", "xlsx", "pptx"))))
def test_office_documents_have_text(name: str) -> None:
    xberg = pytest.importorskip("xberg")

    async def text() -> str:
        given = xberg.ExtractInput(kind="bytes", bytes=(documents_folder() / name).read_bytes(), filename=name)
        return "\n".join(document.content for document in (await xberg.extract(given)).results)

    found = asyncio.run(text()).lower()
    (question,) = (question for question, where in expected.QUESTIONS.items() if where == name)
    assert all(word in found for word in question.split())
