"""OpenTelemetry traces: spans of the work of this process, sent to a collector (OTLP over HTTP), if one is set.

The packages for it are the extra `traces`, and are loaded only in processes that send spans. A thread sends them behind
the work; a collector that does not answer costs only spans. Like the database, the administrator of the process names
it, not the users who add sources, so the rules of `egress` do not apply.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata, util
from typing import TYPE_CHECKING, Any, Final

from cormorant.base import tracing
from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting
from cormorant.base.tracing import Note, Value
from cormorant.store.db import drivers

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider

    from cormorant.app.build import BuildPlan

SEND_S: Final = 3.0
"""Seconds that a collector may take for one delivery."""
_NEEDED: Final = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def check(plan: BuildPlan) -> None:
    """Raise BadSetting if traces are requested and their packages are not installed."""
    if plan.installation.traces and not _installed():
        raise BadSetting(
            "CORMORANT_TRACES needs packages that are not installed. Install them: pip install 'cormorant[traces]', or "
            "unset it."
        )


def _installed() -> bool:
    try:
        return all(util.find_spec(name) is not None for name in _NEEDED)
    except ModuleNotFoundError:  # a package above it is missing
        return False


@contextmanager
def traced(plan: BuildPlan, process: str) -> Iterator[None]:
    """Export the spans of this process for the length of the block; the rest is sent at its end."""
    if not plan.installation.traces:
        yield
        return
    provider = _provider(plan, process)
    tracing.listen(_SpanListener(provider, drivers.mask(plan.store_url)))
    try:
        yield
    finally:
        tracing.deafen()
        provider.shutdown()


def _provider(plan: BuildPlan, process: str) -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    about = {"service.name": "cormorant", "service.version": metadata.version("cormorant"), "process.role": process}
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    place = f"{plan.installation.traces.rstrip('/')}/v1/traces"
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=place, timeout=SEND_S)))
    return provider


class _SpanListener:
    """Makes OpenTelemetry spans. `installation` is the same in all processes of one installation, and unique to it."""

    def __init__(self, provider: TracerProvider, installation: str) -> None:
        self._tracer = provider.get_tracer("cormorant")
        self._installation = installation

    @contextmanager
    def span(self, name: str, what: dict[str, Value]) -> Iterator[Note]:
        """Implement `tracing.Listener.span`."""
        from opentelemetry.trace import Status, StatusCode, use_span

        made = self._tracer.start_span(name, self._within(what), attributes=_named(what))
        with use_span(made, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                yield lambda **more: made.set_attributes(_named(more))
            except BaseException as error:
                made.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    def spent(self, name: str, seconds: float, what: dict[str, Value]) -> None:
        """Implement `tracing.Listener.spent`."""
        ended = int(SystemClock().now() * 1e9)
        began = ended - int(seconds * 1e9)
        self._tracer.start_span(name, self._within(what), attributes=_named(what), start_time=began).end(ended)

    def _within(self, what: dict[str, Value]) -> Context | None:
        """The trace of a span: that of its run, else that of the surrounding span, or a new one."""
        from opentelemetry import trace

        run = what.get("run")
        if run is None:
            return None
        digest = hashlib.sha256(f"{self._installation} {run}".encode()).digest()
        numbers = int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])
        within = trace.SpanContext(*numbers, is_remote=True, trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED))
        return trace.set_span_in_context(trace.NonRecordingSpan(within))


def _named(what: dict[str, Any]) -> dict[str, Value]:
    return {f"cormorant.{name}": value for name, value in what.items()}
