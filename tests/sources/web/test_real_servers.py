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
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import trustme

from cormorant.model.content import Content
from tests.fetch.servers import run
from tests.sources.web.farm import Authority, visiting

pytestmark = pytest.mark.server
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
    """Where a program is; skips when it is not."""
    path = shutil.which(name, path=":".join(("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/lib/squid", *places)))
    if path is None:
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
        process.wait(20)


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


def test_nginx_and_a_password(servers: Servers) -> None:
    right, wrong = (f"{servers.origin}/basic basic anna secret:{name}" for name in ("p", "wrong"))
    assert isinstance(ends(servers, "/basic/", credentials=[right]), Content)
    assert ends(servers, "/basic/", credentials=[wrong]).status == 401
    assert ends(servers, "/basic/").status == 401


def test_nginx_and_a_certificate(servers: Servers) -> None:
    shown = f"{servers.origin} {servers.authority.client()}"
    assert isinstance(ends(servers, "/shown/", client_certificate=[shown]), Content)
    assert ends(servers, "/shown/").status == 403
    assert ends(servers, "/open/", ca=[]).status == 976


def test_squid_and_a_login(servers: Servers) -> None:
    before = (servers.folder / "squid.log").read_text() if (servers.folder / "squid.log").exists() else ""
    said = ends(servers, "/open/", proxy=servers.proxy, proxy_login="anna secret:p")
    assert isinstance(said, Content), said
    assert ends(servers, "/open/", proxy=servers.proxy, proxy_login="anna secret:wrong").status == 407
    assert ends(servers, "/open/", proxy=servers.proxy).status == 407
    assert "CONNECT home.test:" in (servers.folder / "squid.log").read_text()[len(before) :]
    assert PASSWORD not in (servers.folder / "access.log").read_text()
