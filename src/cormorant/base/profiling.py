"""Profiling of the CPU time spent on a page by step, off by default.

A step is entered with `with steps("parse"):`. The object that does nothing costs about 0.1 us a step; the measuring one
reads the process's CPU clock twice. Steps may nest: the time of a step excludes the steps inside it.
"""

from __future__ import annotations

from typing import Protocol, Self

from cormorant.base.clock import cpu_ns


class Steps(Protocol):
    """Returns a context manager for a step, by its name. Not for use across an `await`."""

    def __call__(self, name: str) -> StepTime:
        """Enter `name` for the length of a with block."""
        ...


class StepTime(Protocol):
    """Context manager of one step."""

    def __enter__(self) -> object: ...

    def __exit__(self, *exc: object) -> None: ...


class _Nothing:
    """A step that is not measured."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        return None


_NOTHING = _Nothing()


def unmeasured(name: str) -> StepTime:  # noqa: ARG001 - the shape of Steps
    """The default: measure nothing."""
    return _NOTHING


class _Running:
    """A step that is being measured."""

    __slots__ = ("inner", "name", "owner", "start")

    def __init__(self, owner: StepTable, name: str) -> None:
        self.owner, self.name, self.start, self.inner = owner, name, 0, 0

    def __enter__(self) -> Self:
        self.owner.stack.append(self)
        self.start = cpu_ns()
        return self

    def __exit__(self, *exc: object) -> None:
        took = cpu_ns() - self.start
        stack = self.owner.stack
        stack.pop()
        if stack:
            stack[-1].inner += took
        row = self.owner.rows.setdefault(self.name, [0, 0])
        row[0] += 1
        row[1] += took - self.inner


class StepTable:
    """Adds up calls and CPU nanoseconds by step; `rows` is {step: [calls, nanoseconds]}."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {}
        self.stack: list[_Running] = []

    def __call__(self, name: str) -> StepTime:
        """Measure `name` for the length of a with block."""
        return _Running(self, name)

    def with_rest(self, name: str, since_ns: int) -> dict[str, list[int]]:
        """Return the rows, and one of this name for the CPU time since `since_ns` that no step used."""
        rest = cpu_ns() - since_ns - sum(ns for _, ns in self.rows.values())
        return {**self.rows, name: [1, max(rest, 0)]}
