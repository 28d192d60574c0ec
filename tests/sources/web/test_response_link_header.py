import pytest

from cormorant.model.content import PageLink
from cormorant.model.text.robots_directives import directives_for
from cormorant.net.http.headers import Headers, moment
from cormorant.sources.web.filters import forbidden
from cormorant.sources.web.response import links_of

HERE = "https://h.example/a/b"


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        (b'Link: <c>; rel=next; title="The  next"\r\n', [PageLink("https://h.example/a/c", "The next", "next")]),
        (
            b'Link: </x>; rel="canonical Up", <http://o.example/?a,b;c>\r\n',
            [PageLink("https://h.example/x", "", "canonical up"), PageLink("http://o.example/?a,b;c")],
        ),
        (
            b"Link: </x>; rel=prev\r\nLink: </y>\r\n",
            [PageLink("https://h.example/x", "", "prev"), PageLink("https://h.example/y")],
        ),
        (b"Content-Location: c\r\n", [PageLink("https://h.example/a/c", "", "content-location")]),
        (b"Content-Location: b\r\n", []),
        (b'Link: <caf\xe9>; title="\xc3\xa9t\xc3\xa9"\r\n', [PageLink("https://h.example/a/caf%E9", "\u00e9t\u00e9")]),
        (
            b'Link: <caf\xc3\xa9>; title="\xc3\xa9t\xc3\xa9"\r\n',
            [PageLink("https://h.example/a/caf%C3%A9", "\u00e9t\u00e9")],
        ),
        (
            b'Link: </x>; title="a; rel=canonical"; rel=next, </y>; title="; rel=nofollow"\r\n',
            [
                PageLink("https://h.example/x", "a; rel=canonical", "next"),
                PageLink("https://h.example/y", "; rel=nofollow"),
            ],
        ),
        (b"Link: </x>; xrel=prev; rel=next; REL=prev\r\n", [PageLink("https://h.example/x", "", "next")]),
        (
            b'Link: </x>; rel="next\ta\xa0nofollow  nofollower"\r\n',
            [PageLink("https://h.example/x", "", "next nofollower")],
        ),
        (b"Link: nothing\r\nLink: <>; rel=next\r\nLink: <http://[>\r\n", []),
        (b"Link: " + b"<a" * 50_000 + b"\r\n", []),
    ],
)
def test_links_of_a_header(block: bytes, wanted: list[PageLink]) -> None:
    assert list(links_of(Headers(block), HERE)) == wanted


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("wed, 11 nov 2026 10:00:00 gmt", 1_794_391_200.0), ("11 nov 2026 10:00:00 gmt", 1_794_391_200.0),
        ("wednesday, 11-nov-26 10:00:00 gmt", 1_794_391_200.0), ("2026-11-11t10:00:00z", 1_794_391_200.0),
        ("2026-11-11 11:00:00+01:00", 1_794_391_200.0), ("2026-11-11", 1_794_355_200.0),
        ("some day", None), ("", None), ("9999999-99-99", None),
    ],
)  # fmt: skip
def test_moments_as_people_write_them(text: str, at: float | None) -> None:
    assert moment(text) == at


@pytest.mark.parametrize(
    ("value", "forbids"),
    [
        ("unavailable_after: Wed, 11 Nov 2026 10:00:00 GMT", True),
        ("unavailable_after: Wednesday, 11-Nov-26 10:00:00 GMT, nofollow", True),
        ("Cormorant: unavailable_after: 2026-11-11", True),
        ("acme: unavailable_after: 2026-11-11", False),
        ("unavailable_after: 2126-11-11", False),
        ("unavailable_after: whenever", False),
    ],
)
def test_a_page_is_there_until_its_date(value: str, *, forbids: bool) -> None:
    ruling = forbidden("meta robots", directives_for((value,), "cormorant"), 1_794_391_200.0)
    assert (ruling is not None and ruling.status == 971) == forbids


def test_another_directive_that_begins_alike_ends_nothing() -> None:
    assert forbidden("meta robots", ("unavailable_after: 2026-11-10",), 1_794_391_200.0) is not None
    assert forbidden("meta robots", ("unavailable_afternoons: 2026-11-10",), 1_794_391_200.0) is None
