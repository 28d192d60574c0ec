"""OpenTelemetry traces: spans of the work that this process did, and when.

A collector, by OpenTelemetry's protocol over HTTP, where one is set.

The packages for it are the extra `traces`, and loaded in processes that tell something. Sent from a thread behind the
work; a collector that is away costs spans and nothing else. Like the database it is named by who runs the process, not
by who adds sources, so no rule of `egress` is asked about it.
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
"""How long a collector may take for one delivery."""
_NEEDED: Final = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")


def check(plan: BuildPlan) -> None:
    """Raise BadSetting where traces are asked for and the packages for them are not there."""
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
def told(plan: BuildPlan, process: str) -> Iterator[None]:
    """Tell of this process's spans for the length of the block; what is left is sent at its end."""
    if not plan.installation.traces:
        yield
        return
    provider = _provider(plan, process)
    tracing.listen(_Teller(provider, drivers.mask(plan.store_url)))
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


class _Teller:
    """Makes spans of OpenTelemetry. `installation` is the same in all processes of one, and no other's."""

    def __init__(self, provider: TracerProvider, installation: str) -> None:
        self._tracer = provider.get_tracer("cormorant")
        self._installation = installation

    @contextmanager
    def span(self, name: str, what: dict[str, Value]) -> Iterator[Note]:
        """As the protocol says."""
        from opentelemetry.trace import Status, StatusCode, use_span

        made = self._tracer.start_span(name, self._within(what), attributes=_named(what))
        with use_span(made, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            try:
                yield lambda **more: made.set_attributes(_named(more))
            except BaseException as error:
                made.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    def spent(self, name: str, seconds: float, what: dict[str, Value]) -> None:
        """As the protocol says."""
        ended = int(SystemClock().now() * 1e9)
        began = ended - int(seconds * 1e9)
        self._tracer.start_span(name, self._within(what), attributes=_named(what), start_time=began).end(ended)

    def _within(self, what: dict[str, Value]) -> Context | None:
        """In which trace a span is: in that of its run, else in that of the span around it or one of its own."""
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
