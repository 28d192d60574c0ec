"""The documentation is as old as the code: reference pages are what the code says, links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cormorant.model.resource import SETS
from docs import deliveries, generate
from tests.house.reading import PACKAGE, ROOT, Finding, files, report, text_of

OTHERS = (
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "RELIABILITY.md",
    "SECURITY.md",
    "bench/README.md",
    "bench/RESULTS.md",
    "news/README.md",
)
LINK = re.compile(r"(?<!`)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<title>.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PATH = re.compile(r"`([\w/.-]+(?:\.py|/))`")
RECORD = re.compile(r"\d{4}-[a-z0-9-]+\.md")


def lost_links(path: Path, text: str) -> Iterator[Finding]:
    """Relative links of a page that lead to no file, or to no heading of it."""
    prose = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    for link in LINK.finditer(prose):
        if re.match(r"[a-z]+:", link["target"]):
            continue
        place, _, anchor = link["target"].partition("#")
        there = path.parent / place if place else path
        if not there.exists() or (anchor and anchor not in anchors(text if not place else there.read_text("utf-8"))):
            line = prose[: link.start()].count("\n") + 1
            yield Finding(path.name, line, f"{link['target']} leads nowhere")


def anchors(markdown: str) -> set[str]:
    """What the headings of a page are called in links to them."""
    titles = (heading["title"].lower() for heading in HEADING.finditer(FENCED.sub("", markdown)))
    return {re.sub(r"[^\w\- ]", "", title).strip().replace(" ", "-") for title in titles}


def lost_paths(plan: str) -> list[str]:
    """Files and folders that a page names in code and that are in no room of the product, nor at the top."""
    rooms = [ROOT, ROOT / PACKAGE, *(ROOT / PACKAGE).glob("**/")]
    return [name for name in PATH.findall(plan) if not any((room / name).exists() for room in rooms)]


def _pages() -> list[Path]:
    return [*(ROOT / name for name in OTHERS), *files("docs", suffixes=(".md",))]


def test_reference_is_what_the_code_says() -> None:
    assert not generate.stale(), "run: .venv/bin/python -m docs.generate"


def test_a_field_without_words_is_found() -> None:
    class Told(NamedTuple):
        seq: int
        """Its number."""
        run: int

    found = deliveries.fields(Told)
    assert next(found) == ("seq", "int", "Its number.")
    with pytest.raises(LookupError, match="Say below"):
        next(found)


def test_links_lead_somewhere() -> None:
    found = [finding for path in _pages() for finding in lost_links(path, path.read_text("utf-8"))]
    assert not found, report(found)


def test_architecture_names_what_is_there() -> None:
    assert not lost_paths(text_of("ARCHITECTURE.md"))


def test_a_lost_path_is_found() -> None:
    assert lost_paths("in `crawl/none.py`, `none/` and `committer.py`, as `path`") == ["crawl/none.py", "none/"]


def test_decisions_are_listed() -> None:
    folder = ROOT / "docs" / "adr"
    records = sorted(path.name for path in folder.glob("*.md") if RECORD.fullmatch(path.name))
    assert records == ["0000-template.md", *sorted(set(RECORD.findall((folder / "README.md").read_text("utf-8"))) - {
        "0000-template.md"})]  # fmt: skip


def test_every_set_is_told_of() -> None:
    assert set(generate.SETS) == set(SETS)


@pytest.mark.parametrize("target", ["none.md", "#none", "page.md#none", "../none/page.md"])
def test_a_lost_link_is_found(tmp_path: Path, target: str) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n")
    assert list(lost_links(page, f"# Here\n\nsee [it]({target})\n"))
    assert list(lost_links(page, f"# Here\n\nsee [it\nthere]({target})\n"))


@pytest.mark.parametrize("target", ["page.md", "#here-it-is", "page.md#a-page", "https://example.org/none"])
def test_a_good_link_is_left_alone(tmp_path: Path, target: str) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n```text\n[no](link)\n```\n")
    assert not list(lost_links(page, f"# Here: it is\n\nsee [it]({target})\n\n```text\n[no](link)\n```\n"))


def test_an_old_page_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "HERE", tmp_path)
    assert len(generate.stale()) == len(generate.pages())
    generate.main([])
    assert not generate.stale()
    (tmp_path / "cli.md").write_text("# Commands\n")
    assert [path.name for path in generate.stale()] == ["cli.md"]
