"""A newcomer's first hour: `make run`, then README from top to bottom, then the tutorial, in one account.

Each command prints word for word what the page shows. Only what nobody could know beforehand may differ: times, speeds,
bytes on the wire, and where the folder is. A line of a page that ends in `…` was cut there.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest

from cormorant.app.sample.pages import documents_folder
from cormorant.app.sample.site import SampleSite
from tests.clocks import HANG_S
from tests.house.reading import ROOT, text_of
from tests.house.test_readme import EXAMPLE, FIRST, SITE, WELL, run, shown

MAKE = ["make", "-f", str(ROOT / "Makefile"), "run", "-o", ".venv/.stamp-run", f"BIN={Path(sys.executable).parent}"]
CUT = "…"
UNKNOWN = (
    (re.compile(r"after [\d.:]+ (?:s|min)\b, [\d.,]+ pages a second"), "after a while"),
    (re.compile(r"[\d.]+ (?:bytes|[kM]B) over the wire"), "bytes over the wire"),
    (re.compile(r"[\d.]+ (?:bytes|[kM]B) read$"), "bytes read"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+ run"), "then run"),
    (re.compile(r"file://\S*?/papers/"), "file:///papers/"),
    (re.compile(r" {2,}"), "  "),
)
"""What differs from one machine, or hour, to the next; the widths of a table follow the addresses in it."""


def said(text: str) -> list[str]:
    """The lines of an answer, as far as they are the same everywhere."""
    for pattern, instead in UNKNOWN:
        text = pattern.sub(instead, text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def is_line(printed: str, line: str) -> bool:
    """Is this what a page shows, as far as it does?"""
    return printed.startswith(line.removesuffix(CUT).rstrip()) if line.endswith(CUT) else printed == line


def unlike(answer: str, out: str, err: str) -> list[str]:
    """Lines of a page that were not printed, in their order, and lines on standard output that the page leaves out."""
    lines, printed = said(answer), said(out)
    if not lines:
        return []
    left = iter([*printed, *said(err)])
    missing = [f"- {line}" for line in lines if not any(is_line(each, line) for each in left)]
    return missing + [f"+ {each}" for each in printed if not any(is_line(each, line) for line in lines)]


@pytest.fixture(scope="module")
def account() -> Iterator[Path]:
    """The checkout of somebody who has just run `make run`, with a folder of papers; nothing else is in the account."""
    with TemporaryDirectory(prefix="ada-") as made:  # pytest's own folders are closed to others, and a report says so
        home = Path(made)
        home.chmod(0o755)
        yield from _checkout(home)


def _checkout(home: Path) -> Iterator[Path]:
    """A checkout below a home in which `make run` has run."""
    checkout = home / "checkout"
    shutil.copytree(documents_folder(), checkout / "papers")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "CORMORANT_"))}
    with patch.dict(os.environ, bare | {"HOME": str(home)}, clear=True):
        done = subprocess.run(
            MAKE, cwd=checkout, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=HANG_S, check=False
        )
        assert done.returncode in WELL, done
        assert "Run 1 of 'sample-site': finished" in done.stdout
        program = Path(sys.executable).with_name("cormorant")
        hint = f"Try a search: {shlex.quote(str(program))} --data sample-data search "
        copied = next(line for line in done.stdout.splitlines() if line.startswith(hint))
        found = subprocess.check_output(copied.removeprefix("Try a search: "), cwd=checkout, text=True, shell=True)
        assert found.splitlines()[0].startswith("  1. ")
        assert {each.name for each in checkout.iterdir()} == {"papers", "sample-data"}
        yield checkout


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", FIRST)
def test_it_is_printed_as_the_page_shows(page: str, account: Path) -> None:
    data = account / "cormorant-data" if "CORMORANT_DATA=" in text_of(page) else None
    with SampleSite() as site:
        text = text_of(page).replace(SITE, site.address)
        for command, answer in shown(text):
            done = run(command, account, data)
            assert done.code in WELL, f"{page}: $ {command}\nended {done.code}\n{done.out}{done.err}"
            found = unlike(answer, done.out, done.err)
            assert not found, f"{page}: $ {command}\n" + "\n".join([*found, "", done.out, done.err])
        for example in EXAMPLE.finditer(text):
            (account / "example.py").write_text(example["code"])
            done = run("python example.py", account, data)
            assert done.code == 0, f"{page}:\n{example['code']}\n{done.out}{done.err}"
            assert site.address in done.out, "the example shows no hit"


def test_what_is_printed_otherwise_is_seen() -> None:
    page = "Run 1 of 'a': finished after 1.1 s, 19.33 pages a second\n\n  fetched   21\n  a long …\n"
    out = "Run 1 of 'a': finished after 2:10 min, 3 pages a second\n  fetched        21\n"
    assert not unlike(page, out, "  a long line\n")
    assert not unlike("", out, "")
    assert unlike(page, out.replace("21", "22"), "  a long line\n") == [
        "-   fetched  21",
        "-   a long …",
        "+   fetched  22",
    ]
    assert unlike(page, out, "") == ["-   a long …"]
    assert unlike(page, f"{out}  one more\n", "  a long line\n") == ["+   one more"]
    assert unlike(page, out.replace("Run 1", "Run 3"), "  a long line\n")[0] == "- Run 1 of 'a': finished after a while"
