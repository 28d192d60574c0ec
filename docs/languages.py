"""Writes docs/reference/languages.md: asks the index what the tests ask, and tells what it found.

python -m docs.languages
"""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.search.index.shelves import entry, shelf
from tests.search.languages import LANGUAGES, Spoken

PAGE = Path(__file__).parent / "reference" / "languages.md"
ABOUT = """\
# Languages

The documents that search finds in each language, by the documents and questions of the tests. Where others are found than
should be, the rules for forms of that language fall short: endings that they do not know, words they take for one,
beginnings that change. Words, and the languages whose forms are known, are explained in
[how results are ranked](../explanation/ranking.md). `python -m docs.languages` asks the index and writes this page.
"""


def page() -> str:
    """The page, with what is found now."""
    return "\n".join((ABOUT, *map(_section, LANGUAGES)))


def _section(spoken: Spoken) -> str:
    texts = "".join(f"{number}. {text}\n" for number, text in enumerate(spoken.documents, 1))
    with tempfile.TemporaryDirectory() as folder, shelf("embedded", Path(folder)) as index:
        index.put(*(entry(n, text, language=spoken.tag) for n, text in enumerate(spoken.documents, 1)))
        found = [sorted(index.ids(asked.query)) for asked in spoken.asked]
    rows = [
        f"| `{asked.query}` | {_shown(asked.expected)} | {_shown(got)} | {asked.shows} |\n"
        for asked, got in zip(spoken.asked, found, strict=True)
    ]
    head = "| question | expected | found | what it shows |\n|---|---|---|---|\n"
    return f"## {spoken.name[0].upper()}{spoken.name[1:]}\n\n{texts}\n{head}{''.join(rows)}"


def _shown(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers)) or "nothing"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE}\n")
