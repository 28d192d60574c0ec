"""What is so of the settings of every kind of source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.errors import BadSetting
from cormorant.model.settings.source import parse_settings
from cormorant.plugins import SOURCES

EVERY = [
    (kind.settings, name) for kind in SOURCES.values() for name, field in kind.settings.model_fields.items()
    if not field.is_required() and field.get_default() not in (None, "", ())
]  # fmt: skip


LOGIN = {"user": "ada", "password": "secret:ada"}
NEEDED: Mapping[str, Mapping[str, object]] = {
    "web": {"start": "https://a.example/"},
    "files": {},
    "mail": {"url": "imaps://mail.example/", **LOGIN},
    "table": {"database": "sqlite:////srv/desk.db", "table": "tickets"},
    "federated": {"url": "https://a.example/opensearch.xml"},
    "feed": {"feeds": "https://a.example/feed.xml"},
    "warc": {},
    "ftp": {"url": "ftp://files.example/srv"},
    "git": {"url": "https://git.example/a/b.git"},
    "github": {"repository": "ada/engine"},
    "gitlab": {"project": "ada/engine"},
    "mediawiki": {"url": "https://wiki.example/w/api.php"},
    "program": {"command": "true"},
    "push": {},
    "s3": {"url": "s3://papers/reports"},
    "sftp": {"url": "sftp://files.example/srv", **LOGIN},
    "smb": {"url": "smb://files.example/papers", **LOGIN},
    "webdav": {"url": "https://files.example/dav"},
}


def begun(settings: type[Any], folder: Path) -> dict[str, object]:
    """What no source of this kind can do without."""
    kind = next(each.name for each in SOURCES.values() if each.settings is settings)
    path = {"path": str(folder)} if kind in ("files", "warc") else {}
    return {**path, **NEEDED[kind]}


@pytest.mark.parametrize(("settings", "name"), EVERY, ids=lambda each: getattr(each, "__name__", each))
def test_a_default_can_be_typed(settings: type[Any], name: str, tmp_path: Path) -> None:
    default = settings.model_fields[name].get_default()
    typed = list(default) if isinstance(default, tuple) else str(default).lower()
    made = parse_settings(settings, begun(settings, tmp_path) | {name: typed})
    assert getattr(made, name) == default


@pytest.mark.parametrize("kind", [name for name, kind in SOURCES.items() if "depth" in kind.settings.model_fields])
@pytest.mark.parametrize(("typed", "depth"), [("0", 0), ("12", 12), ("unlimited", "unlimited")])
def test_depth(kind: str, typed: str, depth: object, tmp_path: Path) -> None:
    settings = SOURCES[kind].settings
    made: Any = parse_settings(settings, begun(settings, tmp_path) | {"depth": typed})
    assert made.depth == depth
    for bad in ("-1", "deep", "1.5", ""):
        with pytest.raises(BadSetting, match="depth"):
            parse_settings(settings, begun(settings, tmp_path) | {"depth": bad})


@pytest.mark.parametrize("kind", SOURCES)
def test_what_is_judged_is_a_setting(kind: str) -> None:
    settings = SOURCES[kind].settings
    assert settings.model_fields.keys() >= settings.JUDGED


@pytest.mark.parametrize("kind", SOURCES)
def test_what_a_kind_says_of_its_settings_is_of_settings_it_has(kind: str) -> None:
    settings = SOURCES[kind].settings
    for names in (settings.JUDGED, settings.AT_ONCE, settings.FORETOLD, settings.FINDING):
        assert names <= set(settings.model_fields)
    assert settings.FINDING <= settings.FORETOLD
