"""Suggestions for programs and for the search boxes, from an installation that was crawled."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from cormorant.operate.records.search import SuggestionsRecord
from tests.web.crawled import Crawled


def test_words_and_documents(crawled: Crawled) -> None:
    said = crawled.api("/suggest?q=sarg")
    TypeAdapter(SuggestionsRecord).validate_python(said)
    assert (said["query"], said["wordings"]) == ("sarg", [{"text": "sargasso", "documents": 3}])
    assert crawled.api("/suggest?q=start%20of")["documents"][0]["title"] == "Start of all"
    assert [each["text"] for each in crawled.api("/suggest?q=sargasso%20we")["wordings"]] == ["sargasso weed"]


def test_one_source_only(crawled: Crawled) -> None:
    assert crawled.api("/suggest?q=sarg&source=papers")["wordings"] == [{"text": "sargasso", "documents": 1}]
    hidden, nowhere = (crawled.get(f"/api/v1/suggest?q=pa&source={name}") for name in ("personnel", "nowhere"))
    assert (hidden.status, hidden.body) == (404, nowhere.body)


@pytest.mark.parametrize("typed", ["picker", "pai", "what%20pick", "pickers"])
def test_what_only_others_may_read_is_not_suggested(typed: str, crawled: Crawled) -> None:
    said = crawled.api(f"/suggest?q={typed}")
    assert said["wordings"] == said["documents"] == []


def test_a_question_has_to_be_given(crawled: Crawled) -> None:
    assert crawled.get("/api/v1/suggest").status == 422
    assert crawled.api("/suggest?q=") == {"query": "", "wordings": [], "documents": []}


@pytest.mark.parametrize("path", ["/", "/search?q=kelp", "/search?q=nothingatall", "/cached/1"])
def test_search_boxes_get_them_by_a_script(path: str, crawled: Crawled) -> None:
    got = crawled.get(path)
    assert '<script src="/static/suggest.js" defer>' in got.body
    assert "connect-src 'self'" in got.headers["content-security-policy"]
    assert 'role="combobox"' not in got.body, "without the script it is a plain box"
