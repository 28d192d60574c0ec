"""An SSH server of a test: paramiko's on loopback, with the files of a folder, that can be told to fail."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

USER, PASSWORD = "ada", "right one"


class SshServer:
    """Serves a folder to one user, by password or key. `fault` is asked for the answer to a request, None for none."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        paramiko = self.paramiko = pytest.importorskip("paramiko")
        import logging

        logging.getLogger("paramiko").setLevel(logging.CRITICAL + 1)
        self.folder = folder
        self.host_key = paramiko.RSAKey.generate(2048)
        self.user_key: Any = None
        self.fault: Callable[[str, str], int | None] = lambda _what, _path: None
        self.logins = 0
        self._transports: list[Any] = []
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port = int(self._socket.getsockname()[1])
        self._thread = Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"sftp://127.0.0.1:{self.port}/"

    @property
    def fingerprint(self) -> str:
        return str(self.host_key.fingerprint)

    def settings(self, **more: object) -> dict[str, Any]:
        return {
            "url": self.url, "user": USER, "password": "secret:p", "host_key": [self.fingerprint], "per_host": 2, **more
        }  # fmt: skip

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()
        for each in self._transports:
            each.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            transport = self.paramiko.Transport(client)
            transport.add_server_key(self.host_key)
            transport.set_subsystem_handler("sftp", self.paramiko.SFTPServer, _files(self))
            self._transports.append(transport)
            with suppress(Exception):
                transport.start_server(server=_login(self))


def _login(server: SshServer) -> Any:
    paramiko = server.paramiko

    class Login(paramiko.ServerInterface):  # type: ignore[misc, name-defined]
        def check_auth_password(self, username: str, password: str) -> int:
            server.logins += 1
            return int(paramiko.AUTH_SUCCESSFUL if (username, password) == (USER, PASSWORD) else paramiko.AUTH_FAILED)

        def check_auth_publickey(self, username: str, key: Any) -> int:
            known = server.user_key is not None and key == server.user_key
            return int(paramiko.AUTH_SUCCESSFUL if known and username == USER else paramiko.AUTH_FAILED)

        def get_allowed_auths(self, username: str) -> str:
            return "password,publickey"

        def check_channel_request(self, kind: str, chanid: int) -> int:
            return int(paramiko.OPEN_SUCCEEDED)

    return Login()


def _files(server: SshServer) -> Any:  # noqa: C901 - a class of small methods, whose base is not always installed
    paramiko = server.paramiko

    class Files(paramiko.SFTPServerInterface):  # type: ignore[misc, name-defined]
        def _at(self, path: str) -> str:
            return f"{server.folder}/{path.lstrip('/')}"

        def _done(self, what: str, path: str, act: Callable[[str], Any]) -> Any:
            fault = server.fault(what, path)
            if fault is not None:
                return fault
            try:
                return act(self._at(path))
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno)

        def list_folder(self, path: str) -> Any:
            return self._done("list", path, self._list)

        def _list(self, at: str) -> Any:
            out = []
            for entry in os.scandir(at):
                said = paramiko.SFTPAttributes.from_stat(entry.stat(follow_symlinks=False), entry.name)
                out.append(said)
            return out

        def stat(self, path: str) -> Any:
            return self._done("stat", path, lambda at: paramiko.SFTPAttributes.from_stat(Path(at).stat()))

        def lstat(self, path: str) -> Any:
            return self._done("lstat", path, lambda at: paramiko.SFTPAttributes.from_stat(Path(at).lstat()))

        def canonicalize(self, path: str) -> str:
            real = os.path.realpath(self._at(path))
            root = os.path.realpath(server.folder)
            return real.removeprefix(root) or "/" if real.startswith(root) else f"/outside{real}"

        def open(self, path: str, flags: int, attr: Any) -> Any:
            return self._done("open", path, self._opened)

        def _opened(self, at: str) -> Any:
            handle = paramiko.SFTPHandle(os.O_RDONLY)
            if Path(at).is_dir():
                return paramiko.SFTP_FAILURE
            handle.readfile = Path(at).open("rb")  # noqa: SIM115 - paramiko closes it
            handle.stat = lambda: paramiko.SFTPAttributes.from_stat(os.fstat(handle.readfile.fileno()))
            return handle

    return Files


@contextmanager
def ssh_server(folder: Path, port: int = 0) -> Iterator[SshServer]:
    server = SshServer(folder, port)
    try:
        yield server
    finally:
        server.close()
