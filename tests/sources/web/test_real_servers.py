"""The same against servers that people run: nginx with passwords and certificates, squid with a login.

`make servers` installs them where it may, and runs this.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trustme

from cormorant.model.content import Content
from tests.clocks import HANG_S
from tests.journeys.proofs import record
from tests.net.http.servers import run
from tests.sources.web.farm import Authority, visiting

pytestmark = pytest.mark.server
PROOF = "real servers"
PASSWORD = "canary-4713"
NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port} ssl; server_name home.test;
    ssl_certificate {folder}/server.pem; ssl_certificate_key {folder}/server.pem;
    ssl_client_certificate {folder}/ca.pem; ssl_verify_client optional;
    root {folder}/pages;
    location /basic/ {{ auth_basic "x"; auth_basic_user_file {folder}/users; }}
    location /shown/ {{ if ($ssl_client_verify != SUCCESS) {{ return 403; }} }}
  }}
}}
"""
SQUID = """
http_port 127.0.0.4:{port}
hosts_file {folder}/hosts
pid_filename {folder}/squid.pid
access_log stdio:{folder}/squid.log
cache_log {folder}/cache.log
cache deny all
coredump_dir {folder}
auth_param basic program {ncsa} {folder}/users
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
shutdown_lifetime 0 seconds
"""


class Servers(NamedTuple):
    """An nginx and a squid."""

    folder: Path
    authority: Authority
    origin: str
    proxy: str


def found(name: str, *places: str) -> str:
    """Where a program is; skips when it is not, and leaves word of that."""
    path = shutil.which(name, path=":".join(("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/lib/squid", *places)))
    if path is None:
        record(PROOF, {}, {"all of it": f"{name} is not installed"})
        pytest.skip(f"{name} is not installed")
    return path


def free_port(host: str) -> int:
    with closing(socket.socket()) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


@contextmanager
def started(command: list[str], host: str, port: int, log: Path) -> Iterator[None]:
    """Have a server listen for the length of a block."""
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until and process.poll() is None:
            with suppress(OSError), closing(socket.create_connection((host, port), 1)):
                break
            time.sleep(0.05)
        assert process.poll() is None, log.read_text()
        yield
    finally:
        process.terminate()
        process.wait(HANG_S)


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    nginx, squid, ncsa, htpasswd = found("nginx"), found("squid"), found("basic_ncsa_auth"), found("htpasswd")
    folder = Path(tempfile.mkdtemp(prefix="cormorant-servers-"))  # squid lets go of root, and could not enter pytest's
    folder.chmod(0o755)
    authority = Authority(trustme.CA(), folder)
    authority.ca.issue_cert("home.test").private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    _ = authority.file
    subprocess.run([htpasswd, "-bcm", str(folder / "users"), "anna", PASSWORD], check=True, capture_output=True)
    (folder / "users").chmod(0o644)
    (folder / "hosts").write_text("127.0.0.1 home.test\n")
    for part in ("basic", "shown", "open"):
        (folder / "pages" / part).mkdir(parents=True)
        (folder / "pages" / part / "index.html").write_text("<title>In</title><p>words</p>")
    web, way = free_port("127.0.0.1"), free_port("127.0.0.4")
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=web))
    (folder / "squid.conf").write_text(SQUID.format(folder=folder, port=way, ncsa=ncsa))
    serve = started([nginx, "-c", str(folder / "nginx.conf")], "127.0.0.1", web, folder / "nginx.out")
    relay = started([squid, "-N", "-f", str(folder / "squid.conf")], "127.0.0.4", way, folder / "squid.out")
    if os.geteuid() == 0:
        folder.chmod(0o777)  # for the account that squid becomes
    with serve, relay:
        yield Servers(folder, authority, f"https://home.test:{web}", f"http://proxy.test:{way}")
    shutil.rmtree(folder)


def ends(servers: Servers, path: str, **given: Any) -> Any:
    """What a visit ends as."""

    async def work() -> Any:
        told = {"start": [servers.origin], "ca": [servers.authority.file], **given}
        async with visiting({"p": PASSWORD, "wrong": "wrong"}, **told) as visitor:
            return await visitor.visit(servers.origin + path)

    return run(work())


def prove(servers: Servers, name: str, visits: Sequence[tuple[str, dict[str, Any], int]]) -> None:
    """Have visits (a path, what is set, the status it must end with) end so, and leave figures of it.

    No secret may stand in the servers' own records.
    """
    ended = [ends(servers, path, **given) for path, given, _ in visits]
    statuses = [200 if isinstance(each, Content) else each.status for each in ended]
    kept = [path for path in servers.folder.glob("*.log") if PASSWORD in path.read_text()]
    right = sum(said == wanted for said, (*_, wanted) in zip(statuses, visits, strict=True))
    record(PROOF, {"visits": len(visits), "ended as they must": right, "leaked": len(kept)}, part=name)
    assert statuses == [wanted for *_, wanted in visits], ended
    assert kept == []


def test_nginx_and_a_password(servers: Servers) -> None:
    right, wrong = (f"{servers.origin}/basic basic anna secret:{name}" for name in ("p", "wrong"))
    prove(servers, "nginx and a password", [
        ("/basic/", {"credentials": [right]}, 200),
        ("/basic/", {"credentials": [wrong]}, 401),
        ("/basic/", {}, 401),
    ])  # fmt: skip


def test_nginx_and_a_certificate(servers: Servers) -> None:
    shown = f"{servers.origin} {servers.authority.client()}"
    prove(servers, "nginx and a certificate", [
        ("/shown/", {"client_certificate": [shown]}, 200),
        ("/shown/", {}, 403),
        ("/open/", {"ca": []}, 976),
    ])  # fmt: skip


def test_squid_and_a_login(servers: Servers) -> None:
    log = servers.folder / "squid.log"
    before = log.read_text() if log.exists() else ""
    prove(servers, "squid and a login", [
        ("/open/", {"proxy": servers.proxy, "proxy_login": "anna secret:p"}, 200),
        ("/open/", {"proxy": servers.proxy, "proxy_login": "anna secret:wrong"}, 407),
        ("/open/", {"proxy": servers.proxy}, 407),
    ])  # fmt: skip
    assert "CONNECT home.test:" in log.read_text()[len(before) :]
