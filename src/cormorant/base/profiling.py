"""Profiling of the time spent on a page.

CPU time by step, off unless asked for.

A step is entered with `with steps("parse"):`. The object that does nothing costs about 0.1 us a step; the measuring one
reads the process's CPU clock twice. Steps may nest: a step's time is what it used itself, without the steps inside it.
"""

from __future__ import annotations

from typing import Protocol, Self

from cormorant.base.clock import cpu_ns


class Steps(Protocol):
    """Called with a step's name, gives a context in which that step happens. Not for use across an `await`."""

    def __call__(self, name: str) -> StepTime:
        """Enter `name` for the length of a with block."""
        ...


class StepTime(Protocol):
    """The length of one step."""

    def __enter__(self) -> object: ...

    def __exit__(self, *exc: object) -> None: ...


class _Nothing:
    """A step nobody measures."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        return None


_NOTHING = _Nothing()


def unmeasured(name: str) -> StepTime:  # noqa: ARG001 - the shape of Steps
    """The default: measure nothing."""
    return _NOTHING


class _Running:
    """A step being measured."""

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
        """Return the rows, and one of this name for what no step took of the CPU time since `since_ns`."""
        rest = cpu_ns() - since_ns - sum(ns for _, ns in self.rows.values())
        return {**self.rows, name: [1, max(rest, 0)]}
