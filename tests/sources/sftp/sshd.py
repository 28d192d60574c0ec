"""An OpenSSH server of a test, on a port and with keys of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.sources.remote.listing import free_port, started

CONFIGURATION = """Port {port}
ListenAddress 127.0.0.1
HostKey {state}/host
AuthorizedKeysFile {state}/user.pub
StrictModes no
Subsystem sftp internal-sftp
PidFile none
UsePAM no
PermitRootLogin yes
"""


class Sshd:
    """Where it listens, its process, and the keys."""

    def __init__(self, port: int, state: Path, number: int) -> None:
        self.port, self.number, self.key = port, number, (state / "user").read_text()
        said = subprocess.run(
            ["ssh-keygen", "-lf", str(state / "host.pub")], capture_output=True, text=True, check=True
        )
        self.fingerprint = said.stdout.split()[1]

    def settings(self, folder: Path, **more: object) -> dict[str, Any]:
        return {
            "url": f"sftp://127.0.0.1:{self.port}{folder}", "user": "root", "private_key": "secret:k",
            "host_key": [self.fingerprint], "per_host": 2, **more,
        }  # fmt: skip


@contextmanager
def sshd(state: Path, port: int = 0) -> Iterator[Sshd]:
    """Run a server, with the keys of before. Skips where OpenSSH is not installed, or the account is not root."""
    pytest.importorskip("paramiko")
    daemon = shutil.which("sshd", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if daemon is None or os.geteuid() != 0:
        pytest.skip("sshd is not installed, or not started by root")
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    for name in ("host", "user") if not (state / "user").exists() else ():
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(state / name)], check=True)
    port = port or free_port()
    (state / "sshd_config").write_text(CONFIGURATION.format(port=port, state=state))
    with started([daemon, "-D", "-e", "-f", str(state / "sshd_config")], port, state / "out") as process:
        yield Sshd(port, state, process.pid)
