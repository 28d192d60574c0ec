"""A real MediaWiki on loopback, of Debian's package, with SQLite and the server that PHP brings."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener
from uuid import uuid4

import pytest

WIKI = Path("/usr/share/mediawiki")
PASSWORD = "canary-4713-of-the-station"
SETTINGS = """
$wgUploadDirectory = "{folder}/uploads"; $wgUploadPath = "/img_auth.php"; $wgEnableUploads = true;
$wgFileExtensions = [ 'png', 'txt', 'pdf' ]; $wgVerifyMimeType = false; $wgCheckFileExtensions = false;
$wgEnableEmail = false; $wgJobRunRate = 0; $wgPhpCli = false; $wgPasswordAttemptThrottle = [];
$wgRateLimits = []; $wgUseFileCache = false; $wgMainCacheType = CACHE_DB; $wgParserCacheType = CACHE_NONE;
define( 'NS_LOGBOOK', 3000 ); $wgExtraNamespaces[NS_LOGBOOK] = 'Logbook'; $wgExtraNamespaces[3001] = 'Logbook_talk';
"""
PRIVATE = "$wgGroupPermissions['*']['read'] = false;\n"


def found() -> str:
    """Return the PHP that runs it; skips where it is not installed."""
    php = shutil.which("php")
    if php is None or not (WIKI / "api.php").is_file():
        pytest.skip("mediawiki, php-cli and php-sqlite3 are not installed")
    return php


class RealWiki:
    """A running wiki, changed by its own API as its administrator."""

    def __init__(self, folder: Path, php: str) -> None:
        self.folder, self._php = folder, php
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", 0))
            self.port: int = bound.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {**os.environ, "MW_CONFIG_FILE": str(folder / "LocalSettings.php")}
        self._server: subprocess.Popen[bytes] | None = None
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self._token = ""

    def install(self) -> None:
        """Make an empty wiki."""
        (self.folder / "uploads").mkdir()
        self.run(
            "install", "--dbtype", "sqlite", "--dbpath", str(self.folder), "--dbname", "wiki", "--confpath",
            str(self.folder), "--pass", PASSWORD, "--server", self.url, "--scriptpath", "", "Station", "Admin",
            environment=dict(os.environ),
        )  # fmt: skip
        with (self.folder / "LocalSettings.php").open("a") as file:
            file.write(SETTINGS.format(folder=self.folder))

    def configure(self, line: str) -> None:
        """Add to its settings."""
        with (self.folder / "LocalSettings.php").open("a") as file:
            file.write(line)

    def run(self, script: str, *words: str, given: str = "", environment: Mapping[str, str] | None = None) -> str:
        """Run a script of its maintenance."""
        command = [self._php, str(WIKI / "maintenance" / f"{script}.php"), *words]
        done = subprocess.run(
            command, input=given, env=environment or self._environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self) -> None:
        """Serve it."""
        self._server = subprocess.Popen(
            [self._php, "-d", "opcache.revalidate_freq=0", "-S", f"127.0.0.1:{self.port}", "-t", str(WIKI)],
            env={**self._environment, "PHP_CLI_SERVER_WORKERS": "3"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        until = time.monotonic() + 30
        while time.monotonic() < until:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.02)
        raise TimeoutError

    def stop(self) -> None:
        """End it."""
        if self._server is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._server.pid, 15)
            self._server.wait()
            self._server = None

    def call(self, **parameters: str) -> dict[str, Any]:
        """Call its API."""
        data = urlencode({**parameters, "format": "json", "formatversion": "2"}).encode()
        return self._sent(Request(f"{self.url}/api.php", data))

    def act(self, **parameters: str) -> dict[str, Any]:
        """Do something as the administrator."""
        if not self._token:
            login = self.call(action="query", meta="tokens", type="login")["query"]["tokens"]["logintoken"]
            self.call(action="login", lgname="Admin", lgpassword=PASSWORD, lgtoken=login)
            self._token = self.call(action="query", meta="tokens")["query"]["tokens"]["csrftoken"]
        answer = self.call(**parameters, token=self._token)
        assert "error" not in answer, answer
        return answer

    def edit(self, title: str, text: str) -> None:
        """Make a page, or replace its text."""
        assert self.act(action="edit", title=title, text=text)["edit"]["result"] == "Success"

    def upload(self, name: str, data: bytes, comment: str = "") -> None:
        """Upload a file."""
        mark = uuid4().hex
        fields = {
            "action": "upload", "filename": name, "comment": comment, "ignorewarnings": "1", "format": "json",
            "formatversion": "2", "token": self._token,
        }  # fmt: skip
        if not self._token:
            self.act(action="purge", titles="Main Page")
            fields["token"] = self._token
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
            for key, value in fields.items()
        ]
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        parts += [
            head.encode(),
            b"Content-Type: application/octet-stream\r\n\r\n",
            data,
            f"\r\n--{mark}--\r\n".encode(),
        ]
        kind = {"Content-Type": f"multipart/form-data; boundary={mark}"}
        answer = self._sent(Request(f"{self.url}/api.php", b"".join(parts), kind))
        assert answer.get("upload", {}).get("result") == "Success", answer

    def _sent(self, request: Request) -> dict[str, Any]:
        with self._opener.open(request, timeout=60) as response:
            answer: dict[str, Any] = json.load(response)
        return answer


@contextmanager
def real_wiki(folder: Path) -> Iterator[RealWiki]:
    """Have a wiki run, empty but for its main page."""
    wiki = RealWiki(folder, found())
    wiki.install()
    wiki.start()
    try:
        yield wiki
    finally:
        wiki.stop()


__all__ = ["PASSWORD", "PRIVATE", "RealWiki", "URLError", "found", "real_wiki"]
