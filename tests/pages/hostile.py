"""An installation that has crawled what is hostile: a site, a folder of file names, and an address to show them by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from tests.cli.world import InstalledCli
from tests.pages.houses import Served, command, served
from tests.pages.vectors import NAMES, VECTORS, WORD
from tests.threaded import Asked, Said, Server, running

HOSTILE = "hostile"
LED = "http://127.0.0.1:1/\"onmouseover=document.documentElement.dataset.planted='led' a=\""
"""What an administrator could say that file names are to be shown as."""


def answer(asked: Asked) -> Said:
    """The site: a first page that leads to every vector, and the vectors."""
    if asked.path == "/":
        links = "".join(f'<p><a href="{each.path.replace("&", "&amp;")}">{each.number}</a></p>' for each in VECTORS)
        return Said(200, f"<html><head><title>The way in</title></head><body>{links}</body></html>")
    for each in VECTORS:
        if unquote(each.path) == unquote(asked.path):
            kind = f"text/html; charset={each.charset}" if each.charset else "text/html"
            return Said(200, each.body, {"Content-Type": kind})
    return Said(404, "no such page")


@contextmanager
def hostile(folder: Path) -> Iterator[Served]:
    """Crawl and serve it."""
    home = InstalledCli(folder / "data")
    for name in ("files", "led"):
        (folder / name).mkdir()
    for number, name in NAMES:
        (folder / "files" / name).write_text(f"{WORD} {number}\n\n{name}\n")
    for number in ("v0600", "v0601"):
        (folder / "led" / f"{number}.txt").write_text(f"{WORD} {number}")
    with running(Server(answer)) as server:
        command(home, "source", "add", "web", "site", "--set", f"start={server.origin}/")
        command(home, "source", "add", "files", "names", "--set", f"path={folder / 'files'}")
        command(
            home, "source", "add", "files", "led", "--set", f"path={folder / 'led'}", "--set", f"display_prefix={LED}"
        )
        command(home, "crawl")
    with served(home) as made:
        yield made


HOUSES = {HOSTILE: hostile}
