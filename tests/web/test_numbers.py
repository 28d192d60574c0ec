"""An unknown number in a URL is answered by 404, whatever its size, in every database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.web import app
from cormorant.web.security.request_guard import Application
from tests.web.api.test_requests import ask
from tests.web.api.test_routing import DESCRIPTION
from tests.web.asking import ask_of

NUMBERS = (2**15, 2**31 - 1, 2**31, 3 * 10**9, 2**63 - 1, 2**63, 10**30)
NUMBERED = [
    (verb.upper(), path.removeprefix("/api/v1")) for path, of in DESCRIPTION["paths"].items() for verb in of
    if "{number}" in path
]  # fmt: skip


@pytest.fixture
def pages(store_url: str, tmp_path: Path) -> Iterator[Application]:
    """The pages of an installation in which there is nothing yet."""
    with opened(BuildPlan(tmp_path / "data", InstallationSettings(store=store_url)), new=True) as house:
        yield app.make(house)


def test_nothing_has_the_number_that_nothing_has(pages: Application) -> None:
    assert len(NUMBERED) > 10
    for method, path in NUMBERED:
        for number in NUMBERS:
            asked = path.replace("{number}", str(number)) + ("?q=harbour" if path.startswith("/search") else "")
            said = {"rules": ["path:/x"]} if path.endswith("/prune") else None
            got = ask(pages, method, asked, said)
            assert (got.status, got.json["code"]) == (404, "not_found"), (method, asked, got.body)


def test_a_list_of_what_a_run_changed_is_of_a_run_that_there_is(pages: Application) -> None:
    for number in NUMBERS:
        assert ask(pages, "GET", f"/documents?changed={number}").status == 404, number


def test_a_number_that_a_list_goes_on_behind_leads_nowhere_or_to_its_beginning(pages: Application) -> None:
    for number in NUMBERS:
        for path in ("/runs", "/queries"):
            assert ask(pages, "GET", f"{path}?cursor={number}").status == (200 if number < 2**63 else 400), number
        for among in ("r", "x"):
            got = ask(pages, "GET", f"/documents?cursor=0.{among}.{number}")
            assert got.status == (200 if number < 2**63 else 400), number
        assert ask(pages, "GET", f"/documents?cursor={number}.x.1&excluded=true").status == 400, number


@pytest.mark.parametrize("path", ["/cached/{}", "/cached/{}/content", "/duplicates/{}", "/documents/{}/links"])
def test_a_page_of_a_document_that_there_is_not(path: str, pages: Application) -> None:
    for number in (-1, 0, *NUMBERS):
        assert ask_of(pages, path.format(number)).status == 404, number
