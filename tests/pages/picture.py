"""Takes the picture of the search page that the README shows: the bundled sample, crawled, and looked at.

python -m tests.pages.picture      `make picture` does it, and installs the browser where it may
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.house.reading import ROOT
from tests.pages.houses import sample
from tests.pages.visitor import Look, enter

PICTURE = ROOT / "docs" / "pictures" / "search.png"
ASKED = "/search?q=ferry+timetable&source=observatory"
LOOK = Look(1100, 822)


def main() -> int:
    """Take it; returns the exit code."""
    program = shutil.which("chromium")
    if program is None:
        sys.stderr.write("There is no chromium: `make browser` installs it, or apt-get install chromium.\n")
        return 1
    with tempfile.TemporaryDirectory() as folder, sample(Path(folder)) as house, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program)
        visitor = enter(browser, house, LOOK)
        visitor.open(ASKED)
        visitor.page.evaluate("window.scrollTo(0, 0)")
        visitor.page.screenshot(path=PICTURE)
        browser.close()
    sys.stdout.write(f"wrote {PICTURE}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
