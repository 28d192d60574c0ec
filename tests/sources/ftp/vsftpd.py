"""A vsftpd of a test: it has no MLSD, and wants data connections to go on with the TLS session of the control one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.sources.remote.listing import free_port, started

USER, PASSWORD = "anonymous", "ada@example.org"
"""Its only user without the accounts of the machine; it takes the passwords of a list."""
CONFIGURATION = """listen=YES
listen_ipv6=NO
listen_address=127.0.0.1
listen_port={port}
background=NO
anonymous_enable=YES
anon_root={folder}
anon_world_readable_only=NO
ftp_username=ftp
secure_email_list_enable=YES
email_password_file={state}/passwords
secure_chroot_dir={state}/empty
vsftpd_log_file={state}/log
xferlog_enable=YES
use_localtime=NO
seccomp_sandbox=NO
ssl_enable={tls}
allow_anon_ssl=YES
force_anon_logins_ssl={tls}
force_anon_data_ssl={tls}
rsa_cert_file={certificate}
require_ssl_reuse=YES
max_per_ip={most}
"""


class Vsftpd:
    """Where it listens."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"ftp://127.0.0.1:{port}/"

    def settings(self, **more: object) -> dict[str, Any]:
        return {"url": self.url, "user": USER, "password": "secret:p", "per_host": 2, **more}


@contextmanager
def vsftpd(
    folder: Path, state: Path, *, certificate: Path | None = None, port: int = 0, most: int = 0
) -> Iterator[Vsftpd]:
    """Serve a folder, by TLS alone where there is a certificate. Skips where vsftpd is not there, or without root."""
    daemon = shutil.which("vsftpd", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if daemon is None or os.geteuid() != 0:
        pytest.skip("vsftpd is not installed, or not started by root")
    port = port or free_port()
    (state / "empty").mkdir(parents=True, exist_ok=True)
    (state / "passwords").write_text(f"{PASSWORD}\n")
    words = {"tls": "YES" if certificate else "NO", "certificate": certificate or "", "most": most}
    configuration = state / "vsftpd.conf"
    configuration.write_text(CONFIGURATION.format(port=port, folder=folder, state=state, **words))
    with started([daemon, str(configuration)], port, state / "out"):
        yield Vsftpd(port)
