"""Secrets as verbs: refused, used, in the way of being deleted, turned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings
from cormorant.base.errors import ConflictError, NotFoundError, SecretSealed, UsageError
from cormorant.operate.installation import Installation
from cormorant.operate.sources import impact_preview, secrets, sources
from cormorant.store.catalog import sources as catalog
from cormorant.store.catalog.keyring import Vault
from tests.clocks import HANG_S

VALUE = "a value of ten thousand"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    with opened(BuildPlan(tmp_path / "data", InstallationSettings()), new=True) as made:
        yield made


def web(name: str = "wiki") -> dict[str, object]:
    return {"start": ["https://w.example/"], "credentials": [f"https://w.example bearer secret:{name}"]}


def test_a_secret_is_kept_and_never_shown(house: Installation) -> None:
    record = secrets.add(house, "wiki", VALUE)
    assert VALUE not in str(record) + str(secrets.listed(house))
    assert secrets.Opened(house).reveal("wiki") == VALUE
    secrets.edit(house, "wiki", "another")
    assert secrets.Opened(house).reveal("wiki") == "another"
    with pytest.raises(ConflictError, match="cormorant secret edit wiki"):
        secrets.add(house, "wiki", VALUE)


@pytest.mark.parametrize("name", ["", "a b", "-x", "a/b", "ä", "x" * 101, "a\n"])
def test_names(house: Installation, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a secret"):
        secrets.add(house, name, VALUE)


@pytest.mark.parametrize("value", ["", "x" * 100_001, "a\0b"])
def test_values(house: Installation, value: str) -> None:
    with pytest.raises(UsageError, match="The value of 'wiki' is empty"):
        secrets.add(house, "wiki", value)


def test_a_source_needs_what_it_names(house: Installation) -> None:
    with pytest.raises(NotFoundError, match="no secret 'wiki'"):
        sources.add(house, "web", "wiki", web())
    secrets.add(house, "wiki", VALUE)
    sources.add(house, "web", "wiki", web())
    with pytest.raises(NotFoundError, match="no secret 'other'"):
        sources.edit(house, "wiki", web("other"))
    with pytest.raises(ConflictError, match="used by wiki"):
        secrets.delete(house, "wiki")
    assert secrets.listed(house)[0]["used_by"] == ["wiki"]
    sources.edit(house, "wiki", {"credentials": []})
    secrets.delete(house, "wiki")
    with pytest.raises(NotFoundError):
        secrets.delete(house, "wiki")


@pytest.mark.parametrize("beside", ["it's here", 'a "quoted" one', "plain"])
def test_of_settings_that_cannot_be_read_the_secrets_they_name_are_kept(house: Installation, beside: str) -> None:
    secrets.add(house, "wiki", VALUE)
    sources.add(house, "web", "wiki", web())
    with house.store.begin() as tx:
        row = catalog.named(tx, "wiki")
        catalog.edit(tx, row.id, {"former": {"list": [f"{beside} secret:wiki"]}}, {})
    with pytest.raises(ConflictError, match="used by wiki"):
        secrets.delete(house, "wiki")


def test_turning_the_key_keeps_every_value(house: Installation) -> None:
    assert secrets.rotate(house) == 0
    for number in range(3):
        secrets.add(house, f"s{number}", f"value {number}")
    before = (house.folder / "secret.key").read_bytes()
    assert secrets.rotate(house) == 3
    assert (house.folder / "secret.key").read_bytes() != before
    assert [secrets.Opened(house).reveal(f"s{n}") for n in range(3)] == [f"value {n}" for n in range(3)]


def test_a_lost_key_names_the_secret_and_changes_nothing(house: Installation) -> None:
    secrets.add(house, "wiki", VALUE)
    (house.folder / "secret.key").unlink()
    for verb in (lambda: secrets.Opened(house).reveal("wiki"), lambda: secrets.rotate(house)):
        with pytest.raises(SecretSealed, match=r"The secret 'wiki' needs its key, .*secret edit wiki"):
            verb()
    assert not (house.folder / "secret.key").exists()
    secrets.edit(house, "wiki", VALUE)
    assert secrets.Opened(house).reveal("wiki") == VALUE


def test_the_key_does_not_turn_while_a_secret_is_being_kept(
    house: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets.add(house, "first", VALUE)
    sealed, may_go_on, seal = Event(), Event(), Vault.seal

    def slowly(vault: Vault, data: bytes) -> bytes:
        made = seal(vault, data)
        if data == b"the second":
            sealed.set()
            may_go_on.wait(HANG_S)
        return made

    monkeypatch.setattr(Vault, "seal", slowly)
    adds = Thread(target=secrets.add, args=(house, "second", "the second"))
    turns = Thread(target=secrets.rotate, args=(house,))
    adds.start()
    assert sealed.wait(HANG_S)
    turns.start()
    turns.join(0.5)
    may_go_on.set()
    for each in (adds, turns):
        each.join(HANG_S)
    assert [each["opens"] for each in secrets.listed(house)] == [True, True]


def test_a_preview_names_a_secret_that_there_is_not_as_the_edit_does(house: Installation) -> None:
    sources.add(house, "web", "wiki", {"start": ["https://w.example/"]})
    with pytest.raises(NotFoundError, match="no secret 'wiki'"):
        impact_preview.preview(house, "wiki", web())
