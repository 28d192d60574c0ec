"""The glossary defines the name of every package, and names no file that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from tests.house.reading import PACKAGE, ROOT, files, text_of

PAGE = "docs/glossary.md"
HOME = ROOT / PACKAGE
LEFT_OUT = "store/migrations"
NAMED = re.compile(r"`(?P<path>[a-z][\w]*(?:/[\w]*)*(?:\.py|/))`")
ROW = re.compile(r"^\| \[`(?P<path>[\w/]+)/`\]\([^)]+\) \| (?P<words>[^|]+) \|$", re.MULTILINE)
TERM = re.compile(r"^- (?P<names>\*\*.+?): (?P<words>\S.*)$", re.MULTILINE)


def packages(home: Path) -> set[str]:
    """Every package below a folder, by its path, migrations apart."""
    found = {path.parent.relative_to(home).as_posix() for path in home.rglob("__init__.py")} - {"."}
    return {path for path in found if not path.startswith(LEFT_OUT)}


def undefined(glossary: str, names: Iterable[str]) -> list[str]:
    """Packages that the glossary does not define."""
    known = {row["path"] for row in ROW.finditer(glossary)}
    return sorted(set(names) - known)


def lost(glossary: str, home: Path) -> list[str]:
    """Modules and packages that the glossary names and that do not exist."""
    return [name["path"] for name in NAMED.finditer(glossary) if not (home / name["path"]).exists()]


def twice(glossary: str) -> list[str]:
    """Terms that the glossary defines more than once."""
    names = [name for term in TERM.finditer(glossary) for name in re.findall(r"\*\*(.+?)\*\*", term["names"])]
    return sorted({name for name in names if names.count(name) > 1})


def test_every_package_is_defined() -> None:
    assert not undefined(text_of(PAGE), packages(HOME)), f"add a row for it to {PAGE}"


def test_every_named_module_exists() -> None:
    assert not lost(text_of(PAGE), HOME)


def test_a_term_is_defined_once() -> None:
    assert not twice(text_of(PAGE))
    assert len(TERM.findall(text_of(PAGE))) > 100


def test_the_glossary_is_linked() -> None:
    linking = {path.relative_to(ROOT).as_posix() for path in files("docs", suffixes=(".md",)) if "glossary.md" in
               path.read_text("utf-8")}  # fmt: skip
    assert "docs/index.md" in linking
    assert "](docs/glossary.md)" in text_of("ARCHITECTURE.md")


def test_an_undefined_package_is_found() -> None:
    page = "| package | holds |\n|---|---|\n| [`crawl/run/`](../src/cormorant/crawl/run/) | a run |\n"
    assert undefined(page, ["crawl/run", "crawl/visit"]) == ["crawl/visit"]


def test_a_lost_module_is_found(tmp_path: Path) -> None:
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "loop.py").touch()
    page = "- **crawl**: a run. [`crawl/loop.py`](x), `crawl/`, `crawl/none.py`, `none/`, `--test`, `path:/docs/*`\n"
    assert lost(page, tmp_path) == ["crawl/none.py", "none/"]


def test_a_term_defined_twice_is_found() -> None:
    assert twice("- **host**: a server.\n- **site**, **host**: a place.\n") == ["host"]
