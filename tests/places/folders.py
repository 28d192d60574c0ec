"""Folders: of this machine, and of real servers over SFTP, SMB, WebDAV and FTP."""

from __future__ import annotations

import os
import platform
import pwd
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cormorant.testing import Commands, CrawlPlace
from tests.sources.ftp import ftp_server
from tests.sources.remote.listing import free_port
from tests.sources.sftp import ssh_server
from tests.sources.sftp.sshd import sshd
from tests.sources.smb.samba import PASSWORD as SAMBA_PASSWORD, samba
from tests.sources.webdav import dav_server

STRANGERS = ("daemon", "bin", "sys", "games", "man")
"""Accounts that every Debian has, as readers of files."""


def _children(number: int) -> Iterator[int]:
    """Return the processes that a process has started, and those that these have."""
    path = Path(f"/proc/{number}/task/{number}/children")
    for each in path.read_text().split() if path.exists() else ():
        yield int(each)
        yield from _children(int(each))


class FolderPlace(CrawlPlace):
    """Files of a folder of this machine."""

    kind = "files"
    renames = True
    path: Path

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Choose where the folder is."""
        self.path = folder / "place"
        self.path.mkdir()
        yield

    def counterpart(self) -> str:
        """Name the system."""
        return f"{platform.system()} {platform.release().partition('-')[0]}"

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        return {"path": self.path}

    def put(self, name: str, word: str) -> None:
        """Write a file."""
        path = self.file(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"The text has {word}.")

    def remove(self, name: str) -> None:
        """Delete a file."""
        self.file(name).unlink()

    def rename(self, name: str, other: str) -> None:
        """Rename a file."""
        path = self.file(other)
        path.parent.mkdir(exist_ok=True)
        self.file(name).rename(path)

    def file(self, name: str) -> Path:
        """Return where a document is; many are in a folder for each hundred."""
        number = name.removeprefix("many")
        folder = self.path / f"part{int(number) // 100}" if number != name else self.path
        return folder / f"{name}.txt"

    def url(self, name: str) -> str:
        """Return its address."""
        return f"{self.base()}/{self.file(name).relative_to(self.path)}"

    def base(self) -> str:
        """Return the address of the folder."""
        return f"file://{self.path}"

    def take_away(self) -> None:
        """Rename the folder."""
        self.path.rename(self.path.with_name("away"))

    def bring_back(self) -> None:
        """Rename it back."""
        self.path.with_name("away").rename(self.path)


class OwnedFolderPlace(FolderPlace):
    """The same, where the mode of a file says who finds it; for an account that may give files to others."""

    restricts = True

    def settings(self) -> Mapping[str, object]:
        """Have the modes count."""
        return {**super().settings(), "owner_grants": "true"}

    def readers(self, number: int) -> Sequence[str]:
        """Everyone, or the owner alone."""
        return ("everyone",) if number == 0 else (f"user:{STRANGERS[number % len(STRANGERS)]}",)

    def allow(self, name: str, readers: Sequence[str]) -> None:
        """Give a file to another account, for it alone, or open it."""
        mode, owner = (0o644, 0) if "everyone" in readers else (0o600, pwd.getpwnam(readers[0][5:]).pw_uid)
        os.chown(self.file(name), owner, 0)
        self.file(name).chmod(mode)


class ServedFolder(FolderPlace):
    """A folder that a server gives, to an account whose password is a secret."""

    password = ssh_server.PASSWORD
    secret = "p"
    server: Any

    @contextmanager
    def opened(self, folder: Path) -> Iterator[None]:
        """Serve a folder."""
        with super().opened(folder), ExitStack() as self._running:
            self.state, self.port = folder / "state", free_port()
            self.state.mkdir()
            self.start()
            yield

    def serving(self) -> AbstractContextManager[Any]:
        """Return the server, to be entered."""
        raise NotImplementedError

    def start(self) -> None:
        """Start the server."""
        self.server = self._running.enter_context(self.serving())

    def stop(self) -> None:
        """End it."""
        self._running.close()

    def prepare(self, commands: Commands) -> None:
        """Keep the password."""
        commands.run("secret", "add", self.secret, given=self.password)

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        settings: Mapping[str, object] = self.server.settings(url=self.base())
        return settings


class SftpPlace(ServedFolder):
    """Files of OpenSSH, each in a folder of its own; signs in with a key."""

    kind = "sftp"
    secret = "k"

    def serving(self) -> AbstractContextManager[Any]:
        """Run sshd."""
        return sshd(self.state, self.port)

    def start(self) -> None:
        """Start it, and take its key."""
        super().start()
        self.password = self.server.key

    def stop(self) -> None:
        """End it and its sessions, which would outlive it."""
        sessions = list(_children(self.server.number))
        super().stop()
        for each in sessions:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    def counterpart(self) -> str:
        """Ask for its version."""
        said = subprocess.run(["ssh", "-V"], capture_output=True, text=True, check=True).stderr
        return said.partition(" ")[0].replace("_", " ").rstrip(",")

    def settings(self) -> Mapping[str, object]:
        """Name the folder and the host key."""
        settings: Mapping[str, object] = self.server.settings(self.path)
        return settings

    def base(self) -> str:
        """Return the address of the folder."""
        return f"sftp://127.0.0.1:{self.port}{self.path}"


class ParamikoPlace(ServedFolder):
    """Files of paramiko's server."""

    kind = "sftp"

    def serving(self) -> AbstractContextManager[Any]:
        """Run it."""
        return ssh_server.ssh_server(self.path.parent, self.port)

    def counterpart(self) -> str:
        """Name the library."""
        return f"paramiko {version('paramiko')}"

    def base(self) -> str:
        """Return the address of the folder."""
        return f"{self.server.url}place"

    def file(self, name: str) -> Path:
        """Return where a document is: in a folder of its own."""
        return self.path / name / "text.txt"


