from __future__ import annotations

import pytest

from cormorant.app.sample.answers import SampleResponse, answer
from cormorant.app.sample.pages import read_pages

PAGES = read_pages()
NOW = 1_790_000_000.0


def ask(target: str, *headers: str, method: str = "GET", version: str = "HTTP/1.1") -> SampleResponse:
    lines = [f"{method} {target} {version}", "Host: 127.0.0.1", *headers, "", ""]
    return answer(PAGES, "\r\n".join(lines).encode("latin-1"), NOW)


def parts(said: SampleResponse) -> tuple[str, dict[str, str], bytes]:
    head, _, body = said.data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    return first, dict(line.split(": ", 1) for line in lines), body


def test_a_page() -> None:
    said = ask("/birds/cormorant.html")
    first, headers, body = parts(said)
    assert (first, said.status, said.keep) == ("HTTP/1.1 200 OK", 200, True)
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Length"] == str(len(body))
    assert headers["Date"] == "Mon, 21 Sep 2026 14:13:20 GMT"
    assert headers["Last-Modified"] == "Sat, 02 May 2026 08:00:00 GMT"
    assert body == PAGES["/birds/cormorant.html"].body


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("/visitor-guide.pdf", "application/pdf"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/de/", "text/html; charset=utf-8"),
    ],
)
def test_kinds(target: str, kind: str) -> None:
    assert parts(ask(target))[1]["Content-Type"] == kind


@pytest.mark.parametrize(
    ("target", "status", "location"),
    [("/home.html", 301, "/"), ("/birds", 301, "/birds/"), ("/today", 302, "/log/midsummer.html")],
)
def test_elsewhere(target: str, status: int, location: str) -> None:
    said = ask(target)
    assert (said.status, parts(said)[1]["Location"]) == (status, location)


@pytest.mark.parametrize(
    "target",
    ["/birds/great-auk.html", "/webcam.html", "/../pages.py", "/birds/index.html", "//", "/%2e%2e/__init__.py", "*"],
)
def test_nothing_there(target: str) -> None:
    said = ask(target)
    assert said.status == (410 if target == "/webcam.html" else 404)
    assert b"<h1>" in parts(said)[2]
    assert "ETag" not in parts(said)[1]


def test_a_query_and_an_escape_are_the_same_page() -> None:
    assert (
        ask("/birds/puffin.html?from=home").data == ask("/birds/puffin.html").data == ask("/birds/%70uffin.html").data
    )


def test_unchanged_by_tag() -> None:
    tag = parts(ask("/island.html"))[1]["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        said = ask("/island.html", f"If-None-Match: {known}")
        first, headers, body = parts(said)
        assert (first, body) == ("HTTP/1.1 304 Not Modified", b"")
        assert headers["ETag"] == tag
        assert "Content-Length" not in headers
    assert ask("/island.html", 'If-None-Match: "other"').status == 200


@pytest.mark.parametrize(
    ("since", "status"),
    [
        ("Mon, 02 Mar 2026 08:00:00 GMT", 304),
        ("Tue, 03 Mar 2026 00:00:00 GMT", 304),
        ("Sun, 01 Mar 2026 23:59:59 GMT", 200),
        ("yesterday", 200),
        ("Mon, 02 Mar 2026 08:00:00", 200),
        ("", 200),
    ],
)
def test_unchanged_by_date(since: str, status: int) -> None:
    assert ask("/island.html", f"If-Modified-Since: {since}").status == status


def test_the_tag_goes_before_the_date() -> None:
    said = ask("/island.html", 'If-None-Match: "other"', "If-Modified-Since: Tue, 03 Mar 2026 00:00:00 GMT")
    assert said.status == 200


def test_head_has_no_body_but_its_length() -> None:
    head, get = parts(ask("/", method="HEAD")), parts(ask("/"))
    assert (head[0], head[1], head[2]) == (get[0], get[1], b"")


def test_the_connection() -> None:
    assert not ask("/", "Connection: close").keep
    assert not ask("/", version="HTTP/1.0").keep
    assert ask("/", "Connection: keep-alive", version="HTTP/1.0").keep
    assert not ask("/", "Content-Length: 5").keep


def test_other_methods_and_nonsense() -> None:
    said = ask("/", method="POST")
    assert (said.status, said.keep, parts(said)[1]["Allow"]) == (405, False, "GET, HEAD")
    for request in (
        b"\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/2\r\nHost: x\r\n\r\n",
        b"\xff\r\n\r\n",
    ):
        assert answer(PAGES, request, NOW).status == 400
