"""Attributes of documents under the names of a map and in the types of the catalog."""

from __future__ import annotations

import asyncio

import pytest

from cormorant.base.profiling import unmeasured
from cormorant.crawl.visit.convert import Converter
from cormorant.crawl.visit.search_attributes import unannounced, with_search_attributes
from cormorant.model.attribute import AttributeType
from cormorant.model.content import Content, Extraction, VisitTrace
from cormorant.model.settings.pipeline import PipelineSettings
from cormorant.sandbox.client import ChildPool
from tests.crawl.samples import web_source

PAGE = b"""<title>A</title><meta name="Department" content="sales"><meta name=department content=it>
<meta name=generator content=x><meta name=author content="Ada"><meta name=robots content=noindex><h1>One</h1>"""


def read(*lines: str) -> Extraction:
    content = Content("https://a.example/x", PAGE, "text/html")
    source = web_source(attribute_map=list(lines))
    found = asyncio.run(Converter(ChildPool({}), unmeasured).read(content, source, VisitTrace()))
    assert isinstance(found, tuple)
    return found[1]


def test_metas_are_read_by_the_map() -> None:
    assert read().attributes == {"Author": "Ada", "Headline1": ("One",)}
    assert read("department=Department").attributes == {
        "Department": ("sales", "it"), "Author": "Ada", "Headline1": ("One",),
    }  # fmt: skip


def test_attributes_are_renamed_joined_and_dropped() -> None:
    assert read("Author=Writer", "headline1=").attributes == {"Writer": "Ada"}
    assert read("department=Topic", "author=Topic", "headline1=").attributes == {"Topic": ("sales", "it", "Ada")}
    titled = read("department=Title")
    assert (titled.title, "Title" in titled.attributes) == ("sales", False)


def test_directives_for_robots_are_no_attributes() -> None:
    found = read("robots=Robots")
    assert found.directives == ("noindex",)
    assert "Robots" not in found.attributes


def test_types_of_the_catalog() -> None:
    said = Extraction("", attributes={"Price": "10", "Gone": "x", "Due_at": "2026-03-14", "Odd_at": "soon"})
    found = with_search_attributes(said, {}, {"Price": AttributeType.NUMBER, "Gone": None})
    assert found.attributes == {"Price": 10.0, "Due_at": 1773446400.0}
    plain = Extraction("", attributes={"Author": "Ada", "Headline1": ("One",)})
    assert with_search_attributes(plain, {}, {}) is plain


def test_what_is_made_known() -> None:
    kinds = dict.fromkeys(("Department", "Author", "Robots", "Protection", "a b", "Known"), AttributeType.STRING)
    assert unannounced(kinds, {"Known"}) == {"Department": AttributeType.STRING}


@pytest.mark.parametrize("line", ["", "=A", "a", "a=1b", "a=b c", "x" * 101 + "=A", "\x00=A"])
def test_maps_that_are_none(line: str) -> None:
    with pytest.raises(ValueError, match=r"attribute"):
        PipelineSettings(attribute_map=(line,))


def test_an_attribute_is_mapped_once() -> None:
    with pytest.raises(ValueError, match="mapped twice"):
        PipelineSettings(attribute_map=("Author=A", "author=B"))