class SmbPlace(ServedFolder):
    """Files of Samba."""

    kind = "smb"
    password = SAMBA_PASSWORD

    def serving(self) -> AbstractContextManager[Any]:
        """Run smbd."""
        return samba(self.path.parent, self.state, self.port)

    def counterpart(self) -> str:
        """Ask for its version."""
        said = subprocess.run(["smbd", "--version"], capture_output=True, text=True, check=True).stdout
        return f"Samba {said.split()[1].partition('-')[0]}"

    def base(self) -> str:
        """Return the address of the folder."""
        return f"{self.server.url}/place"


class WebDavPlace(ServedFolder):
    """Files of WsgiDAV."""

    kind = "webdav"
    password = dav_server.PASSWORD

    def serving(self) -> AbstractContextManager[Any]:
        """Run it."""
        return dav_server.dav_server(self.path.parent, port=self.port)

    def counterpart(self) -> str:
        """Name the library."""
        return f"WsgiDAV {version('wsgidav')}"

    def settings(self) -> Mapping[str, object]:
        """Name the folder."""
        return {"url": f"{self.base()}/", "user": dav_server.USER, "password": "secret:p"}

    def base(self) -> str:
        """Return the address of the folder."""
        return f"{self.server.url}/place"

    def take_away(self) -> None:
        """Have the server answer 503."""
        self.server.away = True

    def bring_back(self) -> None:
        """Have it answer again."""
        self.server.away = False


class FtpPlace(ServedFolder):
    """Files of pyftpdlib."""

    kind = "ftp"
    password = ftp_server.PASSWORD

    def serving(self) -> AbstractContextManager[Any]:
        """Run it."""
        return ftp_server.ftp_server(self.path.parent, port=self.port)

    def counterpart(self) -> str:
        """Name the library."""
        return f"pyftpdlib {version('pyftpdlib')}"

    def base(self) -> str:
        """Return the address of the folder."""
        return f"{self.server.url}place"
