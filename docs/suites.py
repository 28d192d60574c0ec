"""Write docs/reference/suites.md from the records of the tests of suites.

    python -m docs.suites FOLDER      FOLDER is what CORMORANT_SUITE_RECORDS named when the tests ran

`make suites` does both.
"""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "reference" / "suites.md"
ABOUT = """\
# Test suites of others

Cormorant passes these test suites except for the deviations listed below, each with its reason. Cases that do not apply
to it are left out; the table counts them with the reason. `make suites` runs the suites and writes this page.

| suite | passed | of | left out, why |
|---|---|---|---|
"""
MOST = 200
"""Characters of a case that are shown."""


def page(records: list[dict[str, Any]]) -> str:
    """The page for these records."""
    rows = [f"| {each['suite']} | {each['passed']} | {each['total']} | {_left_out(each)} |" for each in records]
    parts = [ABOUT + "\n".join(rows) + "\n"]
    for each in records:
        if each["deviations"]:
            lines = [f"| {_cell(one['case'])} | {_cell(one['reason'])} |" for one in each["deviations"]]
            parts.append(f"## {each['suite']}\n\n| case | why it differs |\n|---|---|\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _left_out(record: dict[str, Any]) -> str:
    """Numbers of the cases that were left out, by reason, largest first."""
    counts = sorted(record["left_out"].items(), key=lambda each: (-each[1], each[0]))
    return "; ".join(f"{count} {_cell(reason)}" for reason, count in counts if count)


def _cell(text: str) -> str:
    """Text that fits a cell of a table, whatever is in it."""
    shown = text.encode("unicode_escape").decode().replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
    return f"`{shown[:MOST]}`" if any(each in shown for each in "<>*_[") else shown[:MOST]


if __name__ == "__main__":
    found = sorted(Path(sys.argv[1]).glob("*.json"))
    PAGE.write_text(page([json.loads(path.read_text()) for path in found]))
    sys.stdout.write(f"wrote {PAGE}, {len(found)} suites\n")
