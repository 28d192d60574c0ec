"""Sets of parameters, values of settings that many sources share: list, show, add, edit, delete."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cormorant.base.clock import rfc3339
from cormorant.base.errors import BadSetting, ConflictError
from cormorant.model.settings.source import filled
from cormorant.operate.installation import Installation
from cormorant.operate.records.parameters import DeletedParameters, ParameterSet
from cormorant.operate.records.record import SettingValues
from cormorant.operate.records.sources import SourcePreview
from cormorant.operate.sources import impact_counts, impact_preview, secrets
from cormorant.operate.sources.profile_merge import by_kind, merged, see_shared, typed
from cormorant.operate.sources.sources import check_name, hurry, see_unchanged, settings_of
from cormorant.plugins import source_settings
from cormorant.store.catalog import setting_profiles, sources
from cormorant.store.catalog.setting_profiles import NAMED_BY, SYSTEM, Parameters
from cormorant.store.catalog.sources import SourceRow
from cormorant.store.db.database import Tx


@dataclass(frozen=True, slots=True)
class Deletion:
    """Effect of deleting a set: the present set, its sources with their settings afterwards, and the effect on each."""

    before: Parameters | None
    changed: Sequence[tuple[SourceRow, Mapping[str, Any]]]
    effects: Sequence[SourcePreview]

    @property
    def going(self) -> int:
        """Number of documents that would leave the index."""
        return impact_counts.going(self.effects)


def listed(house: Installation) -> list[ParameterSet]:
    """Every set with its settings and the sources that use it; the system's is included even if it is empty."""
    with house.store.read() as tx:
        known = setting_profiles.every(tx)
        names = [SYSTEM, *(name for name in known if name != SYSTEM)]
        return [_record(tx, name, known.get(name)) for name in names]


def show(house: Installation, name: str) -> ParameterSet:
    """One set. Raises NotFoundError."""
    with house.store.read() as tx:
        return _record(tx, name, _known(tx, name))


def add(house: Installation, name: str, given: Mapping[str, Any]) -> ParameterSet:
    """Add a set. Raises ConflictError if the name is taken, UsageError for an invalid name, BadSetting for a value."""
    check_name(name, "set of parameters")
    settings = by_kind(given)
    with house.store.begin() as tx:
        if name == SYSTEM:
            raise ConflictError(f"The set {SYSTEM!r} always exists. `cormorant parameters edit {SYSTEM}` changes it.")
        setting_profiles.add(tx, name, settings)
    return show(house, name)


def edited(house: Installation, name: str, given: Mapping[str, Any]) -> dict[str, SettingValues]:
    """The sources that an edit of a set changes, each with its settings after it. Raises NotFoundError, BadSetting."""
    with house.store.read() as tx:
        return {row.name: whole for row, whole in _edited(tx, name, _wanted(_known(tx, name), given))}


def edit(
    house: Installation, name: str, given: Mapping[str, Any], agreed: Mapping[str, Mapping[str, int]] | None = None
) -> ParameterSet:
    """Change settings of a set; others stay, an empty value removes one. Its sources follow.

    `agreed` has, for each source, the number of leaving documents by rule that a person has confirmed. Raises
    NotFoundError, BadSetting, also if the settings of a source would conflict, and ConflictError if the set was changed
    meanwhile.
    """
    with house.store.read() as tx:
        before = _known(tx, name)
        settings = _wanted(before, given)
        changed = _edited(tx, name, settings)
    read = [settings_of(row.kind, whole) for row, whole in changed]  # may wait for a disk, so outside a transaction
    with house.store.begin() as tx:
        if (now := _known(tx, name)) != before and now is not None:
            raise ConflictError(f"Another administrator changed the set {name!r} at the same moment. Try again.")
        _see_unchanged(tx, changed)
        for each in read:
            secrets.check(tx, each.secrets)
        setting_profiles.keep(tx, name, settings)
        for row, whole in changed:
            sources.edit(tx, row.id, row.own, (agreed or {}).get(row.name))
            hurry(tx, row.id, source_settings(row.kind, whole))
    return show(house, name)


def foreseen(house: Installation, name: str) -> Deletion:
    """Return the effect of deleting a set, and change nothing. Raises NotFoundError, BadSetting."""
    with house.store.read() as tx:
        before = _known(tx, name)
        changed = _changed_without(tx, name)
    effects = [impact_preview.of_whole(house, row.name, whole) for row, whole in changed]
    return Deletion(before, changed, effects)


