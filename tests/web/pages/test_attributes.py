"""Attributes on the pages of readers and in the interface for programs, with labels in their language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pytest

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.operate.search import attributes, value_lists
from cormorant.operate.search.attributes import AttributeEdit
from cormorant.web import app
from cormorant.web.security.request_guard import Application
from tests.cli.world import InstalledCli
from tests.web.asking import Got, ask_of, send_to

TEXTS = {
    "a.html": "<meta name=department content=sales><meta name=price content=10><p>plover one",
    "b.html": "<meta name=department content=it><meta name=price content=20><p>plover two",
    "c.html": "<meta name=department content='Human Resources'><p>plover three",
    "d.html": "<meta name=department content='sales'><p>plover four",
}
SWISS = "de-CH,en;q=0.5"
MAPPED = ("--set", "attribute_map=department=Department", "--set", "attribute_map=price=Price")


class Served(NamedTuple):
    """An installation with departments and prices."""

    application: Application

    def get(self, address: str, **headers: str) -> Got:
        return ask_of(self.application, address, **headers)

    def found(self, query: str) -> list[str]:
        got = self.get(f"/api/v1/search?{query}")
        assert got.status == 200, got.body
        return sorted(hit["url"].rpartition("/")[2] for hit in got.json["hits"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("attributes")
    (folder / "docs").mkdir()
    for name, text in TEXTS.items():
        (folder / "docs" / name).write_text(text)
    home = InstalledCli(folder / "data")
    home.fine("source", "add", "files", "docs", "--set", f"path={folder / 'docs'}", *MAPPED)
    home.fine("attribute", "add", "Price", "--type", "number")
    home.fine("crawl")
    house = open_house(BuildPlan(home.folder, settings.load(None)), first=True)
    attributes.edit(house, "Department", AttributeEdit(facet=True))
    value_lists.add(house, "Department", "it", {"": "Computers", "de": "Rechner & Netze"})
    value_lists.add(house, "Department", "sales", {"de": "Vertrieb"})
    yield Served(app.make(house))
    house.store.close()


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("q=plover+Department:sales", ["a.html", "d.html"]),
        ("q=Price:15..", ["b.html"]),
        ("q=plover&attribute=Department%3Dit", ["b.html"]),
        ("q=plover&attribute=department%3DHuman+Resources&attribute=Department%3Dit", ["b.html", "c.html"]),
        ("q=plover&attribute=Price%3D10", ["a.html"]),
    ],
)
def test_programs_find_by_attributes(query: str, names: list[str], served: Served) -> None:
    assert served.found(query) == names


def test_programs_get_counts_with_labels(served: Served) -> None:
    got = served.get("/api/v1/search?q=plover&facet=department&attribute=Department%3Dit", accept_language=SWISS)
    assert got.json["attribute_facets"] == {
        "Department": [
            {"value": "sales", "count": 2, "chosen": False, "label": "Vertrieb"},
            {"value": "Human Resources", "count": 1, "chosen": False, "label": "Human Resources"},
            {"value": "it", "count": 1, "chosen": True, "label": "Rechner & Netze"},
        ]
    }
    unknown = served.get("/api/v1/search?q=plover&facet=Colour")
    assert (unknown.status, "no attribute 'Colour'" in unknown.body) == (404, True)


def test_the_page_offers_values_as_the_reader_calls_them(served: Served) -> None:
    main = unescape(served.get("/search?q=plover", accept_language=SWISS).main)
    assert "Department" in main
    assert main.index("Rechner & Netze") < main.index("Vertrieb") < main.index("Human Resources")
    assert "Computers" in unescape(served.get("/search?q=plover", accept_language="fr").main)
    body = served.get("/search?q=plover").body
    there, *_ = re.findall(r'href="(/search\?[^"]*attribute=Department%3Dit[^"]*)"', body)
    chosen = served.get(unescape(there))
    assert chosen.main.count('<li class="hit"') == 1
    assert 'href="/search?q=plover"' in chosen.main, "a way back"


def test_a_choice_is_kept_in_the_advanced_form(served: Served) -> None:
    body = served.get("/search?q=plover&attribute=Department%3Dit").body
    (form,) = set(re.findall(r'href="(/advanced\?[^"]*)"', body)) - {"/advanced"}
    opened = served.get(unescape(form), accept_language=SWISS).body
    assert '<option value="=it" selected>Rechner &amp; Netze</option>' in opened
    sent = served.get("/advanced?all=plover&attribute.Department=%3Dsales&attribute.Price=..15&go=1")
    assert sent.headers["location"] == "/search?q=%2Bplover+Department%3A%3Dsales+Price%3A..15"
    assert served.get(sent.headers["location"]).main.count('<li class="hit"') == 1


def test_hostile_names_and_values_are_passed_over(served: Served) -> None:
    evil = quote("Department=<script>alert(1)</script>")
    got = served.get(f"/search?q=plover&attribute={evil}&attribute=Nobody%3Dx&attribute=%3D&attribute=")
    assert (got.status, "<script>alert" in got.body) == (200, False)
    form = served.get(f"/advanced?q={quote('Department:=<script>alert(1)</script>')}&attribute.x=%00")
    assert (form.status, "<script>alert" in form.body) == (200, False)


def test_an_attribute_of_closed_documents_is_passed_over_like_an_unknown_one(tmp_path: Path) -> None:
    home = InstalledCli(tmp_path / "data")
    for name, text, grants in (("open", "<p>plover", ()), ("closed", "<p>plover pay", ("--set", "grants=group:hr"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.html").write_text(f"<meta name={name} content=1>{text}")
        own = ("--set", f"attribute_map={name}={name.title()}", *grants)
        home.fine("source", "add", "files", name, "--set", f"path={tmp_path / name}", *own)
        home.fine("attribute", "add", name.title(), "--facet")
    home.fine("crawl")
    house = open_house(BuildPlan(home.folder, settings.load(None)), first=True)
    served = Served(app.make(house))

    def seen(query: str) -> tuple[int, int, bool]:
        got = served.get(f"/search?q=plover{query}")
        return got.status, got.main.count('<li class="hit"'), "Closed" in got.main

    assert seen("&attribute=Closed%3D1") == seen("&attribute=Nobody%3D1") == (200, 1, False)
    assert seen("&attribute=Closed%3D1&attribute=Open%3D1") == (200, 1, False)
    assert seen("&attribute=Open%3D2") == (200, 0, False)
    house.store.close()


def test_programs_manage_attributes_and_lists(served: Served) -> None:
    def send(method: str, address: str, body: bytes = b"") -> Got:
        headers = {"content-type": "application/json", "content-length": str(len(body))}
        return send_to(served.application, f"/api/v1{address}", method, body, headers)

    assert send("POST", "/attributes", b'{"name": "Colour"}').status == 201
    assert send("POST", "/attributes", b'{"name": "Colour"}').status == 409
    edited = send("PATCH", "/attributes/Colour", b'{"type": "number"}').json
    assert (edited["type"], edited["recrawl"]) == ("number", {"sources": 1, "documents": 4})
    assert send("POST", "/lovs/Colour", b'{"value": "1", "names": {"": "One", "de": "Eins"}}').status == 201
    assert send("PATCH", "/lovs/Colour", b'{"value": "1", "names": {"de": ""}}').json["names"] == {"": "One"}
    content = b'{"content": "attribute,value,name:fr\\nColour,2,Deux\\n"}'
    assert send("POST", "/lovs", content).json == {"added": 1, "changed": 0}
    values = served.get("/api/v1/lovs?attribute=Colour").json["values"]
    assert [(each["value"], each["names"]) for each in values] == [("1", {"": "One"}), ("2", {"fr": "Deux"})]
    assert send("DELETE", "/lovs/Colour?value=1").json == {"attribute": "Colour", "deleted": 1}
    assert send("DELETE", "/attributes/Colour").json["recrawl"]["documents"] == 4
    assert served.get("/api/v1/attributes/Colour").status == 404
    assert served.get("/api/v1/lovs").json["values"][0]["value"] == "it"
