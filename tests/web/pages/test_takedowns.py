"""Takedowns on pages and for programs: the forms, the list, the refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.model.scope import Scope
from cormorant.operate.documents import takedowns
from cormorant.operate.installation import Installation
from cormorant.operate.sources import sources
from cormorant.operate.system import tokens
from cormorant.web import app
from cormorant.web.security.authorization import Audience
from tests.web.api.test_requests import ask, done
from tests.web.visiting import Caller

ADDRESS = "https://docs.example/draft.html"
HERE = "http://localhost"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        sources.add(made, "web", "docs", {"start": ["https://docs.example/"]})
        yield made


def test_by_a_program(house: Installation) -> None:
    pages = app.make(house)
    record = done(pages, "POST", "/takedowns", {"what": ADDRESS, "reason": "Names a patient"})
    assert (record["rule"], record["state"], record["documents"]) == (f"address:{ADDRESS}", "in_force", 0)
    assert done(pages, "GET", "/takedowns")["takedowns"][0]["id"] == record["id"]
    assert done(pages, "GET", f"/takedowns/{record['id']}")["reason"] == "Names a patient"
    assert done(pages, "POST", f"/takedowns/{record['id']}/lift")["state"] == "lifted"
    assert done(pages, "GET", "/takedowns")["takedowns"] == []


def test_what_a_program_gets_wrong(house: Installation) -> None:
    pages = app.make(house)
    assert ask(pages, "POST", "/takedowns", {"what": ADDRESS, "reason": ""}).status == 400
    assert ask(pages, "POST", "/takedowns", {"what": ADDRESS}).status == 422
    assert ask(pages, "POST", "/takedowns", {"what": "regex:(", "reason": "x"}).status == 422
    assert ask(pages, "GET", "/takedowns/7").status == 404
    assert ask(pages, "POST", "/takedowns/7/lift").status == 404


def test_by_the_form(house: Installation) -> None:
    caller = Caller(app.make(house, exposure=Audience.PUBLIC))
    caller.post("/sign-in", {"token": str(tokens.add(house, "ada", Scope.ADMIN)["value"])}, origin=HERE)
    assert "There are no takedowns." in caller.get("/takedowns").body
    got = caller.post("/takedowns", {"what": ADDRESS, "reason": "Names <b>Ada</b>", "until": "2999-12-31"}, origin=HERE)
    assert (got.status, got.headers["location"]) == (303, "/takedowns")
    listed = caller.get("/takedowns").body
    assert ADDRESS in listed
    assert "Names &lt;b&gt;Ada&lt;/b&gt;" in listed
    assert caller.post("/takedowns", {"what": ADDRESS}, origin=HERE).status == 400
    assert caller.get("/takedowns").body.count(ADDRESS) == 1
    assert caller.post("/takedowns/1/lift", origin=HERE).status == 303
    assert "There are no takedowns." in caller.get("/takedowns").body
    assert "lifted" in caller.get("/takedowns?every=true").body


@pytest.mark.parametrize(
    ("changed", "status", "field", "says"),
    [
        ({"what": "regex:("}, 422, "what", "regex"),
        ({"what": ""}, 422, "what", "You gave no address."),
        ({"reason": " "}, 400, "reason", "A takedown needs a reason"),
        ({"until": "31.12.2999"}, 400, "until", "is no day and no time"),
        ({"until": "1999-12-31"}, 400, "until", "is past"),
    ],
)
def test_a_wrong_form_keeps_what_was_typed(
    changed: dict[str, str], status: int, field: str, says: str, house: Installation
) -> None:
    caller = Caller(app.make(house, exposure=Audience.PUBLIC))
    caller.post("/sign-in", {"token": str(tokens.add(house, "ada", Scope.ADMIN)["value"])}, origin=HERE)
    typed = {"what": "prefix:https://docs.example/old/", "reason": "Names a patient", "until": "2999-12-31"} | changed
    got = caller.post("/takedowns", typed, origin=HERE)
    assert got.status == status
    fault = got.body.partition(f'id="{field}-fault">')[2].partition("</p>")[0]
    assert says in fault
    assert got.body.count('aria-invalid="true"') == 1
    for name, text in typed.items():
        assert f'name="{name}"' in got.body
        assert f'value="{text}"' in got.body
    assert takedowns.list_(house) == []


def test_who_may(house: Installation) -> None:
    """A token to look after crawls may see takedowns; one of an administrator alone begins and ends them."""
    pages = app.make(house, exposure=Audience.PUBLIC)
    values = {scope: tokens.add(house, scope.value, scope)["value"] for scope in Scope}
    said = {"what": ADDRESS, "reason": "x"}
    answers = {
        scope: (
            ask(pages, "GET", "/takedowns", authorization=f"Bearer {value}").status,
            ask(pages, "POST", "/takedowns", said, authorization=f"Bearer {value}").status,
        )
        for scope, value in values.items()
    }
    none = (403, 403)
    assert answers == {Scope.SEARCH: none, Scope.PUSH: none, Scope.OPERATE: (200, 403), Scope.ADMIN: (200, 201)}
    assert [each["author"] for each in takedowns.list_(house)] == ["token admin"]
