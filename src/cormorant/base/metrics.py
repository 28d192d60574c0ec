"""Metrics of an installation for monitoring: the one list of them, and their text format.

    Metric + Sample ... -> text(samples) -> the text format of Prometheus, version 0.0.4

Names must not change: dashboards and alert rules depend on them. Labels name configured objects (a source, a receiver,
a schedule) or fixed words; never an address, a host or other crawled data, whose number is unlimited.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Metric(NamedTuple):
    """A metric: its name, whether it only grows (counter) or not (gauge), its labels, and its description."""

    name: str
    kind: Literal["counter", "gauge"]
    labels: tuple[str, ...]
    about: str


class MetricSample(NamedTuple):
    """A value of a metric, with the values of its labels in their order."""

    metric: Metric
    labels: tuple[str, ...]
    value: float


def _gauge(name: str, about: str, *labels: str) -> Metric:
    return Metric(f"cormorant_{name}", "gauge", labels, about)


def _counter(name: str, about: str, *labels: str) -> Metric:
    return Metric(f"cormorant_{name}_total", "counter", labels, about)


INFO = _gauge("info", "1, with the version of the program.", "version")
PROCESSES = _gauge("processes", "Processes that reported within 15 s.", "role")
SOURCES = _gauge("sources", "Sources there are.")
DOCUMENTS = _gauge("index_documents", "Documents in the index.")
STORE_BYTES = _gauge("store_size_bytes", "Size of the database in bytes.")
DISK_FREE = _gauge("disk_free_bytes", "Bytes that are free on the disk of the data folder or the kept copies.", "disk")
DISK_SIZE = _gauge("disk_size_bytes", "Size of this disk in bytes.", "disk")
DISK_LEAST = _gauge("disk_least_bytes", "Crawls pause below this number of free bytes.", "disk")
RUN_STATE = _gauge("run_state", "1 for the state of the newest run of a source.", "source", "state")
RUN_STARTED = _gauge("run_started_timestamp_seconds", "When the newest run of a source began.", "source")
RUN_WAITS = _gauge(
    "run_waits_since_timestamp_seconds", "Time since which it waits for the answer of an administrator.", "source"
)
LAST_GOOD = _gauge(
    "last_good_run_timestamp_seconds", "When the last good run of a source ended; 0: none was good yet.", "source"
)
RUN_DOCUMENTS = _counter("run_documents", "Documents of the newest run of a source by outcome.", "source", "outcome")
RUN_FETCHED = _counter("run_fetched", "Documents that the newest run of a source has visited.", "source")
RUN_REQUESTS = _counter("run_requests", "Requests of the newest run.", "source")
RUN_CONDITIONAL = _counter("run_requests_conditional", "Conditional requests of the newest run.", "source")
RUN_BYTES = _counter("run_received_bytes", "Bytes that the newest run received.", "source")
RUN_CONVERSIONS = _counter("run_conversions", "Documents and sitemaps that it read in the sandbox, not HTML.", "source")
BACKLOG = _gauge(
    "receiver_backlog_events",
    "Events of the stream that a receiver has not passed yet, and documents that are still to be sent to it again.",
    "receiver",
)
UNDELIVERED = _gauge(
    "receiver_oldest_undelivered_timestamp_seconds", "Time since which the oldest of them waits.", "receiver"
)
PAUSED = _gauge("receiver_paused", "1 while its deliveries are paused.", "receiver")
FAILURES = _gauge("receiver_failures", "Deliveries that failed one after the other; 0 while it takes them.", "receiver")
FAULTY = _gauge("receiver_faulty_documents", "Documents that it rejected; 10,000 for more.", "receiver")
STREAM = _counter("stream_events", "Number of events in the stream.")
SCHEDULE_STATE = _gauge("schedule_state", "1 for the state of a schedule.", "schedule", "state")
SCHEDULE_NEXT = _gauge("schedule_next_timestamp_seconds", "When a schedule fires next.", "schedule")
SEARCHES = _counter("searches", "Searches that were noted.")

EVERY: Final = tuple(each for each in list(globals().values()) if isinstance(each, Metric))
"""All metrics, in the order of this module, which is their order in the output."""

_ESCAPED: Mapping[int, str] = {ord("\\"): "\\\\", ord("\n"): "\\n", ord('"'): '\\"'}


def text(samples: Iterable[MetricSample]) -> str:
    """The samples in the order of EVERY, each metric with its help; metrics without a sample are left out."""
    found: dict[str, list[MetricSample]] = {}
    for each in samples:
        found.setdefault(each.metric.name, []).append(each)
    return "".join(line for metric in EVERY for line in _lines(metric, found.get(metric.name, ())))


def _lines(metric: Metric, samples: Iterable[MetricSample]) -> Iterator[str]:
    head = f"# HELP {metric.name} {metric.about.translate(_ESCAPED)}\n# TYPE {metric.name} {metric.kind}\n"
    for sample in samples:
        pairs = zip(metric.labels, sample.labels, strict=True)
        named = ",".join(f'{name}="{_clean(value)}"' for name, value in pairs)
        yield f"{head}{metric.name}{f'{{{named}}}' if named else ''} {_number(sample.value)}\n"
        head = ""


def _clean(value: str) -> str:
    """A label's value; characters that UTF-8 cannot encode, as in file names, become question marks."""
    return value.encode(errors="replace").decode().translate(_ESCAPED)


def _number(value: float) -> str:
    """A value as Go reads it, whole numbers without an exponent."""
    if math.isfinite(value):
        return str(int(value)) if value == int(value) else repr(value)
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
