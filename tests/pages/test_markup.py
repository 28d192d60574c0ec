"""Every page is HTML as the standard has it: html-validate finds nothing."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

from tests.house.reading import ROOT
from tests.pages.houses import Served
from tests.pages.pages import PAGES
from tests.pages.visitor import PLACE

TOOLS = ROOT / ".venv" / "pages" / "node_modules"
RULES = Path(__file__).parent / "htmlvalidate.json"


def told(folder: Path) -> list[str]:
    """What html-validate says of the pages in a folder. It runs in the node that came with the browser's driver."""
    node, _ = compute_driver_executable()
    command = [node, str(TOOLS / "html-validate" / "bin" / "html-validate.mjs"), "--config", str(RULES)]
    found = folder / "found.json"  # through a pipe, node would cut a long answer short
    done = subprocess.run(
        [*command, "--formatter", f"json={found}", *map(str, sorted(folder.glob("*.html")))],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return [
        f"{Path(page['filePath']).name}:{each['line']}:{each['column']} {each['ruleId']}: {each['message']}"
        for page in json.loads(found.read_text())
        for each in page["messages"]
    ]


def test_every_page_is_as_the_standard_has_it(houses: Callable[[str], Served], tmp_path: Path) -> None:
    for listed in PAGES:
        house = houses(listed.house)
        address = PLACE.sub(lambda found, at=house: at.told(found[1]), listed.address)  # type: ignore[misc]
        status, body = house.get(address)
        assert status == listed.status
        (tmp_path / f"{listed.name}.html").write_bytes(body)
    found = told(tmp_path)
    assert not found, "\n".join(found)


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    (tmp_path / "wrong.html").write_text(
        '<!DOCTYPE html><html lang="en"><head><title>x</title></head><p id="a"><b id="a">'
    )
    assert {line.split()[1] for line in told(tmp_path)} >= {"no-dup-id:", "close-order:"}
