"""Whatever a document, a file name or a query says is shown as text, on every page that shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from cormorant.extract.html.safe_html import KEPT
from tests.pages.hostile import HOSTILE
from tests.pages.houses import Served
from tests.pages.pages import PAGES
from tests.pages.vectors import COUNT, NAMES, OUTSIDE, WORD, numbered
from tests.pages.visitor import Visitor

pytestmark = pytest.mark.timeout(300)
Visit = Callable[..., Visitor]
LEAST = 200
PER_PAGE = 10
UNREADABLE = 5
"""Documents in a charset that makes nothing of them, not even their number."""
PARTS = 3
"""Tests that share the work, so that one that hangs says where."""
OURS = "main[class=lines]"
OF_A_COPY = frozenset(("html", "head", "meta", "title", "link", "body", "main", "mark", *KEPT))
ON_A_COPY = frozenset((
    "charset", "name", "content", "rel", "href", "lang", "dir", "id", "data-theme", "title", "target", "start", "value",
    "span", "colspan", "rowspan", "scope",
))  # fmt: skip
"""What a copy is made of: of what its page says, only what does nothing."""
COMPUTED = "1337"
"""What template syntax in a vector would come to."""

# What the page is made of: which element in which, which attribute on which, and the values of those that never vary.
MADE = """() => {
  const made = new Set(), fixed = ["class", "dir", "rel", "type", "method", "name", "id", "rel"];
  for (const each of document.querySelectorAll("*")) {
    made.add(`${each.parentElement?.localName ?? ""} > ${each.localName}`);
    for (const {name, value} of each.attributes)
      made.add(`${each.localName}[${name}${fixed.includes(name) ? "=" + value : ""}]`);
  }
  const leading = [...document.querySelectorAll("[href], [src], [action], [formaction]")].flatMap(each =>
    ["href", "src", "action", "formaction"].filter(name => each.hasAttribute(name))
      .map(name => [each.localName, new URL(each.getAttribute(name), document.baseURI).href]));
  return {
    made: [...made], leading, text: document.body.innerText, titles: [...document.querySelectorAll(".hit h2 a")]
      .map(each => each.textContent), flag: document.documentElement.dataset.planted ?? "",
  };
}"""
NUMBER = re.compile(r"v0\d{3}")


@pytest.fixture(scope="module")
def made_by_templates(browser: Any, houses: Callable[[str], Served]) -> frozenset[str]:
    """What pages are made of that show nothing hostile."""
    from tests.pages.visitor import WIDE, enter

    made: set[str] = set()
    for name in sorted({listed.house for listed in PAGES}):
        visitor = enter(browser, houses(name), WIDE)
        for listed in PAGES:
            if listed.house == name:
                visitor.look_at(listed)
                made |= set(visitor.page.evaluate(MADE)["made"])
        visitor.page.context.close()
    return frozenset(made)


def harmless(visitor: Visitor, address: str, made_by_templates: frozenset[str], status: int = 200) -> dict[str, Any]:
    """Open a page and see that nothing on it but text comes from elsewhere; returns what is on it."""
    visitor.open(address, status, wait="domcontentloaded")
    seen: dict[str, Any] = visitor.page.evaluate(MADE)
    assert not seen["flag"], f"{address}: {seen['flag']} has run"
    strange = set(seen["made"]) - made_by_templates
    assert not strange, f"{address}: no template makes {sorted(strange)[:5]}"
    for tag, there in seen["leading"]:
        ours = there.startswith(visitor.house.origin + "/")
        assert ours or (tag == "a" and there.startswith(visitor.documents)), f"{address} leads to {there}"
    assert COMPUTED not in re.sub(r"[\w*]*%s\d" % COMPUTED, "", seen["text"]), f"{address} computes"  # noqa: UP031
    assert not visitor.faults, f"{address}: {visitor.faults}"
    return seen


def framed(visitor: Visitor, address: str) -> str:
    """See that nothing in the copy of the page does anything; returns its words."""
    seen: dict[str, Any] = visitor.framed.evaluate(MADE)
    assert not seen["flag"], f"{address}: {seen['flag']} has run in the copy"
    made = {each.rpartition(" > ")[2] for each in seen["made"] if " > " in each}
    assert made <= OF_A_COPY, f"{address}: a copy has {sorted(made - OF_A_COPY)}"
    on = [each for each in seen["made"] if " > " not in each and each != OURS]
    attributes = {each.partition("[")[2].partition("=")[0].rstrip("]") for each in on}
    assert attributes <= ON_A_COPY, f"{address}: a copy has {sorted(attributes - ON_A_COPY)}"
    for tag, there in seen["leading"]:
        assert there.startswith(("http://", "https://")), f"{address}: {tag} of the copy leads to {there}"
        assert tag == "a" or there == f"{visitor.house.origin}/static/copy.css"
    return str(seen["text"])


def stored(house: Served) -> list[dict[str, Any]]:
    """Every hostile document, in the order in which they are found."""
    hits: list[dict[str, Any]] = json.loads(house.get(f"/api/v1/search?q={WORD}&limit=1000")[1])["hits"]
    return hits


def _note(outside: list[str], address: str) -> None:
    if address.startswith(OUTSIDE):
        outside.append(address)


def test_there_are_enough() -> None:
    assert COUNT + len(NAMES) >= LEAST


def test_every_page_of_results(visit: Visit, made_by_templates: frozenset[str]) -> None:
    visitor = visit(HOSTILE)
    hits = stored(visitor.house)
    shown: set[str] = set()
    for page in range(-(-len(hits) // PER_PAGE)):
        seen = harmless(visitor, f"/search?q={WORD}&page={page + 1}", made_by_templates)
        here = hits[page * PER_PAGE : (page + 1) * PER_PAGE]
        assert [each.strip() for each in seen["titles"]] == [(each["title"] or each["url"]).strip() for each in here]
        shown |= set(NUMBER.findall(seen["text"]))
    assert len(shown) >= len(hits) - UNREADABLE


@pytest.mark.parametrize("part", range(PARTS))
def test_every_copy(part: int, visit: Visit, made_by_templates: frozenset[str]) -> None:
    visitor = visit(HOSTILE)
    shown: set[str] = set()
    outside: list[str] = []
    visitor.page.on("request", lambda request: _note(outside, request.url))
    for hit in stored(visitor.house)[part::PARTS]:
        address = f"/cached/{hit['id']}"
        harmless(visitor, address, made_by_templates)
        shown |= set(NUMBER.findall(framed(visitor, address)))
        assert not outside, f"{address} asks {outside}"
        assert not visitor.faults, f"{address}: {visitor.faults}"
    assert len(shown) >= LEAST / PARTS


BESIDE = ("/search?q=%(word)s&why=%(id)s", "/cached/%(id)s?q=%(word)s", "/duplicates/%(id)s", "/documents/%(id)s/links",
          "/explain?address=%(url)s")  # fmt: skip
EVERY = 6
"""Of so many documents one is looked at on the pages beside results and copies."""


@pytest.mark.parametrize("address", BESIDE, ids=["why", "marked", "equals", "links", "explain"])
def test_what_stands_beside(address: str, visit: Visit, made_by_templates: frozenset[str]) -> None:
    visitor = visit(HOSTILE)
    for hit in stored(visitor.house)[::EVERY]:
        words = {"word": WORD, "id": hit["id"], "url": quote(hit["url"], safe="")}
        harmless(visitor, address % words, made_by_templates)


def test_what_was_searched_for_is_listed_as_it_was_typed(visit: Visit, made_by_templates: frozenset[str]) -> None:
    visitor = visit(HOSTILE)
    asked = [payload for _, payload in numbered(700)][:40]
    for payload in asked:
        visitor.house.get(f"/search?q={quote(payload, safe='')}")
    seen = harmless(visitor, "/queries", made_by_templates)
    assert sum(" ".join(each.split()) in " ".join(seen["text"].split()) for each in asked) > 0


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/search?q=%s", 200),
        ("/advanced?q=%s", 200),
        (f"/search?q={WORD}&source=%s", 404),
        (f"/search?q={WORD}&page=%s", 422),
        ("/%s", 404),
    ],
    ids=["question", "advanced", "source", "page", "path"],
)
def test_what_is_asked_for(address: str, status: int, visit: Visit, made_by_templates: frozenset[str]) -> None:
    visitor = visit(HOSTILE)
    for _, payload in numbered(700):
        harmless(visitor, address.replace("%s", quote(payload, safe="")), made_by_templates, status)
