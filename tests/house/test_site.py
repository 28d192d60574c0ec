"""The site has every page, in one place of its side, with links that lead where they lead in the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import site
from tests.house.reading import ROOT, text_of

PLACES = site.pages()
HOME = ROOT / "docs" / "index.md"


def sections() -> list[site.Section]:
    return list(site.navigation(text_of("docs/index.md"), PLACES))


def unlisted(start: str) -> list[str]:
    """Pages that neither the start page names nor, for decisions, their list."""
    named = {place for section in site.navigation(start, PLACES) for place in section.pages} | {site.START}
    records = set(site.RECORD.findall(text_of(f"docs/{site.RECORDS}")))
    return [place for place in PLACES.values() if place not in named and place.removeprefix("adr/") not in records]


def test_every_page_is_in_the_navigation() -> None:
    assert not unlisted(text_of("docs/index.md")), "name it under a heading of docs/index.md"


def test_a_page_that_is_nowhere_is_found() -> None:
    start = text_of("docs/index.md")
    assert unlisted(start.replace("(how-to/files.md)", "(how-to/logs.md)")) == ["how-to/files.md"]


def test_the_side_has_the_four_kinds_of_pages() -> None:
    kinds = {section.title: {place.partition("/")[0] for place in section.pages} for section in sections()}
    assert list(kinds) == ["Tutorial", "How-to guides", "Explanations", "Reference", "The project"]
    assert [kinds[each] for each in kinds] == [
        {"tutorial.md"}, {"how-to"}, {"explanation", "adr"}, {"reference", "glossary.md"}, {"project"},
    ]  # fmt: skip


def test_no_page_is_named_twice() -> None:
    named = [place for section in sections() for place in section.pages]
    assert len(named) == len(set(named))


@pytest.mark.parametrize(
    ("source", "text", "in_the_site"),
    [
        ("docs/tutorial.md", "[README](../README.md)", "[README](project/README.md)"),
        (
            "docs/explanation/ranking.md",
            "[x](../../ARCHITECTURE.md#code-map)",
            "[x](../project/ARCHITECTURE.md#code-map)",
        ),
        ("README.md", "[files](docs/how-to/files.md)", "[files](../how-to/files.md)"),
        ("README.md", "![a page](docs/pictures/search.png)", "![a page](../pictures/search.png)"),
        ("README.md", "see [LICENSE](LICENSE).", "see `LICENSE`."),
        ("bench/README.md", "([the sites](sites.py))", "(the sites (`bench/sites.py`))"),
        ("bench/README.md", "[`million.py`](million.py)", "`bench/million.py`"),
        ("docs/tutorial.md", "[x](https://example.org/a.md) [y](#here)", "[x](https://example.org/a.md) [y](#here)"),
        (
            "docs/tutorial.md",
            "[lost](none.md) [out](../../../etc/passwd)",
            "[lost](none.md) [out](../../../etc/passwd)",
        ),
        ("docs/tutorial.md", "`[x](../README.md)`\n```sh\n[x](../README.md)\n```\n", None),
        ("docs/tutorial.md", "[`a`](../README.md) and `b`", "[`a`](project/README.md) and `b`"),
    ],
)
def test_links_lead_where_they_did(source: str, text: str, in_the_site: str | None) -> None:
    assert site.rewritten(text, ROOT / source, PLACES) == (text if in_the_site is None else in_the_site)


def test_what_is_staged_is_pages_and_pictures(tmp_path: Path) -> None:
    site.stage(tmp_path)
    staged = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert set(PLACES.values()) <= staged
    assert {Path(name).parts[0] for name in staged - set(PLACES.values())} == {"pictures"}
    assert ":caption: Reference\n" in (tmp_path / site.START).read_text("utf-8")
    assert "/adr/0024-sphinx-builds-the-site\n" in (tmp_path / site.RECORDS).read_text("utf-8")


def built(folder: Path, body: str) -> list[str]:
    (folder / "page.html").write_text('<h1 id="top">A page</h1><a name="old"></a>')
    (folder / "a picture.png").write_bytes(b"")
    (folder / "index.html").write_text(body)
    return site.faults(folder)


@pytest.mark.parametrize(
    "body",
    [
        '<a href="none.html">x</a>', '<a href="page.html#none">x</a>', '<a href="#none">x</a>', '<img src="none.png">',
        '<script src="https://cdn.example.org/x.js"></script>', '<link rel="stylesheet" href="//fonts.example.org/x">',
        '<img src="https://example.org/a.png">',
    ],
)  # fmt: skip
def test_a_fault_of_the_site_is_found(tmp_path: Path, body: str) -> None:
    assert built(tmp_path, body)


def test_a_sheet_that_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.css").write_text("a { color: red }\n@font-face { src: url('https://fonts.example.org/x.woff2') }")
    assert site.faults(tmp_path)
    (tmp_path / "x.css").write_text("a { background: url(data:image/png;base64,AA) url('x.png') }")
    assert not site.faults(tmp_path)


def test_a_good_site_is_left_alone(tmp_path: Path) -> None:
    body = (
        '<p id="here"><a href="page.html#top">x</a><a href="page.html#old">x</a><a href="#here">x</a>'
        '<img src="a%20picture.png">'
        '<a href="https://example.org/none">x</a><a href="mailto:ada@example.org">x</a>'
    )
    assert not built(tmp_path, body)
