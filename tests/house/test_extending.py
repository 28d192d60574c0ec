"""The pages for who adds something show the examples as they are, and the examples are small."""

from __future__ import annotations

import re

import pytest

from tests.house.reading import ROOT, text_of

EXAMPLES = ROOT / "examples" / "plugins"
PAGES = {
    "sqlite-source": "add-a-source.md",
    "po-converter": "add-a-converter.md",
    "host-counts": "add-a-receiver.md",
    "printed-rewriter": "add-a-rewriter.md",
    "stamp-service": "add-a-service.md",
}
FENCED = re.compile(r"^```(?:python|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT = 60
SHOWN = (".py", ".toml")


def missing(folder: str, page: str) -> list[str]:
    """Files of an example that a page does not show as they are."""
    shown = set(FENCED.findall(page))
    files = [path for path in (EXAMPLES / folder).iterdir() if path.suffix in SHOWN]
    return sorted(path.name for path in files if path.read_text("utf-8") not in shown)


def test_every_example_has_its_page() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} == set(PAGES)


@pytest.mark.parametrize("folder", PAGES)
def test_the_page_shows_the_example(folder: str) -> None:
    assert not missing(folder, text_of(f"docs/how-to/{PAGES[folder]}"))


@pytest.mark.parametrize("folder", PAGES)
def test_an_example_is_small(folder: str) -> None:
    (module,) = (EXAMPLES / folder).glob("*.py")
    assert module.read_text("utf-8").count("\n") <= LIMIT


def test_an_example_that_has_changed_is_found() -> None:
    page = text_of("docs/how-to/add-a-source.md").replace("BaseSource[TableSettings]", "BaseSource")
    assert missing("sqlite-source", page) == ["cormorant_sqlite.py"]
