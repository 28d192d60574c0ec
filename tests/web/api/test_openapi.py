"""Where a browser learns that it may search here: by the rules of OpenSearch 1.1 (draft 6) and of browsers."""

from __future__ import annotations

from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from tests.web.crawled import Crawled

SPACE = "{http://a9.com/-/spec/opensearch/1.1/}"
KIND = "application/opensearchdescription+xml"


@pytest.fixture
def description(crawled: Crawled) -> ElementTree.Element:
    got = crawled.get("/opensearch.xml", host="127.0.0.1:8765")
    assert (got.status, got.headers["content-type"].partition(";")[0]) == (200, KIND)
    return ElementTree.fromstring(got.body)


def text(description: ElementTree.Element, name: str) -> str:
    (found,) = description.findall(SPACE + name)
    return found.text or ""


def test_it_is_what_the_specification_asks_for(description: ElementTree.Element) -> None:
    assert description.tag == f"{SPACE}OpenSearchDescription"
    assert 0 < len(text(description, "ShortName")) <= 16
    assert 0 < len(text(description, "Description")) <= 1024
    for each in description.findall(f"{SPACE}Url"):
        assert each.attrib["template"].startswith("http://127.0.0.1:8765/")
        assert {*each.attrib} <= {"type", "template", "rel", "indexOffset", "pageOffset"}
        assert each.get("rel", "results") in ("results", "self", "suggestions", "collection")
        assert not urlsplit(each.attrib["template"]).fragment
    kinds = [each.attrib["type"] for each in description.findall(f"{SPACE}Url")]
    assert kinds == ["text/html", "application/json", KIND]
    (example,) = description.findall(f"{SPACE}Query")
    assert (example.attrib["role"], bool(example.attrib["searchTerms"])) == ("example", True)


def test_its_templates_lead_to_search(description: ElementTree.Element, crawled: Crawled) -> None:
    templates = {each.attrib["type"]: each.attrib["template"] for each in description.findall(f"{SPACE}Url")}
    fill = {"{searchTerms}": "kelp", "{startIndex?}": "1", "{count?}": "2"}
    for kind, template in templates.items():
        for name, value in fill.items():
            template = template.replace(name, value)
        assert "{" not in template
        got = crawled.get(template.removeprefix("http://127.0.0.1:8765"))
        assert (got.status, got.headers["content-type"].partition(";")[0]) == (200, kind)


PAGES = ["/", "/search?q=kelp", "/search?q=nothingatall", "/cached/1", "/help", "/help/errors", "/explain", "/status"]


@pytest.mark.parametrize("path", [*PAGES, "/explain?address=https://a.example/", "/status/404", "/nowhere"])
def test_every_page_leads_to_it(path: str, crawled: Crawled) -> None:
    head = crawled.get(path).body.partition("</head>")[0]
    assert f'<link rel="search" href="/opensearch.xml" type="{KIND}" title="Cormorant">' in head


@pytest.mark.parametrize(
    "host", ['localhost:80"><x', "localhost:<b>", "localhost:8765/evil", "localhost:1e3", "a@localhost"]
)
def test_a_host_that_is_none_gets_no_description(host: str, crawled: Crawled) -> None:
    assert crawled.get("/opensearch.xml", host=host).status == 421
