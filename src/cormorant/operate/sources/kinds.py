"""The kinds of sources and receivers, the document services, and the settings of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cormorant.model.settings.source import Settings, parse_settings
from cormorant.operate.records.kinds import KindRecord, Setting
from cormorant.plugins import SERVICES, receiver_kinds, receiver_package, source_kind, source_kinds, source_package


def of_sources() -> list[KindRecord]:
    """List the kinds of sources, each with the package that adds it ("" for those that are built in)."""
    return [
        {"kind": each.name, "about": each.about, "package": source_package(each.name)}
        for each in source_kinds().values()
    ]


def of_receivers() -> list[KindRecord]:
    """List the kinds of receivers, each with the package that adds it ("" for those that are built in)."""
    return [
        {"kind": each.name, "about": each.about, "package": receiver_package(each.name)}
        for each in receiver_kinds().values()
    ]


def of_services() -> list[KindRecord]:
    """List the document services, each with the package that adds it ("" for those that are built in)."""
    return [
        {"kind": name, "about": each.about, "package": SERVICES.package(name)}
        for name, each in SERVICES.every().items()
    ]


def settings_of(settings: type[Settings]) -> list[Setting]:
    """Every setting that has an effect, with its default (None: it must be given) and its purpose.

    Settings of the kind itself come first, in the order of their declaration.
    """
    every = settings.used_names()
    own = [name for name in settings.__annotations__ if name in every]
    names = dict.fromkeys([*own, *every])
    return [
        {
            "setting": name,
            "default": None if field.is_required() else _plain(field.get_default(call_default_factory=True)),
            "needed": field.is_required(),
            "about": field.description or "",
        }
        for name, field in ((name, settings.model_fields[name]) for name in names)
    ]


def declared(kind: str, given: Mapping[str, Any]) -> list[Setting]:
    """List the parameters that only the target of these settings knows, like those that a program declares.

    Raises NotFoundError, BadSetting and Unreachable.
    """
    found = source_kind(kind)
    return [
        {
            "setting": f"{each.setting}={each.name}",
            "default": None if each.needed else _plain(each.default),
            "needed": each.needed,
            "about": each.about,
        }
        for each in found.declared(parse_settings(found.settings, given))
    ]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
