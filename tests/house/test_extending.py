"""The pages for who adds something show the examples as they are, and the examples are small."""

from __future__ import annotations

import ast
import pydoc
import re

import pytest

import cormorant.plugins
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
IMPORTED = re.compile(r"^from cormorant\.plugins import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
A_PAGE = 200
"""Lines of `help(cormorant.plugins)`; the members of all classes would be more than 8,000."""


def re_exported() -> set[str]:
    """Names that the module of extension points imports as themselves."""
    tree = ast.parse(text_of("src/cormorant/plugins.py"))
    named = (each for node in tree.body if isinstance(node, ast.ImportFrom) for each in node.names)
    return {each.name for each in named if each.asname == each.name}


def named_in(page: str) -> set[str]:
    """Names that the code of a page imports from the module of extension points."""
    return {each for found in IMPORTED.findall(page) for each in re.findall(r"\w+", "".join(found))}


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


def test_help_is_a_page_that_names_everything() -> None:
    shown = pydoc.plain(pydoc.render_doc(cormorant.plugins))
    assert shown.count("\n") <= A_PAGE
    index = set(re.findall(r"\w+", cormorant.plugins.__doc__ or ""))
    assert len(re_exported()) > 50
    assert not re_exported() - index


def test_pages_import_what_there_is() -> None:
    pages = [text_of(f"docs/how-to/{page}") for page in (*PAGES.values(), "receivers.md")]
    names = set[str]().union(*map(named_in, pages))
    assert {"BaseSource", "HttpClient", "BaseReceiver", "Rewritten", "ServiceDocument"} <= names <= re_exported()
