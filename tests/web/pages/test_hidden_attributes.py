"""Attributes that only closed documents have look like names that no document has, on every face of search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from cormorant.app import settings
from cormorant.app.build import BuildPlan, open_house
from cormorant.app.client import Cormorant
from cormorant.web import app
from cormorant.web.security.request_guard import Application
from tests.cli.world import InstalledCli
from tests.web.asking import ask_of

HIDDEN, UNKNOWN = "Pay.grade_code", "Cat.fancy_code"
"""The first is a number of closed documents; no document has the second."""
TEXTS = (
    "{}:7", "plover {}:7", "plover {}:sea", "plover {}:sea*", "-{}:7 plover", "{}:(7 OR 8)", "plover {}:7..9 AND sea",
    "plover \uff21 {}:7", 'plover {}:="7"', "{}:sea plo",
)  # fmt: skip


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> InstalledCli:
    """An installation with an open document and a closed one, each with an attribute of its own."""
    folder: Path = tmp_path_factory.mktemp("hidden")
    home = InstalledCli(folder / "data")
    for source, name, grants in (("open", "Reef.sort_code", ()), ("closed", HIDDEN, ("--set", "grants=group:hr"))):
        (folder / source).mkdir()
        (folder / source / "a.html").write_text(f"<meta name={source} content=7><title>Plover</title><p>plover sea 7")
        own = ("--set", f"attribute_map={source}={name}", *grants)
        home.fine("source", "add", "files", source, "--set", f"path={folder / source}", *own)
        home.fine("attribute", "add", name, "--facet", "--type", "number")
    home.fine("crawl")
    return home


@pytest.fixture(scope="module")
def served(installed: InstalledCli) -> Iterator[Application]:
    house = open_house(BuildPlan(installed.folder, settings.load(None)), first=True)
    yield app.make(house)
    house.store.close()


def answer(served: Application, address: str, name: str) -> tuple[int, str]:
    """Return an answer in which the name, the time that it took and random numbers are blanked."""
    got = ask_of(served, address.format(quote(name)))
    body = got.body.replace(name, "N").replace(name.lower(), "N").replace(quote(name), "N")
    return got.status, re.sub(r'"took_ms":\s*[\d.]+|\d+(\.\d+)? ms|/clicked/\w+', "", body)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/search?q={}", "/api/v1/search?q={}&as_typed=true", "/api/v1/suggest?q={}", "/search?q={}",
        "/search?q={}&source=open", "/advanced?q={}", "/advanced?also={}",
    ],
)  # fmt: skip
def test_a_text_that_names_it(address: str, text: str, served: Application) -> None:
    asked = address.format(quote(text.format("NAME")).replace("NAME", "{}"))
    assert answer(served, asked, HIDDEN) == answer(served, asked, UNKNOWN)


@pytest.mark.parametrize("value", ["7", "%3D7", "sea"])
def test_a_field_of_the_form_that_names_it(value: str, served: Application) -> None:
    asked = "/advanced?all=plover&attribute.{}=" + value
    assert answer(served, asked, HIDDEN) == answer(served, asked, UNKNOWN)


@pytest.mark.parametrize("letters", [str.lower, str.upper, str.title])
@pytest.mark.parametrize("address", ["facet={}", "attribute={}%3D7", "facet={}&attribute={}%3D7"])
def test_a_parameter_that_names_it_in_any_case(
    address: str, letters: Callable[[str], str], served: Application
) -> None:
    """The error has the name as it was asked, and not as the catalog writes it."""
    said = []
    for name in (HIDDEN, UNKNOWN):
        got = ask_of(served, f"/api/v1/search?q=plover&{address}".replace("{}", letters(name)))
        assert letters(name) in got.body
        said.append((got.status, got.body.replace(letters(name), "N")))
    assert said[0] == said[1]
    assert said[0][0] == 404


def test_marks_in_a_copy_that_name_it(served: Application) -> None:
    number = ask_of(served, "/api/v1/search?q=plover").json["hits"][0]["id"]
    asked = f"/cached/{number}?q={{}}:sea"
    assert answer(served, asked, HIDDEN)[0] == 200
    assert answer(served, asked, HIDDEN) == answer(served, asked, UNKNOWN)


def test_one_that_the_reader_sees_is_a_filter(served: Application) -> None:
    assert ask_of(served, "/api/v1/search?q=Reef.sort_code:7").json["query"] == "Reef.sort_code:7"
    note = ask_of(served, "/api/v1/search?q=reef.sort_code:sea").json["notes"]
    assert note == ["sea was read as words: Reef.sort_code: takes a number like 10, >10 or 10..20."]
    suggested = ask_of(served, "/api/v1/suggest?q=Reef.sort_code:7%20plo").json
    assert [each["text"] for each in suggested["wordings"]] == ["Reef.sort_code:7 plover"]


def test_people_who_administer_the_installation_may_name_it(installed: InstalledCli) -> None:
    done = installed.fine("search", f"{HIDDEN}:sea")
    assert f"{HIDDEN}: takes a number" in done.out + done.err
    with Cormorant.open(installed.folder) as kept:
        assert kept.search(f"plover -{HIDDEN}:7").total == 1
        assert kept.search(f"plover {HIDDEN}:7").total == 0
