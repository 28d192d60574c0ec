"""Repositories for tests, made by git; and git's own HTTP server, behind one that knows a password."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

WHO = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@a.example", "GIT_COMMITTER_NAME": "Bob",
       "GIT_COMMITTER_EMAIL": "bob@a.example", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}  # fmt: skip
LOGIN = base64.b64encode(b"ada:right").decode()


class Repository:
    """A repository with a branch `main`, without files checked out by others."""

    def __init__(self, path: Path) -> None:
        self.path, self.commits = path, 0
        self.git("init", "--quiet", "--initial-branch=main", str(path), cwd=path.parent)

    def git(self, *words: str, given: bytes = b"", cwd: Path | None = None, **more: str) -> str:
        """Run git in it."""
        done = subprocess.run(
            ("git", *words), cwd=cwd or self.path, input=given, capture_output=True, check=False,
            env={**os.environ, **WHO, **more},
        )  # fmt: skip
        assert not done.returncode, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def put(self, name: str, text: str | bytes) -> None:
        """Write a file."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, words: str = "Change") -> str:
        """Commit everything; each commit is a day later."""
        self.commits += 1
        moment = f"2026-01-{self.commits:02}T12:00:00Z"
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", words, GIT_AUTHOR_DATE=moment, GIT_COMMITTER_DATE=moment)
        return self.git("rev-parse", "HEAD")


class _Backend(BaseHTTPRequestHandler):
    """Answers by `git http-backend`."""

    folder: Path
    locked: bool
    log: list[str]

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes) -> None:
        self.log.append(f"{self.command} {self.path}")
        if self.locked and self.headers.get("Authorization") != f"Basic {LOGIN}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.end_headers()
            return
        if self.path.startswith("/moved"):
            self.send_response(301)
            self.send_header("Location", self.path.replace("/moved", "/repo"))
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        done = subprocess.run(
            ("git", "http-backend"), input=body, capture_output=True, check=True,
            env={**os.environ, **WHO, "GIT_PROJECT_ROOT": str(self.folder), "GIT_HTTP_EXPORT_ALL": "1",
                 "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
                 "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                 "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                 "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")},
        )  # fmt: skip
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(fields.pop("Status", "200").split()[0]))
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path, *, locked: bool = False) -> Iterator[tuple[str, list[str]]]:
    """Serve the repositories of a folder; yields the address and the log of requests."""
    log: list[str] = []
    handler = type("Backend", (_Backend,), {"folder": folder, "locked": locked, "log": log})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", log
        finally:
            server.shutdown()
            thread.join()
