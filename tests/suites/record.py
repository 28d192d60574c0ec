"""How a public suite went, written down where CORMORANT_SUITE_RECORDS names a folder: figures for people, no checks."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

FOLDER = os.environ.get("CORMORANT_SUITE_RECORDS", "")


def record(
    suite: str, passed: int, total: int, deviations: Mapping[str, str], left_out: Mapping[str, int] | None = None
) -> None:
    """Write how many cases passed, and why each of the others is meant to differ.

    `left_out`: how many of the suite's cases are not among these at all, by why not.
    """
    assert passed + len(deviations) == total, f"of {suite} each case either passes or has a reason"
    if not FOLDER:
        return
    said = [{"case": case, "reason": reason} for case, reason in sorted(deviations.items())]
    figures = {"suite": suite, "passed": passed, "total": total, "left_out": dict(left_out or {})}
    text = json.dumps(figures | {"deviations": said}, indent=1)
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    (Path(FOLDER) / f"{suite}.json").write_text(f"{text}\n")
