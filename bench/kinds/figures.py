"""Figures on disk: a JSON file for each command and place, with the day and the counterpart."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from bench.places import CACHE

FIGURES: Final = CACHE / "kinds"


def keep(command: str, place: str, counterpart: str, figures: dict[str, Any]) -> Path:
    """Write what was measured of a place, over what was measured before."""
    path = FIGURES / command / f"{re.sub(r'[^a-z0-9]+', '-', place.lower())}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    path.write_text(json.dumps({"place": place, "counterpart": counterpart, "day": day, **figures}, indent=1) + "\n")
    return path


def kept(command: str) -> dict[str, dict[str, Any]]:
    """Return what was measured by a command, by place."""
    paths = sorted((FIGURES / command).glob("*.json"))
    return {each["place"]: each for each in (json.loads(path.read_text()) for path in paths)}
