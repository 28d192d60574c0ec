"""Profile merge: which settings a source inherits from sets of parameters, and which it sets itself.

built in < the set `system` < the set that a source names < what the source itself says
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from cormorant.base.errors import BadSetting, CormorantError
from cormorant.model.settings.source import SourceSettings, partly, see_names
from cormorant.operate.records.record import SettingValues
from cormorant.plugins import source_kind, source_kinds
from cormorant.store.catalog import setting_profiles
from cormorant.store.catalog.setting_profiles import NAMED_BY, SYSTEM, Parameters
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx

NOT_SHARED = (NAMED_BY, "start", "start_file", "path")
"""Settings that every source has for itself: its starts, and the set that it uses."""


class Whole(NamedTuple):
    """The settings of a source including those inherited from sets, and the names of all settings in these sets."""

    values: SettingValues
    shared: frozenset[str]


def beside(tx: Tx, kind: str, own: Mapping[str, Any]) -> Whole:
    """The own settings of a source, merged with those inherited from sets."""
    return merged(setting_profiles.every(tx), kind, own)


def merged(known: Mapping[str, Parameters], kind: str, own: Mapping[str, Any]) -> Whole:
    """Merge own settings with those inherited from these sets."""
    named = {NAMED_BY: own[NAMED_BY]} if NAMED_BY in own else {}
    shared = setting_profiles.inherited(known, kind, named)
    return Whole({**{name: value for name, (value, _) in shared.items()}, **own}, frozenset(shared))


def kept(settings: SourceSettings, given: Mapping[str, Any], whole: Whole) -> SettingValues:
    """Return the settings to store for a source: the `given` ones that would otherwise differ.

    A value equal to the built-in default is stored if a set has another value.
    """
    without = settings.model_dump(mode="json", exclude_defaults=True)
    if not whole.shared:
        return without
    values = settings.model_dump(mode="json")
    return {name: values[name] for name in values if name in given and (name in without or name in whole.shared)}


def check(tx: Tx, settings: SourceSettings) -> None:
    """Raise NotFoundError if the settings name an unknown set."""
    if settings.parameters:
        setting_profiles.named(tx, settings.parameters)


def origin(row: SourceRow, name: str) -> str:
    """Return the origin of the value of a source's setting."""
    if name in row.own:
        return "source"
    found = row.origins.get(name)
    return "built in" if found is None else SYSTEM if found == SYSTEM else f"set {found}"


def typed(settings: Mapping[str, Mapping[str, Any]]) -> SettingValues:
    """The settings of a set, of all kinds, typed as `source show` returns them; unknown ones stay unchanged.

    Older versions stored values that were typed at a terminal as text.
    """
    found: SettingValues = {}
    for kind, values in settings.items():
        found |= values
        with suppress(CormorantError):
            found |= partly(source_kind(kind).settings, values)
    return found


def by_kind(given: Mapping[str, Any]) -> dict[str, SettingValues]:
    """Return for each kind of source those of these settings that it has, as they are stored.

    Raises BadSetting for a setting that no kind has, that cannot be shared, or whose value is invalid.
    """
    see_shared(given)
    found = {}
    for kind, of_kind in source_kinds().items():
        names = [name for name in given if name in of_kind.settings.used_names()]
        found[kind] = partly(of_kind.settings, {name: given[name] for name in names})
    return found


def see_shared(names: Iterable[str]) -> None:
    """Raise BadSetting for a setting that no kind of source has, or that cannot be shared."""
    for name in names:
        if name in NOT_SHARED:
            raise BadSetting(f"Every source has its own {name!r}, so it cannot be in a set of parameters.")
        kinds = [*source_kinds().values()]
        if not any(name in kind.settings.model_fields for kind in kinds):
            see_names(kinds[0].settings, [name])  # raises the error for a source, with the nearest name