def delete(house: Installation, name: str, *, used: bool = False, seen: Deletion | None = None) -> DeletedParameters:
    """Delete a set. Its sources, which the record names, then use the system's and the built-in values.

    `deleted` is False for an empty system set, whose built-in values apply already.
    Raises NotFoundError, and ConflictError for a set in use unless that was confirmed (`used`); `seen` is the effect
    that was shown. The system's set is in use if one of its values applies. Raises ConflictError if any of it was
    changed meanwhile, BadSetting if the settings of a source would conflict without the set.
    """
    seen = seen or foreseen(house, name)
    if seen.effects and not used:
        raise ConflictError(_in_use(name, seen), **impact_counts.of_edits(seen.effects))
    with house.store.begin() as tx:
        if _known(tx, name) != seen.before:
            raise ConflictError(f"Another administrator changed the set {name!r} at the same moment. Try again.")
        _see_unchanged(tx, seen.changed)
        if {row.id for row, _ in _changed_without(tx, name)} != {row.id for row, _ in seen.changed}:
            raise ConflictError(f"Other sources have begun to use the set {name!r}. Try again.")
        setting_profiles.delete(tx, name)
        for (row, whole), effect in zip(seen.changed, seen.effects, strict=True):
            sources.edit(tx, row.id, _unnamed(row, name), impact_preview.agreed(effect))
            hurry(tx, row.id, source_settings(row.kind, whole))
    used_it = [row.name for row, _ in seen.changed]
    return {"parameters": name, "deleted": seen.before is not None, "sources": used_it}


def _in_use(name: str, seen: Deletion) -> str:
    """The error for a set in use, with the commands to preview and to confirm its deletion."""
    noun = "document" if seen.going == 1 else "documents"
    left = f" {seen.going:,} {noun} would leave the index." if seen.going else ""
    shown = f"`cormorant parameters edit {SYSTEM} --set NAME= --preview` shows the effect"
    done = f"`cormorant parameters delete {shlex.quote(name)} --yes` deletes it"
    if name != SYSTEM:
        shown = "`cormorant source edit NAME --set parameters= --preview` shows the effect on one"
        done += " and removes it from all"
    return f"The set {name!r} is used by {', '.join(row.name for row, _ in seen.changed)}.{left} {shown}; {done}."


def _changed_without(tx: Tx, name: str) -> list[tuple[SourceRow, SettingValues]]:
    """The sources whose settings would change without a set, and their whole settings then."""
    return _edited(tx, name, {}) if name == SYSTEM else _without(tx, name)


def _without(tx: Tx, name: str) -> list[tuple[SourceRow, SettingValues]]:
    """The sources that name a set, and their settings if they named none."""
    known = setting_profiles.every(tx)
    return [(row, merged(known, row.kind, _unnamed(row, name)).values) for row in used_by(tx, name)]


def _unnamed(row: SourceRow, name: str) -> SettingValues:
    """Return the own settings of a source, without the one that names this set."""
    return {key: value for key, value in row.own.items() if (key, value) != (NAMED_BY, name)}


def _see_unchanged(tx: Tx, changed: Sequence[tuple[SourceRow, Mapping[str, Any]]]) -> None:
    """Raise ConflictError if one of these sources was edited or deleted since they were read."""
    there = {row.id: row for row in sources.every(tx)}
    for row, _ in changed:
        see_unchanged(row, there.get(row.id))


def used_by(tx: Tx, name: str) -> list[SourceRow]:
    """The sources to which a set applies."""
    every = sources.every(tx)
    return every if name == SYSTEM else [row for row in every if row.own.get(NAMED_BY) == name]


def _known(tx: Tx, name: str) -> Parameters | None:
    """The set of that name; None for the system's while it is empty."""
    return setting_profiles.every(tx).get(SYSTEM) if name == SYSTEM else setting_profiles.named(tx, name)


def _wanted(before: Parameters | None, given: Mapping[str, Any]) -> dict[str, SettingValues]:
    """The settings of a set after an edit, by kind."""
    kept = before.given if before else {}
    see_shared(name for name in given if name not in kept)
    return by_kind(filled({**kept, **given}))


def _edited(tx: Tx, name: str, settings: Mapping[str, Mapping[str, Any]]) -> list[tuple[SourceRow, SettingValues]]:
    """The sources whose settings would change with these in a set, and their settings then."""
    known = {**setting_profiles.every(tx), name: Parameters(name, settings, 0, 0.0)}
    found = []
    for row in used_by(tx, name):
        whole = merged(known, row.kind, row.own).values
        if whole != dict(row.settings):
            _see_well(row, whole)
            found.append((row, whole))
    return found


def _see_well(row: SourceRow, whole: Mapping[str, Any]) -> None:
    """Raise BadSetting that names the source, since its own settings may be the cause."""
    try:
        source_settings(row.kind, whole)
    except BadSetting as error:
        raise BadSetting(f"The source {row.name!r} uses this set. {error.sentence}") from None


def _record(tx: Tx, name: str, row: Parameters | None) -> ParameterSet:
    return {
        "parameters": name, "settings": typed(row.settings) if row else {}, "version": row.version if row else 0,
        "sources": [each.name for each in used_by(tx, name)], "created_at": rfc3339(row.created_at) if row else None,
    }  # fmt: skip
