"""A real OpenSearch on loopback: one node in one Java machine, of what `make opensearch` has fetched."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.clocks import HANG_S

HERE = Path(__file__).parent
PARTS = HERE.parents[2] / "build" / "opensearch"


class Engine:
    """A node at an address; its indices are asked as anybody asks them."""

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, method: str, path: str, said: object = None) -> Any:
        """Ask, and return what it answers as JSON, also when it is an error."""
        body = None if said is None else json.dumps(said).encode()
        request = Request(f"{self.url}/{path}", body, {"Content-Type": "application/json"}, method=method)
        try:
            with urlopen(request, timeout=HANG_S) as answer:
                return json.load(answer)
        except HTTPError as error:
            return json.load(error)

    def documents(self, index: str = "cormorant") -> dict[str, dict[str, Any]]:
        """What there is in an index by `_id`."""
        return self._hits(index, {"match_all": {}})

    def found(self, index: str, *principals: str) -> set[str]:
        """The addresses that a reader with these principals finds, by the filter that the documentation gives."""
        asked = {
            "bool": {
                "filter": [{"terms": {"grants": list(principals)}}],
                "must_not": [{"terms": {"denies": list(principals)}}],
            }
        }
        return {each["url"] for each in self._hits(index, asked).values()}

    def forget(self, index: str = "cormorant") -> None:
        """Delete an index."""
        self.ask("DELETE", index)

    def _hits(self, index: str, query: dict[str, Any]) -> dict[str, dict[str, Any]]:
        self.ask("POST", f"{index}/_refresh")
        said = self.ask("POST", f"{index}/_search", {"query": query, "size": 1000})
        return {each["_id"]: each["_source"] for each in said.get("hits", {}).get("hits", [])}


@contextmanager
def started(folder: Path) -> Iterator[Engine]:
    """A node with an empty folder. It ends with the block, and with this process."""
    ports = _free(), _free()
    command = [
        "java", "-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.disable.jmx=true",
        "-cp", f"{PARTS}/*", str(HERE / "Engine.java"), str(folder), *map(str, ports),
    ]  # fmt: skip
    with (folder / "engine.log").open("w+") as log:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            said = iter(process.stdout.readline, "")
            assert "started" in map(str.strip, said), (folder / "engine.log").read_text()[-2000:]
            yield Engine(f"http://127.0.0.1:{ports[0]}")
        finally:
            process.stdin.close()
            try:
                process.wait(HANG_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


def _free() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port
