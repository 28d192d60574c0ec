"""The checks of a run, in the order in which its report tells of their problems.

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
"""The checks that find the problems of a run."""

NOTICES: Final[tuple[Check, ...]] = (exposure.notices, restricted.unresolved)
"""The checks that find what a person should know of a run although it went well."""
