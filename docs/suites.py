"""Writes docs/reference/suites.md from what the tests of suites recorded.

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
# Other people's tests

The product does what these suites expect, but for the deviations listed below, each with its reason. Cases that
say nothing about it are left out, and counted beside their reason.
`make suites` runs them and writes this page.

| suite | passed | of | left out, why |
|---|---|---|---|
"""
MOST = 200
"""Characters of a case that are shown."""


def page(records: list[dict[str, Any]]) -> str:
    """The page that tells of these records."""
    rows = [f"| {each['suite']} | {each['passed']} | {each['total']} | {_left_out(each)} |" for each in records]
    parts = [ABOUT + "\n".join(rows) + "\n"]
    for each in records:
        if each["deviations"]:
            lines = [f"| {_cell(one['case'])} | {_cell(one['reason'])} |" for one in each["deviations"]]
            parts.append(f"## {each['suite']}\n\n| case | why it differs |\n|---|---|\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _left_out(record: dict[str, Any]) -> str:
    """How many cases of a suite are not among these, by why not, most first."""
    said = sorted(record["left_out"].items(), key=lambda each: (-each[1], each[0]))
    return "; ".join(f"{count} {_cell(reason)}" for reason, count in said if count)


def _cell(text: str) -> str:
    """Text that fits a cell of a table, whatever is in it."""
    shown = text.encode("unicode_escape").decode().replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
    return f"`{shown[:MOST]}`" if any(each in shown for each in "<>*_[") else shown[:MOST]


if __name__ == "__main__":
    found = sorted(Path(sys.argv[1]).glob("*.json"))
    PAGE.write_text(page([json.loads(path.read_text()) for path in found]))
    sys.stdout.write(f"wrote {PAGE}, {len(found)} suites\n")
