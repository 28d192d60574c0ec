"""A small server that keeps to the bulk API of OpenSearch and Elasticsearch, on loopback, and fails as it is told to.

with Cluster() as cluster:
    cluster.plan += [429, "reset"]                     what comes of the next requests to _bulk, as wholes
    cluster.busy["1d-7"] = 2                           how often an operation on a document is answered with 429
    ... receiver writes to cluster.url ...
    cluster.found("cormorant", "everyone")             what a reader finds

Versions are external: equal and lower ones are conflicts, those of deletions are remembered; fields are read by the
mapping. `tests/receivers/test_opensearch.py` asks the same of this one and of a real one.
"""

from __future__ import annotations

import base64
import json
import re
import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar, NamedTuple
from urllib.parse import unquote, urlsplit

from tests.clocks import HANG_S
from tests.receivers.serving import Serving

MOST_TERM = 32_766
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


class Stored(NamedTuple):
    """A document, or with None the memory of its deletion."""

    version: int
    source: dict[str, Any] | None


@dataclass
class Index:
    """Documents by `_id`, and what their fields are."""

    mapping: dict[str, Any]
    documents: dict[str, Stored] = field(default_factory=dict)


class Cluster(Serving):
    """The server. `shown` is what every request has to show in `Authorization`, "" for nothing."""

    def __init__(self, shown: str = "", most_bytes: int = 100 << 20) -> None:
        self.shown, self.most_bytes = shown, most_bytes
        self.plan: list[int | str | tuple[int, dict[str, str]]] = []
        self.busy: dict[str, int] = {}
        self.closed = False
        self.indices: dict[str, Index] = {}
        self.bulks: list[list[tuple[str, str, int]]] = []
        """Of every request to _bulk that was carried out: word, document, version."""
        self.asked: list[str] = []
        self.lock = threading.RLock()
        cluster = self

        class Answering(_Asked):
            owner: ClassVar[Cluster] = cluster

        super().__init__(Answering)
        self.url = f"http://127.0.0.1:{self.port}"

    def documents(self, index: str = "cormorant") -> dict[str, dict[str, Any]]:
        """What there is in an index by `_id`."""
        with self.lock:
            kept = self.indices[index].documents if index in self.indices else {}
            return {name: each.source for name, each in kept.items() if each.source is not None}

    def found(self, index: str, *principals: str) -> set[str]:
        """The addresses that a reader with these principals finds, by the filter that the documentation gives."""
        return {
            each["url"]
            for each in self.documents(index).values()
            if {*principals} & {*each["grants"]} and not {*principals} & {*each["denies"]}
        }

    def forget(self, index: str = "cormorant") -> None:
        """Delete an index."""
        with self.lock:
            self.indices.pop(index, None)

    def lookup(self, index: str) -> tuple[int, object]:
        """What is said of an index."""
        if index not in self.indices:
            return 404, _error("index_not_found_exception", f"no such index [{index}]", 404)
        return 200, {}

    def make(self, index: str, body: bytes) -> tuple[int, object]:
        """Make an index."""
        if index in self.indices:
            return 400, _error("resource_already_exists_exception", f"index [{index}] already exists", 400)
        self.indices[index] = Index(json.loads(body)["mappings"])
        return 200, {"acknowledged": True, "shards_acknowledged": True, "index": index}

    def newest(self, index: str, asked: dict[str, Any]) -> tuple[int, object]:
        """The one search that is understood: the greatest value of a field of those with a term."""
        ((name, value),) = asked["query"]["term"].items()
        of = asked["aggs"]["newest"]["max"]["field"]
        values = [each[of] for each in self.documents(index).values() if each[name] == value]
        return 200, {"aggregations": {"newest": {"value": float(max(values)) if values else None}}}

    def bulk(self, index: str, body: bytes) -> tuple[int, object]:
        """Carry out what a bulk request asks for, in its order."""
        if not body.endswith(b"\n"):
            return 400, _error("illegal_argument_exception", "The bulk request must be terminated by a newline", 400)
        lines, done, answered = [json.loads(line) for line in body.splitlines()], [], []
        while lines:
            ((word, about),) = lines.pop(0).items()
            source = lines.pop(0) if word == "index" else None
            assert about["version_type"] == "external"
            done.append((word, about["_id"], about["version"]))
            answered.append({word: self._one(index, word, about, source)})
        self.bulks.append(done)
        errors = any("error" in item for each in answered for item in each.values())
        return 200, {"errors": errors, "items": answered}

    def _one(self, index: str, word: str, about: dict[str, Any], source: dict[str, Any] | None) -> dict[str, Any]:
        name, version = about["_id"], about["version"]
        if self.closed:
            return _failed(400, "index_closed_exception", "closed")
        if self.busy.get(name, 0) > 0:
            self.busy[name] -= 1
            return _failed(429, "rejected_execution_exception", "rejected execution of primary operation")
        kept = self.indices.setdefault(index, Index({"dynamic": True, "properties": {}}))
        wrong = _unfit(kept.mapping["properties"], source or {})
        if wrong:
            return _failed(400, "mapper_parsing_exception", f"failed to parse field [{wrong}] in document '{name}'")
        there = kept.documents.get(name)
        if there is not None and there.version >= version:
            return _failed(409, "version_conflict_engine_exception", f"[{name}]: version conflict")
        kept.documents[name] = Stored(version, source)
        if word == "delete" and (there is None or there.source is None):
            return {"status": 404}
        return {"status": 201 if there is None else 200}


