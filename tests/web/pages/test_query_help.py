"""The help page says what search understands, and every example on it works."""

from __future__ import annotations

import html
import re

import pytest

from cormorant.search.query.lexer import FIELDS, OPERATORS
from cormorant.search.query.parser import parse
from cormorant.search.query.type_names import NAMES
from cormorant.web.pages import query_help
from tests.web.crawled import Crawled

FORMS = [form for chapter in query_help.CHAPTERS for form in chapter.forms]
EVERY = [*FORMS, query_help.TOGETHER]


@pytest.mark.parametrize("example", [form.example for form in EVERY])
def test_every_example_is_understood(example: str) -> None:
    understood = parse(example).understood
    assert understood.notes == ()
    assert understood.text


def test_every_example_is_a_link_that_works(crawled: Crawled) -> None:
    page = crawled.get("/help").main
    links = re.findall(r'<a class="addr" href="(/search\?[^"]+)">([^<]+)</a>', page)
    assert [html.unescape(text) for _, text in links] == [form.example for form in (*EVERY, *query_help.ODD)]
    for link, text in links:
        got = crawled.get(html.unescape(link))
        assert got.status == 200
        assert f'name="q" type="search" value="{text}"' in got.body.replace("&#34;", "&#34;")


def test_every_word_of_the_query_language_is_explained() -> None:
    shown = " ".join(f"{form.example} {form.finds}" for form in EVERY)
    assert {field for field in FIELDS if f"{field}:" not in shown} == set()
    assert {name for name in (*NAMES, *OPERATORS) if name not in shown} == set()


@pytest.mark.parametrize("example", re.findall("`([^`]+)`", " ".join(form.finds for form in EVERY)))
def test_what_is_written_in_an_explanation_is_understood(example: str) -> None:
    assert parse(example).understood.notes == () or example in OPERATORS


@pytest.mark.parametrize("form", query_help.ODD)
def test_what_is_odd_is_read_as_it_says(form: query_help.Form) -> None:
    understood = parse(form.example).understood
    assert understood.notes
    (read, *more) = re.findall("`([^`]+)`", form.finds)
    assert parse(" ".join((read, *more))).query == parse(form.example).query


def test_help_leads_back_and_is_found(crawled: Crawled) -> None:
    assert '<a href="/help">How to search</a>' in crawled.get("/").body
    assert 'href="#fields"' in crawled.get("/help").body
    assert 'id="fields"' in crawled.get("/help").body


def test_help_does_not_deny_that_other_forms_are_found(crawled: Crawled) -> None:
    page = crawled.get("/help").body
    assert "Endings are not changed" not in page
    assert "Other forms of a word are found too" in page
