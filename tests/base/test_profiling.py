"""Do the steps and the rest add up to what was used?"""

from __future__ import annotations

from cormorant.base.clock import cpu_ns
from cormorant.base.profiling import StepTable


def burn(ns: int) -> None:
    until = cpu_ns() + ns
    while cpu_ns() < until:
        pass


def test_the_rest_is_what_no_step_took() -> None:
    steps, began = StepTable(), cpu_ns()
    with steps("outer"):
        burn(2_000_000)
        with steps("inner"):
            burn(3_000_000)
    burn(4_000_000)
    told = steps.with_rest("rest", began)
    used = cpu_ns() - began
    assert told["inner"][1] >= 3_000_000
    assert 2_000_000 <= told["outer"][1] < 5_000_000
    assert told["rest"][1] >= 4_000_000
    assert sum(ns for _, ns in told.values()) <= used
    assert "rest" not in steps.rows
