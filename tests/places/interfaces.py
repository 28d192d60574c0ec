"""Interfaces of suites and stores: MediaWiki, GitHub, GitLab, S3; fakes by their documentation, and a real wiki."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cormorant.testing import Commands, CrawlPlace
from tests.sources.github import fake_github
from tests.sources.gitlab import fake_gitlab
from tests.sources.json_api.fake_server import FakeServer
from tests.sources.mediawiki.fake_wiki import FakeWiki
from tests.sources.mediawiki.real_wiki import WIKI, RealWiki, found
from tests.sources.s3.s3_server import BUCKET, SECRET_KEY, s3_store


class FakePlace(CrawlPlace):
    """A fake that starts when it is made, and stops and starts again at its port."""

    server: Any
    at_once = 20
    """Records of a page of a listing."""

    def fake(self) -> FakeServer:
        """Return it, started."""
        raise NotImplementedError

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Run it."""
        self.server = self.fake()
        try:
            yield
        finally:
            self.server.stop()

    def take_away(self) -> None:
        """End the server."""
        self.server.stop()

    def bring_back(self) -> None:
        """Start it again."""
        self.server.start()


class FakeWikiPlace(FakePlace):
    """Pages of a fake wiki."""

    kind = "mediawiki"
    renames = True

    def fake(self) -> FakeWiki:
        """Return a wiki."""
        return FakeWiki(at_once=self.at_once)

    def settings(self) -> Mapping[str, object]:
        """Name its API."""
        return {"url": f"{self.server.url}/w/api.php"}

    def put(self, name: str, word: str) -> None:
        """Edit a page."""
        self.server.put(name.capitalize(), f"The page has {word}.")

    def remove(self, name: str) -> None:
        """Delete it."""
        self.server.delete(name.capitalize())

    def rename(self, name: str, other: str) -> None:
        """Move a page; a redirect stays."""
        self.server.move(name.capitalize(), other.capitalize())

    def url(self, name: str) -> str:
        """Return where people read it."""
        return f"{self.server.url}/wiki/{name.capitalize()}"


class RealWikiPlace(CrawlPlace):
    """Pages of a real wiki, which its package brings."""

    kind = "mediawiki"
    renames = True

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Choose where the wiki is."""
        (folder / "wiki").mkdir()
        self.wiki = RealWiki(folder / "wiki", found())
        try:
            yield
        finally:
            self.wiki.stop()

    def made(self) -> None:
        """Install it, and take its main page away."""
        self.wiki.install()
        self.wiki.start()
        self.wiki.act(action="delete", title="Main Page")

    def counterpart(self) -> str:
        """Read its version."""
        text = (WIKI / "includes" / "Defines.php").read_text()
        version = re.search(r"MW_VERSION', '([^']+)'", text)
        return f"MediaWiki {version[1] if version else ''}".strip()

    def settings(self) -> Mapping[str, object]:
        """Name its address; the API is found."""
        return {"url": self.wiki.url + "/index.php"}

    def put(self, name: str, word: str) -> None:
        """Edit a page."""
        self.wiki.edit(name.capitalize(), f"The page has {word}.")

    def remove(self, name: str) -> None:
        """Delete it."""
        self.wiki.act(action="delete", title=name.capitalize())

    def rename(self, name: str, other: str) -> None:
        """Move a page; a redirect stays."""
        self.wiki.act(action="move", to=other.capitalize(), reason="Better", **{"from": name.capitalize()})

    def url(self, name: str) -> str:
        """Return where people read it."""
        return f"{self.wiki.url}/index.php/{name.capitalize()}"

    def take_away(self) -> None:
        """End the server."""
        self.wiki.stop()

    def bring_back(self) -> None:
        """Start it again."""
        self.wiki.start()


class GitHubPlace(FakePlace):
    """Issues of one repository."""

    kind = "github"

    def fake(self) -> fake_github.FakeGitHub:
        """Return one that asks for a token, and has no limit to speak of."""
        server = fake_github.FakeGitHub(per_page=self.at_once)
        server.token, server.remaining = fake_github.TOKEN, 10_000_000
        return server

    def prepare(self, commands: Commands) -> None:
        """Keep the token."""
        commands.run("secret", "add", "github", given=fake_github.TOKEN)

    def settings(self) -> Mapping[str, object]:
        """Name the repository."""
        return {"url": f"{self.server.url}/api/v3", "token": "secret:github", "repository": "bay/birds"}

    def put(self, name: str, word: str) -> None:
        """Open or edit an issue."""
        self.server.put(name, f"The issue has {word}.")

    def remove(self, name: str) -> None:
        """Delete it."""
        self.server.remove(name)


class GitLabPlace(FakePlace):
    """Issues of one project."""

    kind = "gitlab"

    def fake(self) -> fake_gitlab.FakeGitLab:
        """Return one that asks for a token."""
        server = fake_gitlab.FakeGitLab(per_page=self.at_once)
        server.token = fake_gitlab.TOKEN
        return server

    def prepare(self, commands: Commands) -> None:
        """Keep the token."""
        commands.run("secret", "add", "gitlab", given=fake_gitlab.TOKEN)

    def settings(self) -> Mapping[str, object]:
        """Name the project."""
        return {"url": self.server.url, "token": "secret:gitlab", "project": "bay/birds"}

    def put(self, name: str, word: str) -> None:
        """Open or edit an issue."""
        self.server.put(name, f"The issue has {word}.")

    def remove(self, name: str) -> None:
        """Delete it."""
        self.server.remove(name)


class S3Place(CrawlPlace):
    """Objects of a store whose listings have several pages."""

    kind = "s3"
    renames = True
    at_once = 7

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Run a store."""
        with s3_store() as self.store:
            self.store.page = self.at_once
            yield

    def prepare(self, commands: Commands) -> None:
        """Keep the secret key."""
        commands.run("secret", "add", "k", given=SECRET_KEY)

    def settings(self) -> Mapping[str, object]:
        """Name the bucket."""
        return self.store.settings()

    def put(self, name: str, word: str) -> None:
        """Put an object."""
        self.store.objects[f"docs/{name}.txt"] = f"The text has {word}.".encode()

    def remove(self, name: str) -> None:
        """Delete an object."""
        del self.store.objects[f"docs/{name}.txt"]

    def rename(self, name: str, other: str) -> None:
        """Have an object under another key, as a copy and a deletion do."""
        self.store.objects[f"docs/{other}.txt"] = self.store.objects.pop(f"docs/{name}.txt")

    def url(self, name: str) -> str:
        """Return its address."""
        return f"s3://{BUCKET}/docs/{name}.txt"

    def take_away(self) -> None:
        """Have the store ask for less."""
        self.store.error = "SlowDown"

    def bring_back(self) -> None:
        """Have it answer again."""
        self.store.error = ""
