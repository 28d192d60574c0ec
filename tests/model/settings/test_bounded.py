"""No number that can be set is infinite, no number at all, or larger than makes sense, whatever it is set on."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from cormorant.app.settings import InstallationSettings, load
from cormorant.base.errors import BadSetting
from cormorant.model.settings.crawl_windows import read_windows
from cormorant.model.settings.source import Settings, partly
from cormorant.plugins import RECEIVERS, SOURCES

KINDS: list[type[Settings]] = [
    *(kind.settings for kind in SOURCES.values()),
    *(kind.settings for kind in RECEIVERS.values()),
]
TYPED = ("inf", "-inf", "infinity", "nan", "1e400", "1e300", "9" * 30, "9" * 5_000)
SENT = (inf, -inf, nan, 1e300, 10**30, -(10**30))


def numbers(settings: type[BaseModel]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every setting that takes a number, with what is drawn of it."""
    for name, drawn in settings.model_json_schema()["properties"].items():
        for each in (drawn, *drawn.get("anyOf", ())):
            if each.get("type") in ("number", "integer"):
                yield name, each


@pytest.mark.parametrize("settings", [*KINDS, InstallationSettings], ids=lambda each: each.__name__)
def test_every_number_has_a_least_and_a_most(settings: type[BaseModel]) -> None:
    bounds = ({"minimum", "exclusiveMinimum"}, {"maximum"})
    without = [name for name, drawn in numbers(settings) if not all(each & drawn.keys() for each in bounds)]
    assert not without


@pytest.mark.parametrize("settings", KINDS, ids=lambda each: each.__name__)
def test_a_number_beyond_all_bounds_is_refused_by_its_name(settings: type[Settings]) -> None:
    for name, drawn in numbers(settings):
        for value in (*TYPED, *SENT):
            with pytest.raises(BadSetting) as refused:
                partly(settings, {name: value})
            assert f"The setting {name!r} cannot be" in refused.value.sentence
        with pytest.raises(BadSetting, match=f"less than or equal to {drawn['maximum']}"):
            partly(settings, {name: 10**30})


@pytest.mark.parametrize("settings", KINDS, ids=lambda each: each.__name__)
def test_what_is_sent_for_any_setting_is_never_a_number_beyond_all_bounds(settings: type[Settings]) -> None:
    for name in settings.model_fields:
        for value in SENT:
            with pytest.raises(BadSetting, match=name):
                partly(settings, {name: value})


@pytest.mark.parametrize("value", TYPED)
def test_a_number_of_the_installation_has_bounds_too(
    value: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, _ in numbers(InstallationSettings):
        with monkeypatch.context() as given:
            given.setenv(f"CORMORANT_{name.upper()}", value)
            with pytest.raises(BadSetting, match=f"CORMORANT_{name.upper()} cannot be"):
                load(None)
        if len(value) < 50:
            (tmp_path / "c.toml").write_text(f"[installation]\n{name} = {value.replace('infinity', 'inf')}\n")
            with pytest.raises(BadSetting, match=f"CORMORANT_{name.upper()} cannot be"):
                load(tmp_path / "c.toml")


@pytest.mark.parametrize("value", [*TYPED, "86401"])
def test_a_delay_of_some_hours_has_the_same_bound(value: str) -> None:
    with pytest.raises(ValueError, match=r"86,400 at the most, or suspend"):
        read_windows([f"Mon-Fri 08-18 {value}"])
    assert read_windows(["Mon-Fri 08-18 86400"])[0].delay_s == 86_400
