"""Build the documentation as a site, in build/docs.

    python -m docs.site        `make docs` runs it, and installs its packages first

The pages are those of `docs/` and a few from the top folder of the project. Links between pages work in the site too; a
link to another file of the project becomes the name of that file, because the site does not contain it. The side bar of
every page shows the sections of `docs/index.md`. Nothing is written outside build/docs, and nothing is fetched.
"""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SITE = ROOT / "build" / "docs"
START = "index.md"
RECORDS = "adr/README.md"
FROM_TOP = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "RELIABILITY.md", "SECURITY.md",
           "bench/README.md", "bench/RESULTS.md")  # fmt: skip
"""Pages that stand outside `docs/`, and in the site below `project/`."""
NO_PAGES = ("adr/0000-template.md",)

LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$|^    .*?$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)
RECORD = re.compile(r"\((?P<name>\d{4}-[a-z0-9-]+\.md)\)")


class Section(NamedTuple):
    """A heading of the side bar, and the pages below it."""

    title: str
    pages: tuple[str, ...]


def pages() -> dict[Path, str]:
    """Every page of the site: its file, and its path in the site."""
    inside = {path: path.relative_to(DOCS).as_posix() for path in sorted(DOCS.rglob("*.md"))}
    return {path: place for path, place in inside.items() if place not in NO_PAGES} | {
        ROOT / name: f"project/{name}" for name in FROM_TOP
    }


def navigation(start: str, places: Mapping[Path, str]) -> Iterator[Section]:
    """The sections of the start page that name pages, in its order; a page belongs to the first that names it."""
    named: set[str] = set()
    _, *parts = SECTION.split(start)
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        targets = (link["target"].partition("#")[0] for link in LINK.finditer(text) if not link["image"])
        found = dict.fromkeys(places.get((DOCS / target).resolve(), "") for target in targets if ":" not in target)
        own = tuple(place for place in found if place and place not in named and place != START)
        named.update(own)
        if own:
            yield Section(title, own)


def rewritten(text: str, source: Path, places: Mapping[Path, str]) -> str:
    """The text of a page with its links rewritten for the site.

    A link to a file that is no page becomes the file's name. A broken link is kept, so that the build reports it.
    """
    here = Path(places[source]).parent

    def in_site(link: re.Match[str]) -> str:
        target, _, anchor = link["target"].partition("#")
        if not target or ":" in target:
            return link[0]
        file = (source.parent / target).resolve()
        if file in places:
            there = os.path.relpath(places[file], here)
            return f"[{link['text']}]({there}{'#' + anchor if anchor else ''})"
        if link["image"]:
            return f"![{link['text']}]({os.path.relpath(Path('pictures', file.name), here)})"
        if not file.exists() or not file.is_relative_to(ROOT):
            return link[0]
        name = f"`{file.relative_to(ROOT).as_posix()}`"
        return name if link["text"].strip("`") in name else f"{link['text']} ({name})"

    return "".join(piece if is_code else LINK.sub(in_site, piece) for piece, is_code in _pieces(text))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a page, each with whether it is code. Code within the text of a link belongs to the link."""
    at = 0
    links = [link.span() for link in LINK.finditer(text)]
    for code in FENCED.finditer(text):
        if code.start() < at or any(start < code.start() and code.end() <= end for start, end in links):
            continue
        yield text[at : code.start()], False
        yield code[0], True
        at = code.end()
    yield text[at:], False


def stage(into: Path) -> None:
    """Copy the rewritten pages and the pictures into a folder for Sphinx."""
    places = pages()
    (into / "pictures").mkdir()
    for picture in (*(DOCS / "pictures").iterdir(), *(ROOT / "bench").glob("*.svg")):
        shutil.copy(picture, into / "pictures")
    for file, place in places.items():
        text = rewritten(file.read_text("utf-8"), file, places)
        if place == START:
            sections = navigation(file.read_text("utf-8"), places)
            text += "".join(_tree(section.pages, section.title) for section in sections)
        if place == RECORDS:
            text += _tree(sorted({f"adr/{record['name']}" for record in RECORD.finditer(text)} - set(NO_PAGES)))
        (into / place).parent.mkdir(parents=True, exist_ok=True)
        (into / place).write_text(text, "utf-8")


def _tree(places: Iterable[str], title: str = "") -> str:
    """The directive that puts pages into the side bar."""
    caption = f":caption: {title}\n" if title else ""
    names = "\n".join(f"/{place.removesuffix('.md')}" for place in places)
    return f"\n```{{toctree}}\n:hidden:\n{caption}\n{names}\n```\n"


# ------------------------------------------------------------------------------------------------- what was built


class _Built(HTMLParser):
    """The anchors of a page of the site, its links, and the resources that it loads."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.leads.append(given["href"])
        elif "src" in given or (tag == "link" and "href" in given):
            self.loads.append(given.get("src") or given["href"])


def faults(site: Path) -> list[str]:
    """Faults of a built site: broken links and anchors, and resources that are loaded from elsewhere."""
    built = {path.resolve(): _Built(path.read_text("utf-8")) for path in site.rglob("*.html")}
    found = []
    for path, page in built.items():
        name = path.relative_to(site.resolve()).as_posix()
        found += [f"{name}: loads {each}" for each in page.loads if urlsplit(each).netloc]
        for each in dict.fromkeys([*page.leads, *page.loads]):
            parts = urlsplit(each)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = built.get(there)
            if not there.is_file() or (parts.fragment and known and unquote(parts.fragment) not in known.anchors):
                found.append(f"{name}: {each} leads nowhere")
    for sheet in site.rglob("*.css"):
        loads = re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)'\"]*", sheet.read_text("utf-8"))
        found += [f"{sheet.relative_to(site)}: {each}" for each in loads]
    return found


def main() -> int:
    """Build the site. On faults print them, return 1 and keep the site that was built before."""
    with tempfile.TemporaryDirectory(prefix="cormorant-docs-") as folder:
        source, site = Path(folder, "pages"), Path(folder, "site")
        source.mkdir()
        stage(source)
        options = ("-q", "-W", "--keep-going", "-E", "-b", "html", "-c", str(DOCS), "-d", str(Path(folder, "trees")))
        sphinx = (sys.executable, "-B", "-m", "sphinx", *options, str(source), str(site))
        made = subprocess.run(sphinx, check=False)  # noqa: S603 - nothing of it comes from outside
        if made.returncode:
            return 1
        shutil.rmtree(site / "_sources", ignore_errors=True)
        (site / ".buildinfo").unlink(missing_ok=True)
        wrong = faults(site)
        if wrong:
            sys.stderr.writelines(f"{each}\n" for each in wrong)
            return 1
        shutil.rmtree(SITE, ignore_errors=True)
        SITE.parent.mkdir(exist_ok=True)
        shutil.move(site, SITE)
    sys.stdout.write(f"The documentation is at {SITE.relative_to(ROOT)}/index.html\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
