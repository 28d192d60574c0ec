"""A Dovecot of Debian on a free port, with its mail in a folder of a test."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from imaplib import IMAP4
from pathlib import Path
from typing import NamedTuple

import pytest
import trustme

from tests.clocks import HANG_S

PASSWORD = 'canary \\ "4711" ü'
CONFIG = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = yes
ssl_cert = <{folder}/server.pem
ssl_key = <{folder}/server.pem
disable_plaintext_auth = no
default_internal_user = {internal}
default_login_user = {login}
default_internal_group = {group}
first_valid_uid = 1
mail_location = maildir:{folder}/mail
mail_max_userip_connections = 20
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
  }}
}}
service anvil {{
  chroot =
}}
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {folder}/users
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/home
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Trash {{
    special_use = \\Trash
  }}
}}
"""


class Dovecot(NamedTuple):
    """A server: its ports, its Maildir, its authority, its process."""

    port: int
    tls_port: int
    folder: Path
    ca: Path
    process: subprocess.Popen[bytes]

    @property
    def mail(self) -> Path:
        """The Maildir of the account `ada`."""
        return self.folder / "mail"

    def put(self, name: str, message: bytes, place: str = "") -> Path:
        """Deliver a message to a folder, under a unique name."""
        folder = self.mail / place if place else self.mail
        for each in ("cur", "new", "tmp"):
            (folder / each).mkdir(parents=True, exist_ok=True)
        before = folder / "tmp" / name
        before.write_bytes(message)
        after = folder / "new" / name
        before.rename(after)
        own(folder)
        return after


def own(folder: Path) -> None:
    """Give a folder to the account that Dovecot reads it as."""
    if os.geteuid() == 0:
        user = pwd.getpwnam("nobody")
        for each in (folder, *folder.rglob("*")):
            with suppress(FileNotFoundError):
                os.chown(each, user.pw_uid, user.pw_gid)


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextmanager
def dovecot(folder: Path) -> Iterator[Dovecot]:
    """Run a server; skips the test where none is installed."""
    program = shutil.which("dovecot", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if program is None:
        pytest.skip("Dovecot is not installed; make servers installs it")
    root = os.geteuid() == 0
    user = pwd.getpwnam("nobody") if root else pwd.getpwuid(os.geteuid())
    for each in ("mail", "home", "run", "state"):
        (folder / each).mkdir(exist_ok=True)
    folder.chmod(0o755)
    for above in folder.parents:
        if above.stat().st_uid == os.geteuid() and above != Path("/"):
            above.chmod(above.stat().st_mode | 0o111)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    authority.issue_cert("localhost", "127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
        str(folder / "server.pem")
    )
    (folder / "users").write_text(f"ada:{{PLAIN}}{PASSWORD}\n")
    port, tls_port = free_port(), free_port()
    config = folder / "dovecot.conf"
    names = ("dovecot", "dovenull", "dovecot") if root else (user.pw_name,) * 3
    config.write_text(
        CONFIG.format(
            folder=folder, port=port, tls_port=tls_port, uid=user.pw_uid, gid=user.pw_gid, internal=names[0],
            login=names[1], group=names[2] if root else _group(),
        )
    )  # fmt: skip
    own(folder / "mail")
    own(folder / "home")
    process = subprocess.Popen([program, "-F", "-c", str(config)], start_new_session=True)
    try:
        wait_for(port, process, folder)
        yield Dovecot(port, tls_port, folder, folder / "ca.pem", process)
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        process.wait(HANG_S)


def _group() -> str:
    import grp

    return grp.getgrgid(os.getegid()).gr_name


def wait_for(port: int, process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait until a server lets its user sign in: it listens before its other processes have begun."""
    until = time.monotonic() + HANG_S
    while time.monotonic() < until:
        with suppress(OSError, IMAP4.error), IMAP4("127.0.0.1", port, 10.0) as connection:
            connection.authenticate("PLAIN", lambda _: f"\0ada\0{PASSWORD}".encode())
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    log = folder / "dovecot.log"
    pytest.fail(f"Dovecot lets nobody in: {log.read_text() if log.exists() else 'no log'}")
