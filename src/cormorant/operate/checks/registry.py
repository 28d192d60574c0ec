"""The checks of a run, in the order of their problems in its report.

A new check is a function that yields what it finds in a context, and its entry here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from cormorant.operate.checks import (
    crawl_delays,
    exposure,
    held,
    limits,
    no_text,
    outcome,
    restricted,
    seeds,
    sitemaps,
    traps,
    unused_rules,
)
from cormorant.operate.checks.problem import CheckContext, RunProblem

Check = Callable[[CheckContext], Iterator[RunProblem]]

CHECKS: Final[tuple[Check, ...]] = (
    outcome.state,
    outcome.shortages,
    outcome.unlisted,
    seeds.failed,
    seeds.empty,
    outcome.nothing,
    outcome.invalid_settings,
    seeds.refused,
    sitemaps.feeds,
    limits.crowded,
    unused_rules.problems,
    limits.problems,
    crawl_delays.problems,
    sitemaps.problems,
    held.problems,
    outcome.unanswered,
    outcome.documents,
    outcome.too_big,
    outcome.failing_receivers,
    outcome.damaged_copies,
    outcome.unsearched,
    no_text.problems,
    restricted.problems,
    outcome.waiting,
    traps.problems,
)
"""Checks that find problems of a run."""

NOTICES: Final[tuple[Check, ...]] = (exposure.notices, restricted.unresolved)
"""Checks that find notices about a run although it went well."""
