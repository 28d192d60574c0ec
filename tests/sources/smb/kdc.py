"""A Kerberos domain of a test: a controller of MIT Kerberos on a port of its own, with a user and a file server."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sources.remote.listing import free_port, started
from tests.sources.smb.samba import PASSWORD, Extra

REALM = "FILES.EXAMPLE"
USER = f"ada@{REALM}"
SERVER = "localhost"
FAKE_CLOCK = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
OF_CLIENTS = """[libdefaults]
 default_realm = {realm}
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
 default_client_keytab_name = FILE:{folder}/client.keytab
[realms]
 {realm} = {{
  kdc = 127.0.0.1:{port}
 }}
 AWAY.EXAMPLE = {{
  kdc = 127.0.0.1:{closed}
 }}
"""
OF_CONTROLLER = """[kdcdefaults]
 kdc_listen = 127.0.0.1:{port}
 kdc_tcp_listen = 127.0.0.1:{port}
[realms]
 {realm} = {{
  database_name = {folder}/principal
  key_stash_file = {folder}/stash
  acl_file = {folder}/acl
  disable_pac = true
  supported_enctypes = aes256-cts-hmac-sha1-96:normal
 }}
"""


class KerberosDomain:
    """A domain whose user `ada` has the password of the Samba of a test, and whose server is localhost."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder, self.environment = folder, {**environment, "KRB5CCNAME": f"FILE:{folder}/tickets"}

    def samba(self, **environment: str) -> Extra:
        """Return the lines of a stand-alone Samba that takes tickets; to it the user is root."""
        users = self.folder / "users"
        users.write_text(f'root = "FILES\\ada" {USER}\n')
        lines = (
            f"realm = {REALM}", "workgroup = FILES", "kerberos method = dedicated keytab",
            f"dedicated keytab file = FILE:{self.folder}/server.keytab", f"username map = {users}",
        )  # fmt: skip
        return Extra(lines, environment={**self.environment, **environment})

    def ask(self, question: str) -> None:
        """Have the administration of the domain do something."""
        self._run("kadmin.local", "-q", question)

    def ticket(self, lifetime: str = "1h", user: str = USER) -> None:
        """Get a ticket into the cache of the account."""
        self._run("kinit", "-l", lifetime, user, given=PASSWORD)

    def _run(self, *command: str, given: str = "") -> None:
        paths = "/usr/sbin:/usr/bin:/usr/local/sbin"
        program = shutil.which(command[0], path=paths) or command[0]
        environment = {**os.environ, **self.environment}
        subprocess.run(
            [program, *command[1:]], input=given, env=environment, text=True, capture_output=True, check=True
        )


@contextmanager
def kerberos_domain(folder: Path) -> Iterator[KerberosDomain]:
    """Run a domain. Skips where MIT Kerberos or its packages for Python are not there."""
    for name in ("gssapi", "krb5"):
        pytest.importorskip(name)
    controller = shutil.which("krb5kdc", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if controller is None or shutil.which("kinit") is None:
        pytest.skip("krb5kdc is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    words = {"folder": folder, "port": port, "realm": REALM, "closed": free_port()}
    files = {"KRB5_CONFIG": "krb5.conf", "KRB5_KDC_PROFILE": "kdc.conf"}
    (folder / "krb5.conf").write_text(OF_CLIENTS.format(**words))
    (folder / "kdc.conf").write_text(OF_CONTROLLER.format(**words))
    domain = KerberosDomain(folder, {name: str(folder / file) for name, file in files.items()})
    domain._run("kdb5_util", "create", "-s", "-r", REALM, "-P", "of the test")
    domain.ask(f'addprinc -pw "{PASSWORD}" ada')
    domain.ask(f"addprinc -randkey cifs/{SERVER}")
    domain.ask(f"ktadd -k {folder}/server.keytab cifs/{SERVER}")
    with started([controller, "-n"], port, folder / "out", environment=domain.environment):
        yield domain
