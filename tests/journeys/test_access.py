"""A site behind a password: kept, tested, crawled; and nothing of the secret to be found anywhere afterwards."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

PASSWORD, TOKEN = "canary-Ä-4713 &%", "canary-token-4714"
BASIC = base64.b64encode(f"anna:{PASSWORD}".encode()).decode()
FORMS = (
    PASSWORD.encode(),
    TOKEN.encode(),
    BASIC.encode(),
    b"canary-%C3%84-4713",
    b"canary-\\u00c4-4713",
    b"canary-\\xc4-4713",
)


class Guarded(ThreadingHTTPServer):
    """Pages for who has the password and the cookie of the front page; notes what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.sent: list[tuple[str, str, str]] = []
        self.password = BASIC
        self.wait_s = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Talk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        site = self.server
        assert isinstance(site, Guarded)
        cookie, proof = self.headers.get("Cookie", ""), self.headers.get("Authorization", "")
        site.sent.append((self.path, proof, cookie))
        time.sleep(site.wait_s)
        if self.path == "/robots.txt":
            self._say(404, b"")
        elif proof != f"Basic {site.password}" or self.headers.get("X-Key") != TOKEN:
            self._say(401, b"<p>who?</p>", ("WWW-Authenticate", 'Basic realm="x"'))
        elif self.path == "/":
            links = b"".join(b'<a href="/m/%d">m</a>' % n for n in range(6))
            self._say(200, b"<title>Front</title>" + links, *_COOKIES)
        elif "sid=here" in cookie or "lasting=yes" in cookie:
            self._say(200, b"<title>Member</title><p>zephyr page %s</p>" % self.path.encode())
        else:
            self._say(403, b"<p>no cookie</p>")

    def _say(self, status: int, body: bytes, *fields: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", "text/html"), ("Content-Length", str(len(body))), *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Be quiet."""


_COOKIES = (("Set-Cookie", "sid=here; Path=/"), ("Set-Cookie", "lasting=yes; Path=/; Max-Age=86400"))


@pytest.fixture
def site() -> Iterator[Guarded]:
    with Guarded() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


class Home:
    """An installation as a person uses it; everything it prints is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.printed = folder, b""

    def run(self, *words: str, given: str = "", code: int = 0) -> str:
        """Run a command, with something on its standard input."""
        command = [sys.executable, "-m", "cormorant", "--data", str(self.folder), *words]
        environment = {**os.environ, "CORMORANT_LOG": "debug"}
        done = subprocess.run(
            command, input=given.encode(), capture_output=True, env=environment, timeout=120, check=False
        )
        self.printed += done.stdout + done.stderr
        assert done.returncode == code, (words, done.stdout.decode(), done.stderr.decode())
        return (done.stdout + done.stderr).decode()

    def leaks(self) -> list[str]:
        """Files of the data folder, and whether printed, in which a secret can be read."""
        found = [str(path) for path in self.folder.rglob("*") if path.is_file() and _shows(path.read_bytes())]
        return [*found, *(["printed"] if _shows(self.printed) else [])]


def _shows(data: bytes) -> bool:
    return any(form in data for form in FORMS)


@contextmanager
def command_lines() -> Iterator[list[bytes]]:
    """What processes of ours are called and given by environment, looked at all the while."""
    seen: list[bytes] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            for place in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    seen.append(place.read_bytes())
                    seen.append(place.with_name("environ").read_bytes())
                except OSError:
                    continue
            ended.wait(0.05)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


def settings(site: Guarded, **more: str) -> list[str]:
    given = {
        "start": f"{site.url}/", "credentials": f"{site.url} basic anna secret:wiki", "headers": "X-Key: secret:token",
        "robots": "ignore", **more,
    }  # fmt: skip
    return [word for name, value in given.items() for word in ("--set", f"{name}={value}")]


def test_a_site_behind_a_password(site: Guarded, tmp_path: Path) -> None:
    home = Home(tmp_path / "data")
    missing = home.run("source", "add", "web", "wiki", *settings(site), code=4)
    assert "There is no secret 'token'. `cormorant secret add token` keeps one." in missing
    with command_lines() as seen:
        home.run("secret", "add", "wiki", given=f"{PASSWORD}\n")
        (tmp_path / "token").write_text(f"{TOKEN}\n")
        home.run("secret", "add", "token", "--file", str(tmp_path / "token"))
        home.run("source", "add", "web", "wiki", *settings(site))
        said = home.run("source", "test", "wiki")
        assert f"basic as anna by secret:wiki at {site.url}" in said
        home.run("crawl", "wiki")
    assert not any(_shows(each) for each in seen)
    assert len({path for path, *_ in site.sent if path.startswith("/m/")}) == 6
    assert "Member" in home.run("search", "zephyr")
    assert (home.folder / "secret.key").stat().st_mode & 0o777 == 0o600

    site.sent.clear()
    home.run("crawl", "wiki")
    first = site.sent[0]
    assert "lasting=yes" in first[2], "a cookie that lasts is there in the next run"
    assert "sid=" not in first[2], "one of the session is not"

    site.password = "another"
    home.run("source", "test", "wiki", code=3)
    assert "401" in home.run("crawl", "wiki", "--force", code=3)
    assert "Offered was: basic as anna by secret:wiki" in home.run("explain", f"{site.url}/")
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
    assert home.leaks() == []


def test_a_key_that_is_lost_says_so(site: Guarded, tmp_path: Path) -> None:
    home = Home(tmp_path / "data")
    home.run("secret", "add", "wiki", given=PASSWORD)
    home.run("secret", "add", "token", given=TOKEN)
    home.run("source", "add", "web", "wiki", *settings(site))
    (home.folder / "secret.key").rename(tmp_path / "elsewhere.key")
    said = home.run("crawl", "wiki", code=1)
    assert re.search(r"The secret '(wiki|token)' needs its key, \S+secret.key. Restore that from a backup", said), said
    assert site.sent == []
    assert "is missing, so closed are token, wiki" in " ".join(home.run("doctor", code=1).split())
    (tmp_path / "elsewhere.key").rename(home.folder / "secret.key")
    (home.folder / "secret.key").chmod(0o644)
    assert "can be read by others" in " ".join(home.run("doctor", code=1).split())
    (home.folder / "secret.key").chmod(0o600)
    home.run("crawl", "wiki")
    assert home.leaks() == []


def test_a_disk_image_of_the_store_opens_nothing(tmp_path: Path) -> None:
    """Without the key file the sealed value is of no use, with it the value is there."""
    from cryptography.fernet import Fernet

    home = Home(tmp_path / "data")
    home.run("secret", "add", "wiki", given=PASSWORD)
    data = (home.folder / "cormorant.db").read_bytes() + b"".join(
        path.read_bytes() for path in home.folder.glob("cormorant.db-*")
    )
    sealed: Any = re.search(rb"gAAAA[\w=-]{60,}", data)
    assert sealed
    assert Fernet((home.folder / "secret.key").read_bytes().strip()).decrypt(sealed[0]).decode() == PASSWORD
    home.run("secret", "rotate")
    assert len((home.folder / "secret.key").read_bytes().split()) == 1
