"""Why a hit is where it is: on the page and for programs, only when asked, and only of what may be seen."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from fastapi import Request

from cormorant.web.pages import score
from tests.web.crawled import EVIL, Crawled


def test_reasons_are_a_link_away(crawled: Crawled) -> None:
    plain = crawled.get("/search?q=kelp+forest").body
    assert '<details class="why"' not in plain
    number = crawled.api("/search?q=kelp+forest")["hits"][0]["id"]
    asked = f"why={number}#why"
    (menu,) = (line for line in plain.splitlines() if line.startswith('<details class="menu"') and asked in line)
    assert menu.index("Explain") < menu.index("Why this hit"), "it stands in the menu of the hit"
    shown = crawled.get(f"/search?q=kelp+forest&why={number}").main
    (box,) = shown.split('<details class="why"')[1:]
    assert box.index("Words found") < box.index("In all")
    assert "kelp, forest" in box
    assert asked not in shown, "it is open already"
    assert shown.count("#why") == plain.count("#why") - 1


def test_a_program_gets_the_parts_of_the_score(crawled: Crawled) -> None:
    for question in ("kelp forest", "sargasso", "number", "site:127.0.0.1 kelp"):
        for hit in crawled.api("/search?" + urlencode({"q": question}))["hits"]:
            why = crawled.api(f"/search/{hit['id']}/why?" + urlencode({"q": question}))
            assert why["score"] == pytest.approx(hit["score"], abs=1e-3)
            assert sum(part["points"] for part in why["parts"]) == pytest.approx(why["score"], rel=1e-6, abs=1e-9)


def test_a_reader_gets_no_reasons_for_hidden_documents(crawled: Crawled) -> None:
    hidden = next(each["id"] for each in crawled.api("/documents?source=personnel")["documents"] if each["indexed"])
    for number in (hidden, 10**6):
        got = crawled.get(f"/api/v1/search/{number}/why?q=pickers")
        assert (got.status, got.json["detail"]) == (
            404,
            "The query finds no such document, or you have no access to it.",
        )
        assert '<details class="why"' not in crawled.get(f"/search?q=kelp&why={number}").main
    assert crawled.get(f"/api/v1/search/{hidden}/why?q=pickers&source=personnel").status == 404
    assert crawled.get("/search?q=kelp&why=x").status == 422


def test_what_others_wrote_stays_text(crawled: Crawled) -> None:
    number = crawled.api("/search?q=evil")["hits"][0]["id"]
    body = crawled.get(f"/search?q=evil+script+alert&why={number}").body
    assert EVIL not in body
    assert "style=" not in body.partition("<main")[2]


def test_weights_for_programs(crawled: Crawled) -> None:
    assert crawled.api("/tuning")["weights"] == crawled.home.fine("tuning", "list", "--json").objects
    assert crawled.api("/tuning", accept="application/x-ndjson") == crawled.api("/tuning")["weights"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", ()), ("*", ()), ("de", ("de",)), ("de-CH,de;q=0.9, en;q=0.5,*;q=0.1", ("de-ch", "de", "en")),
        ("en;q=0.2, fr;q=0.8, sv", ("sv", "fr", "en")), ("en;q=0", ()), ("en;q=x, fr", ("fr",)), ("en;level=1", ()),
        ("a,b,c,d,e", ("a", "b", "c")), ("x" * 100_000, ()), ("\xe4\xf6, fi", ("fi",)), (";;,;q=1,=", ("=",)),
    ],
)  # fmt: skip
def test_languages_that_a_browser_prefers(said: str, expected: tuple[str, ...]) -> None:
    request = Request({"type": "http", "headers": [(b"accept-language", said.encode("latin-1"))]})
    assert score.languages(request) == expected


def test_a_browser_in_another_language_gets_another_order(crawled: Crawled) -> None:
    shown = crawled.api("/search?q=kelp", accept_language="und")["hits"]
    assert shown[0]["score"] > crawled.api("/search?q=kelp")["hits"][0]["score"]
