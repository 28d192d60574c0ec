"""An installation that was crawled, asked within this process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from cormorant.web.security.request_guard import Application
from tests.cli.world import Answer, InstalledCli, Site
from tests.web.asking import Got, ask_of

EVIL = "<script>alert(1)</script>"
PASSWORD = "opensesame-7731"


@dataclass
class Crawled:
    """An installation, the address of its site, and its pages."""

    home: InstalledCli
    origin: str
    application: Application

    def get(self, address: str, **headers: str) -> Got:
        """Ask a page, or the interface for programs."""
        return ask_of(self.application, address, **headers)

    def api(self, address: str, **headers: str) -> Any:
        """The answer to a program, which has to be a success."""
        got = self.get(f"/api/v1{address}", **headers)
        assert got.status == 200, got.body
        return got.lines if "ndjson" in got.headers["content-type"] else got.json

    def explain(self, path: str) -> Got:
        """The page that explains an address of the site."""
        return self.get(f"/explain?address={quote(self.origin + path, safe='')}")


def a_site() -> Site:
    """Pages of which one is hostile, one is gone, one is not for robots, one outside."""
    made = Site()
    many = [f"/n{number}" for number in range(8)]
    made.page("/", "Start of all", "kelp", ("/evil", "/missing", "/private/x", "/old", "/teapot", *many))
    made.answers["/evil"] = Answer(
        f"<title>Evil {EVIL.replace('<', '&lt;')}</title><p>sargasso <a href=/n0>{EVIL.replace('<', '&lt;')}</a>"
        "<a href='https://elsewhere.example/a&quot;&gt;&lt;b&gt;' rel='&lt;i&gt; external'>away</a>"
    )
    made.answers["/old"] = Answer("", 301, location="/n1")
    made.answers["/teapot"] = Answer("short and stout", 418)
    made.answers["/robots.txt"] = Answer("User-agent: *\nDisallow: /private/\n", mime="text/plain")
    for name in many:
        made.page(name, f"Number {name[2:]}", f"kelp of a forest {name}", ("/evil",))
    return made
