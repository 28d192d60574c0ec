"""Empty parameters of programs are refused with the message of the command, or mean the default."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.operate.delivery import receivers
from cormorant.operate.installation import Installation
from cormorant.operate.sources import profiles, sources
from cormorant.web import app
from cormorant.web.api.routing import LINES
from cormorant.web.security.request_guard import Application
from tests.web.api.test_requests import ask, done
from tests.web.asking import ask_of


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    """A source, a set of parameters and a receiver."""
    (tmp_path / "papers").mkdir()
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        sources.add(made, "files", "farm", {"path": str(tmp_path / "papers"), "max_minutes": 9})
        profiles.add(made, "gentle", {"delay_s": 3})
        receivers.add(made, "jsonlines", "r", None, {"path": str(tmp_path / "r.jsonl"), "delta": False})
        yield made


@pytest.fixture
def pages(house: Installation) -> Application:
    return app.make(house)


@pytest.mark.parametrize("path", ["/sources/farm", "/parameters/gentle", "/receivers/r"])
@pytest.mark.parametrize("empty", [None, "", []])
def test_an_unknown_setting_is_refused_without_a_value_as_with_one(
    path: str, empty: object, pages: Application
) -> None:
    before = ask(pages, "GET", path).body
    with_one = ask(pages, "PATCH", path, {"settings": {"delat_s": 1}})
    got = ask(pages, "PATCH", path, {"settings": {"delat_s": empty}})
    assert (got.status, got.json["code"], got.body) == (422, "bad_setting", with_one.body)
    assert ask(pages, "GET", path).body == before


def test_a_known_setting_without_a_value_goes_back_to_the_default(pages: Application) -> None:
    for path, setting in (
        ("/sources/farm", "max_minutes"),
        ("/parameters/gentle", "delay_s"),
        ("/receivers/r", "delta"),
    ):
        assert setting in done(pages, "GET", path)["settings"]
        assert setting not in done(pages, "PATCH", path, {"settings": {setting: None}})["settings"]


NOBODY = "There is no source ''. There is: farm."


@pytest.mark.parametrize("accept", ["application/json", LINES])
@pytest.mark.parametrize("path", ["/documents?source=", "/runs?source="])
def test_no_name_does_not_list_what_is_of_all_sources(path: str, accept: str, pages: Application) -> None:
    got = ask(pages, "GET", path, accept=accept)
    assert (got.status, got.json["code"], got.json["detail"]) == (404, "not_found", NOBODY)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/documents/recrawl", {"source": ""}),
        ("/documents/recrawl", {"source": "", "addresses": ["https://a.example/"]}),
        ("/receivers", {"receiver": "x", "kind": "jsonlines", "source": "", "settings": {"path": "/nowhere/x"}}),
        ("/receivers/r/resend", {"source": ""}),
        ("/runs", {"sources": [""]}),
        ("/schedules", {"schedule": "x", "sources": [""], "when": "manual"}),
    ],
)
def test_no_name_does_not_stand_for_all_sources(path: str, said: object, pages: Application) -> None:
    got = ask(pages, "POST", path, said)
    assert (got.status, got.json["code"], got.json["detail"]) == (404, "not_found", NOBODY)


@pytest.mark.parametrize("address", ["", " "])
def test_no_address_is_not_tested_as_the_first_one(address: str, pages: Application) -> None:
    got = ask(pages, "POST", "/sources/farm/test", {"address": address, "no_fetch": True})
    assert (got.status, got.json["code"]) == (422, "bad_address")
    assert got.json["detail"].startswith("You gave no address. Write one in full")


def test_pages_that_send_a_choice_of_all_sources_go_on(pages: Application) -> None:
    for page in ("/status/200?source=", "/search?q=paper&source=", "/?source=", "/advanced?q=paper&source="):
        assert ask_of(pages, page).status == 200


@pytest.mark.parametrize("empty", [None, ""])
@pytest.mark.parametrize(
    ("method", "path", "said", "setting"),
    [
        ("POST", "/sources", {"kind": "files", "name": "x"}, "path"),
        ("PATCH", "/sources/farm", {}, "path"),
        ("POST", "/receivers", {"kind": "jsonlines", "receiver": "x"}, "path"),
        ("PATCH", "/receivers/r", {}, "path"),
        ("POST", "/receivers", {"kind": "warc", "receiver": "x"}, "folder"),
    ],
)
def test_no_path_is_not_the_folder_that_the_server_is_in(
    method: str, path: str, said: dict[str, object], setting: str, empty: object, pages: Application
) -> None:
    got = ask(pages, method, path, {**said, "settings": {setting: empty}})
    assert (got.status, got.json["code"]) == (422, "bad_setting")
    assert got.json["detail"].startswith(f"The setting '{setting}' is needed: ")
