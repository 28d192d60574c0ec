"""What is written is what Prometheus's own reader reads, whatever an administrator has called things."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st
from prometheus_client.parser import text_string_to_metric_families

from cormorant.base import metrics
from cormorant.base.metrics import EVERY, MetricSample

VALUES = st.floats(allow_nan=False) | st.integers(-(2**53), 2**53).map(float)


def read(text: str) -> list[tuple[str, dict[str, str], float]]:
    """Every sample as the reader of Prometheus's client sees it."""
    return [
        (each.name, each.labels, each.value)
        for family in text_string_to_metric_families(text)
        for each in family.samples
    ]


@given(st.lists(st.tuples(st.sampled_from(EVERY), st.text(), VALUES), max_size=20))
def test_what_is_written_is_read(given: list[tuple[metrics.Metric, str, float]]) -> None:
    samples = [MetricSample(metric, (label,) * len(metric.labels), value) for metric, label, value in given]
    expected = [
        (each.metric.name, dict(zip(each.metric.labels, each.labels, strict=True)), each.value)
        for metric in EVERY for each in samples if each.metric is metric
    ]  # fmt: skip
    assert read(metrics.text(samples)) == expected


def test_no_name_ends_the_line_it_stands_in() -> None:
    text = metrics.text([MetricSample(metrics.LAST_GOOD, ('a"} 1\ncormorant_sources 7 \\\udcff',), 3.0)])
    assert read(text) == [(metrics.LAST_GOOD.name, {"source": 'a"} 1\ncormorant_sources 7 \\?'}, 3.0)]


@pytest.mark.parametrize(("value", "written"), [(3.0, "3"), (2.5, "2.5"), (math.inf, "+Inf"), (-math.inf, "-Inf")])
def test_values(value: float, written: str) -> None:
    assert metrics.text([MetricSample(metrics.SOURCES, (), value)]).splitlines()[-1] == f"cormorant_sources {written}"


def test_every_name_is_there_once_and_says_what_it_is() -> None:
    assert len({each.name for each in EVERY}) == len(EVERY)
    listed = {each for each in vars(metrics).values() if isinstance(each, metrics.Metric)}
    assert listed == set(EVERY)
    assert all(each.about.endswith(".") and each.name.startswith("cormorant_") for each in EVERY)
    assert all(each.name.endswith("_total") is (each.kind == "counter") for each in EVERY)


def test_labels_are_of_what_there_is_little_of() -> None:
    assert {label for each in EVERY for label in each.labels} == {
        "version", "role", "disk", "source", "state", "outcome", "receiver", "schedule",
    }  # fmt: skip
