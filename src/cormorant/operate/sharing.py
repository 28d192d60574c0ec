"""Sets of parameters, values of settings that many sources share: list, show, add, edit, delete."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from cormorant.base.clock import rfc3339
from cormorant.base.errors import ConflictError
from cormorant.catalog import parameters, sources
from cormorant.catalog.parameters import NAMED_BY, SYSTEM, Parameters
from cormorant.catalog.sources import SourceRow
from cormorant.operate import previewing, secrets
from cormorant.operate.house import House
from cormorant.operate.parameters import by_kind, merged, typed
from cormorant.operate.sources import NOTHING, check_name, hurry, see_unchanged, settings_of
from cormorant.plugins import source_settings
from cormorant.store.database import Tx


def listed(house: House) -> list[dict[str, Any]]:
    """Every set with its settings and the sources that use it; the system's too, when nothing was ever said of it."""
    with house.store.read() as tx:
        known = parameters.every(tx)
        names = [SYSTEM, *(name for name in known if name != SYSTEM)]
        return [_record(tx, name, known.get(name)) for name in names]


def show(house: House, name: str) -> dict[str, Any]:
    """One set. Raises NotFoundError."""
    with house.store.read() as tx:
        return _record(tx, name, _known(tx, name))


def add(house: House, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Add a set. Raises ConflictError when the name is taken, UsageError for no name, BadSetting for a wrong value."""
    check_name(name, "set of parameters")
    settings = by_kind(given)
    with house.store.begin() as tx:
        if name == SYSTEM:
            raise ConflictError(f"The set {SYSTEM!r} is always there. `cormorant parameters edit {SYSTEM}` changes it.")
        parameters.add(tx, name, settings)
    return show(house, name)


def edited(house: House, name: str, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The sources that an edit of a set changes, each with its settings after it. Raises NotFoundError, BadSetting."""
    with house.store.read() as tx:
        return {row.name: whole for row, whole in _edited(tx, name, _wanted(_known(tx, name), given))}


def edit(
    house: House, name: str, given: Mapping[str, Any], agreed: Mapping[str, Mapping[str, int]] | None = None
) -> dict[str, Any]:
    """Change settings of a set; those not named stay, an empty value takes one out. Its sources follow.

    `agreed` is for each source how many documents a person was shown to leave by which rule. Raises NotFoundError,
    BadSetting, also when the settings of a source would no longer go together, and ConflictError when somebody else
    changed the set meanwhile.
    """
    with house.store.read() as tx:
        before = _known(tx, name)
        settings = _wanted(before, given)
        changed = _edited(tx, name, settings)
    read = [settings_of(row.kind, whole) for row, whole in changed]  # may wait for a disk, so nobody waits for it
    with house.store.begin() as tx:
        if (now := _known(tx, name)) != before and now is not None:
            raise ConflictError(f"The set {name!r} was changed by somebody else at the same moment. Try again.")
        _see_unchanged(tx, changed)
        for each in read:
            secrets.check(tx, each.secrets)
        parameters.keep(tx, name, settings)
        for row, whole in changed:
            sources.edit(tx, row.id, row.own, (agreed or {}).get(row.name))
            hurry(tx, row.id, source_settings(row.kind, whole))
    return show(house, name)


def delete(house: House, name: str, *, used: bool = False) -> list[str]:
    """Delete a set; returns the sources that used it, for which the system's and the built-in values hold then.

    Raises NotFoundError, and ConflictError for a set in use unless that was agreed to (`used`). The system's is in use
    where a value of it counts; raises BadSetting when the settings of a source would no longer go together without.
    """
    if name == SYSTEM:
        return _reset(house, used=used)
    with house.store.begin() as tx:
        _known(tx, name)
        rows = used_by(tx, name)
        if rows and not used:
            names = ", ".join(row.name for row in rows)
            raise ConflictError(
                f"The set {name!r} is used by {names}. `cormorant source edit NAME --set parameters=` takes one off "
                f"it; `cormorant parameters delete {shlex.quote(name)} --yes` deletes it and takes off all."
            )
        parameters.delete(tx, name)
        for row in rows:
            sources.edit(tx, row.id, {key: value for key, value in row.own.items() if key != NAMED_BY})
        return [row.name for row in rows]


def _reset(house: House, *, used: bool) -> list[str]:
    """Forget all that was said of the system's set; returns the sources for which something else holds then."""
    with house.store.read() as tx:
        before, changed = _known(tx, SYSTEM), _edited(tx, SYSTEM, {})
    effects = {row.name: previewing.of_whole(house, row.name, whole) for row, whole in changed}
    if effects and not used:
        going = sum(each["leave"] + each["merge"] for each in effects.values())
        left = f" {going:,} documents would leave the index." if going else ""
        raise ConflictError(
            f"The set {SYSTEM!r} is used by {', '.join(effects)}.{left} `cormorant parameters edit {SYSTEM} --set "
            f"NAME= --preview` shows what they lose; `cormorant parameters delete {SYSTEM} --yes` deletes it."
        )
    with house.store.begin() as tx:
        if _known(tx, SYSTEM) != before:
            raise ConflictError(f"The set {SYSTEM!r} was changed by somebody else at the same moment. Try again.")
        _see_unchanged(tx, changed)
        parameters.delete(tx, SYSTEM)
        for row, whole in changed:
            sources.edit(tx, row.id, row.own, previewing.agreed(effects[row.name]))
            hurry(tx, row.id, source_settings(row.kind, whole))
    return list(effects)


def _see_unchanged(tx: Tx, changed: Sequence[tuple[SourceRow, Mapping[str, Any]]]) -> None:
    """Raises ConflictError when somebody else has edited one of these sources, or deleted it, since they were read."""
    there = {row.id: row for row in sources.every(tx)}
    for row, _ in changed:
        see_unchanged(row, there.get(row.id))


def used_by(tx: Tx, name: str) -> list[SourceRow]:
    """The sources for which a set holds."""
    every = sources.every(tx)
    return every if name == SYSTEM else [row for row in every if row.own.get(NAMED_BY) == name]


def _known(tx: Tx, name: str) -> Parameters | None:
    """The set of that name; None for the system's while nothing was said of it."""
    return parameters.every(tx).get(SYSTEM) if name == SYSTEM else parameters.named(tx, name)


def _wanted(before: Parameters | None, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The settings of a set after an edit, by kind."""
    merged = {**(before.given if before else {}), **given}
    return by_kind({name: value for name, value in merged.items() if value not in NOTHING})


def _edited(tx: Tx, name: str, settings: Mapping[str, Mapping[str, Any]]) -> list[tuple[SourceRow, dict[str, Any]]]:
    """The sources whose settings would be others with these in a set, and what they would be."""
    known = {**parameters.every(tx), name: Parameters(name, settings, 0, 0.0)}
    found = []
    for row in used_by(tx, name):
        whole = merged(known, row.kind, row.own).values
        if whole != dict(row.settings):
            found.append((row, whole))
    return found


def _record(tx: Tx, name: str, row: Parameters | None) -> dict[str, Any]:
    return {
        "parameters": name, "settings": typed(row.settings) if row else {}, "version": row.version if row else 0,
        "sources": [each.name for each in used_by(tx, name)], "created_at": rfc3339(row.created_at) if row else None,
    }  # fmt: skip
