"""OpenSearch descriptions make the addresses that their servers mean, and nothing that leads elsewhere."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given, strategies as st

from cormorant.sources.federated.description import ATOM, RSS, parse_description

HERE = "https://a.example/opensearch.xml"


def described(urls: str, more: str = "") -> bytes:
    spaces = 'xmlns="http://a9.com/-/spec/opensearch/1.1/" xmlns:x="http://x.example/"'
    return f"<OpenSearchDescription {spaces}><ShortName>A</ShortName>{more}{urls}</OpenSearchDescription>".encode()


def url_of(template: str, text: str = "tide gauge", language: str = "de-ch", more: str = "", kind: str = RSS) -> str:
    written = template.replace("&", "&amp;")
    found = parse_description(described(f'<Url type="{kind}" template="{written}"/>', more), HERE)
    return found.template.address(text, 5, language, found.charset)


def test_every_parameter_is_filled_in() -> None:
    template = (
        "https://a.example/s?q={searchTerms}&n={count}&i={startIndex}&p={startPage}&l={language}"
        "&ie={inputEncoding}&oe={outputEncoding}&x={x:who?}&y={unknown?}"
    )
    assert url_of(template) == ("https://a.example/s?q=tide%20gauge&n=5&i=1&p=1&l=de-ch&ie=utf-8&oe=UTF-8&x=&y=")
    assert url_of("https://a.example/s?q={searchTerms}&l={language?}", language="").endswith("&l=*")


@pytest.mark.parametrize("text", ["a&b=c", "x#y", "50 % of {count}", "naïve/../?", "\U0001f426"])
def test_a_query_stays_one_value(text: str) -> None:
    found = urlsplit(url_of("https://a.example/s?q={searchTerms}&z=1", text))
    assert (found.netloc, found.path) == ("a.example", "/s")
    assert parse_qs(found.query) == {"q": [text], "z": ["1"]}


def test_numbers_begin_where_the_server_counts_from() -> None:
    template = "/s?q={searchTerms}&amp;i={startIndex?}&amp;p={startPage}"
    url = f'<Url type="{ATOM}" indexOffset="0" pageOffset="7" template="{template}"/>'
    found = parse_description(described(url), HERE)
    assert found.template.address("x", 5, "", "utf-8") == "https://a.example/s?q=x&i=0&p=7"


def test_a_query_is_written_in_the_encoding_that_the_server_reads() -> None:
    template = "https://a.example/s?q={searchTerms}"
    assert url_of(template, "häfen", more="<InputEncoding>ISO-8859-1</InputEncoding>").endswith("q=h%E4fen")
    both = "<InputEncoding>ISO-8859-1</InputEncoding><InputEncoding>UTF-8</InputEncoding>"
    assert url_of(template, "häfen", more=both).endswith("q=h%C3%A4fen")
    for odd in ("utf-16", "hex", "no-such-encoding", ""):
        assert url_of(template, "häfen", more=f"<InputEncoding>{odd}</InputEncoding>").endswith("q=h%C3%A4fen")


def test_the_best_form_is_taken_and_what_is_no_list_of_results_is_passed_over() -> None:
    urls = "".join(
        f'<Url type="{kind}" {more} template="https://a.example/{number}?q={{searchTerms}}"/>'
        for number, (kind, more) in enumerate([
            ("text/html", ""), ("application/json", ""), (RSS, 'rel="suggestions"'), (RSS, 'method="post"'), (RSS, ""),
        ])
    )  # fmt: skip
    assert parse_description(described(urls), HERE).template[:2] == ("https://a.example/4?q={searchTerms}", RSS)


@pytest.mark.parametrize(
    "template",
    [
        "https://a.example/s",
        "https://a.example/s?q={searchTerms}&k={needed}",
        "https://a.example/s?q={searchTerms}&k={x:needed}",
        "https://{searchTerms}.example/s",
        "https://a.example{searchTerms}/s",
        "http://a.example/s?q={searchTerms}",
        "ftp://a.example/s?q={searchTerms}",
        "javascript:alert({searchTerms})",
        "https://a.example/s?q={searchTerms}" + "x" * 5_000,
        "",
    ],
)
def test_a_template_that_cannot_be_asked_by_is_none(template: str) -> None:
    with pytest.raises(ValueError, match="none of it can be read"):
        url_of(template)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html/>", "its root element is 'html'"),
        (b"nothing", "Start tag expected|syntax|expected"),
        (b"", "empty|it has no element|Document is empty"),
        (b"<!DOCTYPE x [<!ENTITY a 'b'>]><OpenSearchDescription/>", "document type"),
        (described(""), "it has no Url"),
        (described('<Url type="text/html" template="https://a.example/?q={searchTerms}"/>'), "it offers text/html"),
    ],
)
def test_what_is_no_description_is_told(body: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_description(body, HERE)


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_template_and_no_query_lead_to_another_host(template: str, text: str) -> None:
    try:
        body = described(f'<Url type="{RSS}" template={quoteattr("https://a.example/" + template + "{searchTerms}")}/>')
        found = parse_description(body, HERE)
        address = found.template.address(text, 5, "", found.charset)
    except (ValueError, UnicodeEncodeError):
        return
    assert address.startswith("https://a.example/")
