"""Settings that refer to secrets: which they are, and that no complaint repeats a secret that was typed there."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import Field

from cormorant.base.errors import BadSetting
from cormorant.model.settings.source import SourceSettings, parse_settings
from cormorant.plugins import SecretReference, receiver_kinds, source_kinds


class DeskSettings(SourceSettings):
    """Settings of a package, which names its secrets by their type alone."""

    user: str = Field(default="", description="The user.")
    password: SecretReference = Field(default="", description="The password, as secret:NAME.")
    key: SecretReference = Field(default="", description="The key, as secret:NAME.")


def test_settings_of_the_type_name_the_secrets_that_a_source_needs() -> None:
    """Without the name no new password would end the pause after a refused login."""
    assert DeskSettings(user="secret:none", password="secret:desk").secrets == {"desk"}
    assert DeskSettings(password="secret:desk", key="secret:signing").secrets == {"desk", "signing"}
    assert DeskSettings().secrets == frozenset()


@pytest.mark.parametrize("name", ["password", "key"])
def test_a_password_that_was_typed_there_is_not_repeated(name: str) -> None:
    """The complaint goes to a terminal, a page and a log."""
    with pytest.raises(BadSetting) as caught:
        parse_settings(DeskSettings, {name: "hunter2"})
    assert "hunter2" not in str(caught.value)
    assert f"The setting '{name}' cannot be what was given: a secret is never written here" in str(caught.value)


def test_each_kind_names_the_secrets_of_its_settings() -> None:
    """A kind that answers otherwise has to name at least those."""
    kinds: list[Any] = [*source_kinds().values(), *receiver_kinds().values()]
    for kind in kinds:
        for name, field in kind.settings.model_fields.items():
            if "as secret:NAME" in (field.description or "") and field.annotation is str:
                assert kind.settings.model_construct(**{name: "secret:desk"}).secrets == {"desk"}, (kind.name, name)
