"""What does an answer mean? Every status of HTTP that has words of its own, given by a real server."""

from __future__ import annotations

import pytest

from cormorant.model.content import Content
from cormorant.model.outcome import Deferred, Failed, Gone, Moved, Outcome
from cormorant.model.status import TABLE
from cormorant.net.http.curl_errors import OUT_OF_MEMORY, Failure, fault_of
from cormorant.net.http.messages import Request
from cormorant.sources.web import response
from cormorant.sources.web.response import Hop
from tests.net.http.servers import answered, saying

FAILS = (400, 401, 402, 403, 405, 406, 407, 409, 414, 451, 501, 505)
PUT_OFF = (408, 429, 500, 502, 503, 504)


def said_by(status: int, *fields: str) -> Content | Outcome | Hop:
    lines = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status} Said", "Content-Length: 0", *fields))
    answer = answered(saying(lines.encode() + b"\r\n"))
    return response.of_answer(answer, "http://a.example/", 1000.0, conditional=False, agent="cormorant")


@pytest.mark.parametrize("status", FAILS)
def test_what_the_request_is_blamed_for_has_failed(status: int) -> None:
    said = said_by(status)
    assert isinstance(said, Failed)
    assert said.status == status


@pytest.mark.parametrize("status", PUT_OFF)
def test_what_may_be_better_the_next_time_is_put_off(status: int) -> None:
    said = said_by(status)
    assert isinstance(said, Deferred)
    assert (said.status, said.whole_site) == (status, status in (429, 503))


@pytest.mark.parametrize("status", [404, 410])
def test_what_is_missing_is_gone(status: int) -> None:
    assert said_by(status) == Gone(status)


def test_no_number_of_the_table_is_left_out() -> None:
    assert {number for number in TABLE if 400 <= number < 600} == {*FAILS, *PUT_OFF, 404, 410}


@pytest.mark.parametrize("location", [(), ("Location: ",), ("Location: http://[::1",)])
@pytest.mark.parametrize("status", [301, 302])
def test_a_redirect_without_a_target_has_failed(status: int, location: tuple[str, ...]) -> None:
    said = said_by(status, *location)
    assert isinstance(said, Failed)
    assert said.status == 1003


@pytest.mark.parametrize(
    ("location", "target"),
    [
        (b"/caf\xc3\xa9", "http://a.example/caf%C3%A9"),
        (b"/caf\xe9?q=\xfc", "http://a.example/caf%E9?q=%FC"),
        (b"/two words", "http://a.example/two%20words"),
        (b"\t/a\tb \t", "http://a.example/ab"),
        (b"b.html#part", "http://a.example/d/b.html"),
        (b"?q=1", "http://a.example/d/x?q=1"),
        (b"//b.example/\xd0\xbc", "http://b.example/%D0%BC"),
        (b"http://b\xc3\xbccher.example/", "http://xn--bcher-kva.example/"),
        (b"/%E9\xe9%zz", "http://a.example/%E9%E9%zz"),
    ],
)
def test_a_redirect_leads_where_browsers_go(location: bytes, target: str) -> None:
    head = b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nX-Author: J\xf6rg\r\nLocation: " + location + b"\r\n\r\n"
    said = response.of_answer(answered(saying(head)), "http://a.example/d/x", 0.0, conditional=False, agent="")
    assert said == Moved(target)


@pytest.mark.parametrize(
    ("disposition", "file_name", "given_name"),
    [
        ("Content-Disposition: attachment; filename=data.csv", "data.csv", "data.csv"),
        ("Content-Disposition: attachment; filename=data", "get.json", "data"),
        ("X-Other: none", "get.json", ""),
    ],
)
def test_a_document_is_called_as_its_server_says(disposition: str, file_name: str, given_name: str) -> None:
    answer = answered(saying(f"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n{disposition}\r\n\r\n".encode()))
    said = response.content_of(answer, "http://a.example/get.json?id=7", "", 0.0)
    assert (said.file_name, said.given_name) == (file_name, given_name)


def test_a_lack_of_memory_is_put_off() -> None:
    said = response.of_fault(fault_of(Failure(OUT_OF_MEMORY, "", 0, False, False, 0), Request("http://a.example/")))
    assert isinstance(said, Deferred)
    assert said.status == 904


@pytest.mark.parametrize(("asked", "wait_s"), [
    ("120", 120.0), ("0", 0.0), ("Thu, 01 Jan 1970 00:20:00 GMT", 200.0), ("Thu, 01 Jan 1970 00:10:00 GMT", None),
    ("soon", None), ("-5", None), ("315360000", 315360000.0), ("", None),
])  # fmt: skip
def test_retry_after_in_every_shape(asked: str, wait_s: float | None) -> None:
    said = said_by(503, f"Retry-After: {asked}")
    assert isinstance(said, Deferred)
    assert said.wait_s == wait_s
