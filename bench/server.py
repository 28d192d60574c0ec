"""Who serves the corpus?

nginx, one process in the foreground under our own user, from the PATH or from a package unpacked in the cache: files
with ETag and Last-Modified, no gzip (so that every crawler moves the same bytes), every request logged as one line of
JSON in a log of its own a phase.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.corpus import Corpus
from bench.debian import Packages
from bench.places import REAPER, RUN

_LIBRARIES = ("libpcre2-8-0", "libssl3", "libssl3t64", "zlib1g", "libcrypt1")
_START_S = 10.0
_STOP_S = 10.0

_MAIN = """\
daemon off;
master_process off;
pid {run}/nginx.pid;
error_log {run}/nginx-error.log warn;
events {{ worker_connections 512; }}
http {{
  types {{
    text/html html htm; application/xhtml+xml xhtml; text/css css; text/plain txt; application/javascript js;
    application/json json; text/xml xml; image/png png; image/svg+xml svg; image/gif gif; image/jpeg jpg jpeg;
    application/pdf pdf; application/zip zip; application/gzip gz;
  }}
  default_type application/octet-stream;
  log_format judge escape=json '{{"at":$msec,"took":$request_time,"host":"$server_addr","method":"$request_method",'
    '"target":"$request_uri","status":$status,"etag":"$http_if_none_match","since":"$http_if_modified_since",'
    '"bytes":$body_bytes_sent,"type":"$sent_http_content_type","agent":"$http_user_agent"}}';
  access_log {log} judge;
  sendfile on;
  tcp_nopush on;
  etag on;
  gzip off;
  absolute_redirect on;
  keepalive_timeout 120s;
  keepalive_requests 1000000;
  client_body_temp_path {run}/temp/body;
  proxy_temp_path {run}/temp/proxy;
  fastcgi_temp_path {run}/temp/fastcgi;
  uwsgi_temp_path {run}/temp/uwsgi;
  scgi_temp_path {run}/temp/scgi;
"""

_HOST = """\
  server {{
    listen {address}:{port};
    server_name {address};
    root "{root}";
    location = / {{ root "{front}"; try_files /index.html =404; }}
    location = /robots.txt {{ root "{front}"; }}
    location /private/ {{ root "{front}"; }}
  }}
"""


class NoServer(Exception):
    """nginx could not be started: install it, or see the error log named here."""


@contextmanager
def serving(corpus: Corpus, log: Path) -> Iterator[None]:
    """Serve the corpus while the block runs, and log its requests; every line is written when it ends."""
    command, environment = _nginx()
    config = RUN / "nginx.conf"
    (RUN / "temp").mkdir(parents=True, exist_ok=True)
    config.write_text(_configuration(corpus, log), encoding="utf-8")
    log.unlink(missing_ok=True)
    errors = RUN / "nginx-error.log"
    # The reaper ends with us, however we end, and nginx with it.
    guarded = [sys.executable, "-I", "-S", str(REAPER), str(RUN / "nginx.json"), "0"]
    process = subprocess.Popen(
        [*guarded, command, "-p", str(RUN), "-e", str(errors), "-c", str(config)],
        env=environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _await_start(process, corpus, errors)
        yield
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    """A port that nobody listens on, so that no other crawl here strays into the log."""
    with socket.socket() as probe:
        probe.bind(("127.0.1.1", 0))
        return int(probe.getsockname()[1])


def version() -> str:
    """The server's name and version."""
    command, environment = _nginx()
    done = subprocess.run([command, "-v"], env=environment, capture_output=True, text=True, check=False)
    return done.stderr.strip().rpartition(" ")[2] or "nginx"


def _configuration(corpus: Corpus, log: Path) -> str:
    hosts = "".join(
        _HOST.format(address=host.address, port=corpus.port, root=host.root, front=host.front) for host in corpus.hosts
    )
    return _MAIN.format(run=RUN, log=log) + hosts + "}\n"


def _await_start(process: subprocess.Popen[bytes], corpus: Corpus, errors: Path) -> None:
    """Wait until the last host answers; a port that another process holds makes nginx end."""
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with socket.create_connection((corpus.hosts[-1].address, corpus.port), timeout=1):
                pass
        except OSError:
            time.sleep(0.05)
            continue
        time.sleep(0.05)
        if process.poll() is None:
            return
    raise NoServer(f"nginx does not serve on port {corpus.port}; see {errors}, or choose another --port")


def _nginx() -> tuple[str, dict[str, str]]:
    """The nginx to run and its environment."""
    environment = dict(os.environ)
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if found:
        return found, environment
    packages = Packages()
    tree = packages.tree("nginx")
    binary = tree / "usr/sbin/nginx" if tree else None
    if binary is None or not binary.is_file():
        raise NoServer("there is no nginx on the PATH and its package cannot be downloaded: install nginx")
    if not _runs(binary, environment):
        folders = [
            folder for name in _LIBRARIES if (tree := packages.tree(name)) for folder in tree.glob("**/*-linux-*")
        ]
        environment["LD_LIBRARY_PATH"] = ":".join(str(folder) for folder in folders)
        if not _runs(binary, environment):
            raise NoServer(f"{binary} does not run on this machine: install nginx")
    return str(binary), environment


def _runs(binary: Path, environment: dict[str, str]) -> bool:
    return subprocess.run([binary, "-v"], env=environment, capture_output=True, check=False).returncode == 0
