"""A site behind a password: kept, tested, crawled; and nothing of the secret to be found anywhere afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.canaries import BASIC, PASSWORD, TOKEN, Canary, command_lines, kept_heads
from tests.threaded import Asked, Said, Server, running

_COOKIES = {"Set-Cookie": ("sid=here; Path=/", "lasting=yes; Path=/; Max-Age=86400")}


class Guarded(Server):
    """Pages for who has the password and the cookie of the front page; `sent` is path, proof and cookie of each."""

    def __init__(self) -> None:
        super().__init__(self.say)
        self.password = BASIC

    @property
    def sent(self) -> list[tuple[str, str, str]]:
        return [(each.path, each.fields.get("authorization", ""), each.fields.get("cookie", "")) for each in self.asked]

    def say(self, asked: Asked) -> Said:
        """Let in who may come in."""
        cookie = asked.fields.get("cookie", "")
        if asked.path == "/robots.txt":
            return Said(404)
        if asked.fields.get("authorization") != f"Basic {self.password}" or asked.fields.get("x-key") != TOKEN:
            return Said(401, "<p>who?</p>", {"WWW-Authenticate": 'Basic realm="x"'})
        if asked.path == "/":
            return Said(200, "<title>Front</title>" + "".join(f'<a href="/m/{n}">m</a>' for n in range(6)), _COOKIES)
        if "sid=here" in cookie or "lasting=yes" in cookie:
            return Said(200, f"<title>Member</title><p>zephyr page {asked.path}</p>")
        return Said(403, "<p>no cookie</p>")


@pytest.fixture
def site() -> Iterator[Guarded]:
    with running(Guarded()) as server:
        yield server


def settings(site: Guarded, **more: str) -> list[str]:
    given = {
        "start": f"{site.origin}/", "credentials": f"{site.origin} basic anna secret:wiki",
        "headers": "X-Key: secret:token", "robots": "ignore", **more,
    }  # fmt: skip
    return [word for name, value in given.items() for word in ("--set", f"{name}={value}")]


def test_a_site_behind_a_password(site: Guarded, tmp_path: Path) -> None:
    home = Canary(tmp_path / "data")
    missing = home.run("source", "add", "web", "wiki", *settings(site), code=4)
    assert "There is no secret 'token'. `cormorant secret add token` adds one." in missing
    home.apart = True
    with command_lines() as seen:
        home.run("secret", "add", "wiki", given=f"{PASSWORD}\n")
        (tmp_path / "token").write_text(f"{TOKEN}\n")
        home.run("secret", "add", "token", "--file", str(tmp_path / "token"))
        home.run("source", "add", "web", "wiki", *settings(site))
        said = home.run("source", "test", "wiki")
        assert f"basic as anna by secret:wiki at {site.origin}" in said
        home.run("crawl", "wiki")
    home.apart = False
    assert any(b"\0source\0" in each for each in seen), "commands were seen"
    assert len({path for path, *_ in site.sent if path.startswith("/m/")}) == 6
    assert "Member" in home.run("search", "zephyr")
    assert (home.folder / "secret.key").stat().st_mode & 0o777 == 0o600

    site.asked.clear()
    heads = kept_heads(home.folder)
    assert len(heads) == 7
    assert all(b"\r\nContent-Type: " in b"\r\n" + each for each in heads), "the other fields are kept"
    assert not any(b"cookie" in each.lower() for each in heads)
    home.run("crawl", "wiki")
    first = site.sent[0]
    assert "lasting=yes" in first[2], "a cookie that lasts is there in the next run"
    assert "sid=" not in first[2], "one of the session is not"

    site.password = "another"
    home.run("source", "test", "wiki", code=3)
    assert "401" in home.run("crawl", "wiki", "--force", code=3)
    assert "Offered was: basic as anna by secret:wiki" in home.run("explain", f"{site.origin}/")
    for words in (
        ["secret", "list"],
        ["source", "show", "wiki", "--effective"],
        ["doctor"],
        ["run", "show"],
        ["status"],
    ):
        home.run(*words)
        home.run(*words, "--json")
    home.run("secret", "delete", "wiki", code=1)
    home.run("secret", "rotate")
    home.prove("a site behind a password", seen)


def test_a_key_that_is_lost_says_so(site: Guarded, tmp_path: Path) -> None:
    home = Canary(tmp_path / "data")
    home.run("secret", "add", "wiki", given=PASSWORD)
    home.run("secret", "add", "token", given=TOKEN)
    home.run("source", "add", "web", "wiki", *settings(site))
    (home.folder / "secret.key").rename(tmp_path / "elsewhere.key")
    said = home.run("crawl", "wiki", code=1)
    assert re.search(r"The secret '(wiki|token)' needs its key, \S+secret.key. Restore that file", said), said
    assert site.sent == []
    assert "is missing, so closed are token, wiki" in " ".join(home.run("doctor", code=1).split())
    (tmp_path / "elsewhere.key").rename(home.folder / "secret.key")
    (home.folder / "secret.key").chmod(0o644)
    assert "can be read by others" in " ".join(home.run("doctor", code=1).split())
    (home.folder / "secret.key").chmod(0o600)
    home.run("crawl", "wiki")
    home.prove("a key that is lost")


def test_a_disk_image_of_the_store_opens_nothing(tmp_path: Path) -> None:
    """Without the key file the sealed value is of no use, with it the value is there."""
    from cryptography.fernet import Fernet

    home = Canary(tmp_path / "data")
    home.run("secret", "add", "wiki", given=PASSWORD)
    data = (home.folder / "cormorant.db").read_bytes() + b"".join(
        path.read_bytes() for path in home.folder.glob("cormorant.db-*")
    )
    sealed: Any = re.search(rb"gAAAA[\w=-]{60,}", data)
    assert sealed
    assert Fernet((home.folder / "secret.key").read_bytes().strip()).decrypt(sealed[0]).decode() == PASSWORD
    home.run("secret", "rotate")
    home.prove("a disk image of the store")
    assert len((home.folder / "secret.key").read_bytes().split()) == 1
