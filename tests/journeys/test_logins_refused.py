"""A server that refuses a login is asked once; what a source knows of a document beside its bytes is found and kept."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from cormorant.testing import Commands

PACKAGE = """
import json
from pathlib import Path
from cormorant.plugins import (
    BaseSource, Content, Gone, LoginRefused, SecretReference, SourceSettings,
)
from pydantic import Field


class DeskSettings(SourceSettings):
    path: Path = Field(description="The file of tickets.")
    password: SecretReference = Field(default="", description="The password.")

    @property
    def secrets(self):
        return frozenset([self.password.removeprefix("secret:")]) if self.password else frozenset()


class DeskSource(BaseSource[DeskSettings]):
    kind, about = "desk", "Tickets of a desk."
    Settings = DeskSettings

    def _tickets(self):
        desk = json.loads(self.settings.path.read_text())
        if self.tools.secrets.reveal("desk") != desk["password"]:
            with self.settings.path.with_suffix(".tries").open("a") as tries:
                tries.write("x")
            raise LoginRefused("The desk refuses the password.")
        return desk["tickets"]

    def discover(self, cursor):
        yield [self.found(key, each["version"]) for key, each in self._tickets().items()]

    async def fetch(self, resource, wire):
        each = self._tickets().get(self.key_of(resource.address))
        if each is None:
            return Gone()
        body = each["text"].encode()
        wire.received += len(body)
        return Content(
            resource.address, body, "text/plain", "utf-8", title=each["title"],
            attributes={"Author": "Ada", "State": each["state"], "Priority": 2.0, "Tags": ("pump", "leak")},
        )
"""
METADATA = "Metadata-Version: 2.1\nName: desk\nVersion: 1\n"


@pytest.fixture
def desk(tmp_path: Path) -> tuple[Commands, Path]:
    """An installation with a package that adds a kind, and the file that is its server."""
    site = tmp_path / "site"
    (site / "desk-1.dist-info").mkdir(parents=True)
    (site / "desk.py").write_text(PACKAGE)
    (site / "desk-1.dist-info" / "METADATA").write_text(METADATA)
    (site / "desk-1.dist-info" / "entry_points.txt").write_text("[cormorant.sources]\ndesk = desk:DeskSource\n")
    commands = Commands(tmp_path / "data", {"PYTHONPATH": f"{site}:{':'.join(filter(None, sys.path))}"})
    path = tmp_path / "desk.json"
    commands.run("secret", "add", "desk", given="right")
    commands.add("desk", "desk", {"path": path, "password": "secret:desk"})
    return commands, path


def write(path: Path, password: str = "right", state: str = "open", version: str = "1") -> None:
    ticket = {"title": "Pump 17", "text": "The valve leaks.", "state": state, "version": version}
    path.write_text(json.dumps({"password": password, "tickets": {"17": ticket}}))


def test_a_refused_login_is_not_repeated_before_the_secret_is_another(desk: tuple[Commands, Path]) -> None:
    commands, path = desk
    write(path, password="other")
    tries = path.with_suffix(".tries")
    for _ in range(3):
        report = commands.crawl("desk", fine=(1,))
        assert (report["state"], report["reason"]) == ("failed", "The desk refuses the password.")
    assert tries.read_text() == "x"
    commands.crawl("desk", "--force", fine=(1,))
    assert tries.read_text() == "xx"
    commands.run("secret", "edit", "desk", given="other")
    assert commands.crawl("desk")["new"] == 1
    assert tries.read_text() == "xx"


def test_a_source_may_give_title_and_attributes(desk: tuple[Commands, Path]) -> None:
    commands, path = desk
    write(path)
    commands.crawl("desk")
    (hit,) = commands.run("search", "valve")
    assert hit["title"] == "Pump 17"
    assert (
        hit["attributes"].items()
        >= {"Author": "Ada", "State": "open", "Priority": 2.0, "Tags": ["pump", "leak"]}.items()
    )
    write(path, state="closed", version="2")
    assert commands.crawl("desk")["changed"] == 1, "the same bytes, and another attribute"
    (hit,) = commands.run("search", "valve")
    assert hit["attributes"]["State"] == "closed"
