"""Where traces are asked for a collector gets them, by its own protocol; else nothing of it is even loaded."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from cormorant.app import settings
from cormorant.app.build import BuildPlan
from cormorant.app.logs import otel
from cormorant.app.settings import InstallationSettings
from cormorant.base import tracing
from cormorant.base.errors import BadSetting
from tests.cli.world import InstalledCli as Home, serving, small_site

CANARY = "zq-canary-81"


class Collector:
    """Takes what is sent to it as a collector does; `spans` are what came."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Any]] = []
        self.raw: list[bytes] = []

    def take(self, body: bytes) -> None:
        """Read one delivery."""
        self.raw.append(body)
        asked = ExportTraceServiceRequest.FromString(body)
        for of_process in asked.resource_spans:
            about = {each.key: each.value.string_value for each in of_process.resource.attributes}
            for scope in of_process.scope_spans:
                self.spans += [(about["process.role"], span) for span in scope.spans]

    def named(self, name: str) -> list[tuple[str, Any]]:
        """The spans of a name, with the process that each is of."""
        return [each for each in self.spans if each[1].name == name]


@contextmanager
def collecting() -> Iterator[tuple[Collector, str]]:
    """A collector on a port of this machine."""
    got = Collector()

    class Asked(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.take(gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield got, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def values(span: Any) -> dict[str, Any]:
    return {each.key: each.value.int_value or each.value.string_value for each in span.attributes}


def test_a_crawl_is_told_as_one_trace(tmp_path: Path) -> None:
    with collecting() as (got, address), serving(small_site()) as site:
        home = Home(tmp_path / "data", {"CORMORANT_TRACES": address})
        home.fine(
            "source",
            "add",
            "web",
            "docs",
            "--set",
            f"start={site.address}",
            "--set",
            f"start={site.address}?access_token={CANARY}",
        )
        home.run("crawl", "docs")
    (run,) = got.named("run")
    assert run[0] == "conductor"
    for name, role in (("fetch", "retriever-"), ("settle", "retriever-")):
        found = got.named(name)
        assert found
        assert all(process.startswith(role) for process, _ in found)
        assert {span.trace_id for _, span in found} == {run[1].trace_id}, "of one run, whichever process"
        assert all(values(span)["cormorant.run"] == 1 for _, span in found)
    assert {values(span)["cormorant.receiver"] for _, span in got.named("provide")} == {"index"}
    assert run[1].end_time_unix_nano > run[1].start_time_unix_nano
    said = b"".join(got.raw)
    assert CANARY.encode() not in said
    assert site.address.encode() not in said, "no address"


def test_a_span_that_raises_tells_the_kind_of_the_error_alone(tmp_path: Path) -> None:
    with collecting() as (got, address):
        plan = BuildPlan(tmp_path, InstallationSettings(traces=address))
        with otel.traced(plan, "web"), suppress(ValueError), tracing.span("search", limit=10) as note:
            note(total=3)
            raise ValueError(CANARY)
    ((process, span),) = got.spans
    assert (process, span.name, span.status.message) == ("web", "search", "ValueError")
    assert values(span) == {"cormorant.limit": 10, "cormorant.total": 3}
    assert CANARY.encode() not in b"".join(got.raw)


def test_a_collector_that_is_away_costs_spans_and_nothing_else(tmp_path: Path) -> None:
    plan = BuildPlan(tmp_path, InstallationSettings(traces="http://127.0.0.1:9"))
    with otel.traced(plan, "web"), tracing.span("search") as note:
        note(total=3)


def test_nobody_listens_unless_asked(tmp_path: Path) -> None:
    with otel.traced(BuildPlan(tmp_path, InstallationSettings()), "web"):
        assert not tracing._listening
        with tracing.span("search", limit=1) as note:
            note(total=3)
        tracing.spent("fetch", 1.0, run=1)
    loaded = (
        "import sys, cormorant.app.processes.session, cormorant.app.processes.entrypoints; "
        "print([m for m in sys.modules if 'telem' in m])"
    )
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_without_the_packages_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    otel.check(BuildPlan(tmp_path, InstallationSettings(traces="http://127.0.0.1:4318")))
    monkeypatch.setattr(otel, "_NEEDED", ("opentelemetry.no_such", "no.such"))
    with pytest.raises(BadSetting, match=r"cormorant\[traces\]"):
        otel.check(BuildPlan(tmp_path, InstallationSettings(traces="http://127.0.0.1:4318")))
    otel.check(BuildPlan(tmp_path, InstallationSettings()))


@pytest.mark.parametrize("value", ["localhost:4318", "ftp://a.example", "http://", "http://a.example/?key=1", "yes"])
def test_what_is_no_collector(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORMORANT_TRACES", value)
    with pytest.raises(BadSetting, match="address of a collector"):
        settings.load(None)