def _error(kind: str, reason: str, status: int) -> dict[str, Any]:
    return {"error": {"type": kind, "reason": reason}, "status": status}


def _failed(status: int, kind: str, reason: str) -> dict[str, Any]:
    return {"status": status, "error": {"type": kind, "reason": reason}}


def _unfit(properties: dict[str, Any], source: dict[str, Any]) -> str:
    """The first field whose value is not of its type; "" when all are."""
    for name, value in source.items():
        kind = properties.get(name, {})
        for each in value if isinstance(value, list) else [value]:
            if each is not None and not _fits(kind, each):
                return name
    return ""


def _fits(kind: dict[str, Any], value: Any) -> bool:
    match kind.get("type"):
        case "long":
            return isinstance(value, int) and -(2**63) <= value < 2**63
        case "integer":
            return isinstance(value, int) and -(2**31) <= value < 2**31
        case "date":
            return isinstance(value, str) and _DATE.fullmatch(value) is not None
        case "keyword":
            ignored = isinstance(value, str) and len(value) > kind.get("ignore_above", len(value))
            return isinstance(value, str) and (ignored or len(value.encode()) <= MOST_TERM)
        case "text":
            return isinstance(value, str)
        case _:
            return True


class _Asked(BaseHTTPRequestHandler):
    owner: ClassVar[Cluster]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        cluster, parts = self.owner, [unquote(each) for each in urlsplit(self.path).path.split("/")[1:]]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        cluster.asked.append(f"{self.command} {self.path}")
        if cluster.shown and self.headers.get("Authorization") != cluster.shown:
            self._answer(401, _error("security_exception", "missing authentication credentials", 401))
            return
        planned = cluster.plan.pop(0) if cluster.plan and parts[-1] == "_bulk" else None
        if planned is not None and not self._fail(planned):
            return
        if len(body) > cluster.most_bytes:
            self._answer(413, None)
            return
        with cluster.lock:
            self._answer(*self._done(parts, body))

    def _done(self, parts: list[str], body: bytes) -> tuple[int, object]:
        cluster = self.owner
        match self.command, parts:
            case "GET", [index]:
                return cluster.lookup(index)
            case "PUT", [index]:
                return cluster.make(index, body)
            case "POST", [index, "_bulk"] if self.headers["Content-Type"] == "application/x-ndjson":
                return cluster.bulk(index, body)
            case "POST", [index, "_search"]:
                return cluster.newest(index, json.loads(body))
            case _:
                pass
        return 405, _error("method_not_allowed", "Incorrect HTTP method", 405)

    def _fail(self, planned: int | str | tuple[int, dict[str, str]]) -> bool:
        """Do what was planned; says whether the request is to be carried out all the same."""
        if planned == "hang":
            self.owner.go.wait(HANG_S)
            planned = 503
        if planned == "ok":
            return True
        if planned == "nonsense":
            self._answer(200, {"items": [{"index": {"status": "fine"}}]})
        elif planned == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
        elif isinstance(planned, tuple):
            self._answer(planned[0], None, planned[1])
        else:
            self._answer(int(planned), None)
        return False

    def _answer(self, status: int, said: object, fields: dict[str, str] | None = None) -> None:
        body = b"" if said is None else json.dumps(said).encode()
        self.send_response(status)
        for name, value in (fields or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # it was given up
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        """Say nothing."""


def basic(user: str, password: str) -> str:
    """What is shown by user and password."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
