"""Tokens as verbs: shown once, kept as hashes, worthless when deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base.errors import ConflictError, NotFoundError, UsageError
from cormorant.model.scope import Scope
from cormorant.operate.installation import Installation
from cormorant.operate.system import tokens


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


def test_a_token_is_shown_once(house: Installation) -> None:
    record = tokens.add(house, "ada")
    value = str(record["value"])
    assert value.startswith("cormorant_")
    assert len(value) == len("cormorant_") + 40
    shown = {"token": "ada", "scope": "search", "created_at": record["created_at"], "used_at": None}
    assert tokens.listed(house) == [shown]
    assert tokens.bearer_of_token(house, value) == ("ada", Scope.SEARCH)
    assert tokens.listed(house)[0]["used_at"] is not None
    kept = b"".join(path.read_bytes() for path in house.folder.rglob("*") if path.is_file())
    assert value.encode() not in kept
    assert value.removeprefix("cormorant_").encode() not in kept
    assert bytes.fromhex(value.removeprefix("cormorant_")) not in kept


def test_the_first_is_made_once(house: Installation) -> None:
    value = tokens.first(house)
    assert value is not None
    assert tokens.first(house) is None
    assert [each["token"] for each in tokens.listed(house)] == ["first"]
    tokens.delete(house, "first")
    again = tokens.first(house)
    assert again not in (None, value), "who deleted all is not locked out"


def test_the_first_opens_everything_and_is_not_made_beside_another_that_does(house: Installation) -> None:
    tokens.add(house, "reports")
    tokens.add(house, "ada", Scope.OPERATE)
    value = tokens.first(house)
    assert value is not None, "or nobody could administer from elsewhere"
    assert tokens.bearer_of_token(house, value) == ("first", Scope.ADMIN)
    tokens.delete(house, "first")
    tokens.edit(house, "ada", Scope.ADMIN)
    assert tokens.first(house) is None


def test_the_first_that_was_narrowed_stays_so(house: Installation) -> None:
    tokens.first(house)
    tokens.edit(house, "first", Scope.SEARCH)
    assert tokens.first(house) is None


def test_an_edit_holds_for_what_is_signed_in(house: Installation) -> None:
    value = str(tokens.add(house, "ada", Scope.ADMIN)["value"])
    cookie = str(tokens.sign_in(house, value, 60))
    for scope in (Scope.SEARCH, Scope.OPERATE, Scope.ADMIN):
        assert tokens.edit(house, "ada", scope)["scope"] == scope.value
        assert tokens.bearer_of_token(house, value) == ("ada", scope)
        assert tokens.bearer_of_session(house, cookie) == ("ada", scope)
    with pytest.raises(NotFoundError, match="There is: ada"):
        tokens.edit(house, "bob", Scope.ADMIN)


def test_values_differ(house: Installation) -> None:
    values = {tokens.add(house, f"t{number}")["value"] for number in range(20)}
    assert len(values) == 20
    assert all(tokens.bearer_of_token(house, str(value)) for value in values)


def test_a_name_is_taken_once(house: Installation) -> None:
    tokens.add(house, "ada")
    with pytest.raises(ConflictError, match="cormorant token delete ada"):
        tokens.add(house, "ada")


@pytest.mark.parametrize("name", ["", "a b", "-x", "a/b", "ä", "x" * 101, "a\n"])
def test_names(house: Installation, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a token"):
        tokens.add(house, name)


def test_what_is_not_there_is_not_deleted(house: Installation) -> None:
    tokens.add(house, "ada")
    for name in ("bob", "\udcff"):
        with pytest.raises(NotFoundError, match="There is: ada"):
            tokens.delete(house, name)


@pytest.mark.parametrize("value", ["", "x", "\udcff", "cormorant_" + "0" * 40])
def test_other_values_are_not_known(house: Installation, value: str) -> None:
    tokens.add(house, "ada")
    assert tokens.bearer_of_token(house, value) is None
    assert tokens.sign_in(house, value, 60) is None
    assert tokens.bearer_of_session(house, value) is None


def test_a_browser_is_known_as_long_as_its_token(house: Installation) -> None:
    value = str(tokens.add(house, "ada")["value"])
    cookies = [tokens.sign_in(house, value, 60) for _ in range(2)]
    assert all(cookie and tokens.bearer_of_session(house, cookie) for cookie in cookies)
    assert value not in cookies
    tokens.sign_out(house, str(cookies[0]))
    assert [tokens.bearer_of_session(house, str(cookie)) for cookie in cookies] == [None, ("ada", Scope.SEARCH)]
    tokens.delete(house, "ada")
    assert tokens.bearer_of_session(house, str(cookies[1])) is None
    assert tokens.sign_in(house, str(cookies[1]), 60) is None
