"""Tika servers on loopback: real ones of what `make tika` has fetched, and a small one in Python (`small`)."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.clocks import HANG_S

HERE = Path(__file__).parent
PARTS = HERE.parents[1] / "build" / "tika"
JAR = "CORMORANT_TIKA_JAR"
"""Names a jar of tika-server-standard that somebody has, to be tried as well."""
_JVM = ("java", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def servers() -> dict[str, list[str]]:
    """The servers that can be started here: name -> command, which a port is to follow."""
    found: dict[str, list[str]] = {}
    given = os.environ.get(JAR)
    for jar in (*(PARTS / "server").glob("tika-server*.jar"), *([Path(given)] if given else [])):
        found[jar.stem] = [*_JVM, "-jar", str(jar.absolute()), "--host", "127.0.0.1", "--port"]
    if any((PARTS / "parsers").glob("tika-core-*.jar")):
        found["parsers"] = [*_JVM, "-cp", f"{PARTS / 'parsers'}/*", str(HERE / "parsers" / "Engine.java")]
    return found


@contextmanager
def started(command: Sequence[str], folder: Path) -> Iterator[str]:
    """A server, at the address that is given. It ends with the block."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with (folder / "tika.log").open("w+") as log:
        process = subprocess.Popen([*command, str(port)], cwd=folder, stdin=subprocess.PIPE, stdout=log, stderr=log)
        try:
            _await(url, process, folder / "tika.log")
            yield url
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(HANG_S)
            process.kill()
            process.wait()
            if process.stdin is not None:
                process.stdin.close()


def _await(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + HANG_S
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()[-2000:]
        with suppress(URLError, ConnectionError), urlopen(f"{url}/version", timeout=5):
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text()[-2000:])
