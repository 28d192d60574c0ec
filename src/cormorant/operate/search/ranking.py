"""Ranking weights: list, change, reset. The next search uses them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping

from cormorant.base.clock import rfc3339
from cormorant.base.errors import BadSetting
from cormorant.operate.installation import Installation
from cormorant.operate.records.search import Weight
from cormorant.search.index.query import Weights
from cormorant.search.weights import DEFAULT, FACTORS, tuned
from cormorant.store.catalog import ranking_weights


def weights(house: Installation) -> Weights:
    """Return the ranking weights of this installation."""
    with house.store.read() as tx:
        return tuned(ranking_weights.values(tx))


def listed(house: Installation) -> list[Weight]:
    """Every weight with its value, its standard value, its range, and the time of its last change."""
    with house.store.read() as tx:
        values, changed = ranking_weights.values(tx), ranking_weights.changed(tx)
    return [
        {
            "name": name, "value": values.get(name, getattr(DEFAULT, name)), "standard": getattr(DEFAULT, name),
            "least": factor.least, "most": factor.most, "changed_at": rfc3339(changed.get(name)), "about": factor.about,
        }
        for name, factor in FACTORS.items()
    ]  # fmt: skip


def edit(house: Installation, given: Mapping[str, str]) -> list[Weight]:
    """Change weights; returns their records. Raises BadSetting, and changes nothing, if one is invalid."""
    read = {_known(name): _value(name, text) for name, text in given.items()}
    with house.store.begin() as tx:
        ranking_weights.edit(tx, read)
    return [record for record in listed(house) if record["name"] in read]


def reset(house: Installation, names: Collection[str] = ()) -> list[Weight]:
    """Reset weights to the standard, all of them if none is named. Raises BadSetting for an unknown weight."""
    chosen = {_known(name) for name in names} or set(FACTORS)
    with house.store.begin() as tx:
        ranking_weights.forget(tx, chosen)
    return [record for record in listed(house) if record["name"] in chosen]


def _known(name: str) -> str:
    if name in FACTORS:
        return name
    near = difflib.get_close_matches(name, FACTORS, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"The weights are: {', '.join(FACTORS)}."
    raise BadSetting(f"There is no weight {name!r}. {hint}")


def _value(name: str, text: str) -> float:
    factor = FACTORS[name]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not factor.least <= value <= factor.most:
        raise BadSetting(
            f"The weight {name!r} cannot be {text!r}: it takes a number from {factor.least:g} to {factor.most:g}. "
            f"{factor.about}"
        )
    return value
