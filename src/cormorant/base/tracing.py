"""Tracing of the work of a process: spans with start and duration, for a tracer that exports them.

    with span("settle", run=3) as note: ...; note(visits=250)

Names and attributes are fixed words and numbers: no address, no query, no name of a person. All spans that name the
same run belong to one trace, in whichever process. Without a tracer a span costs one call.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol, TypeAlias

Value: TypeAlias = str | int | float | bool
Note: TypeAlias = Callable[..., None]
"""Called with attributes that become known after the start of the span."""


class Tracer(Protocol):
    """Receiver of trace spans."""

    def span(self, name: str, what: dict[str, Value]) -> AbstractContextManager[Note]:
        """Begin a span that ends with the block; an exception marks it with its type alone."""
        ...

    def spent(self, name: str, seconds: float, what: dict[str, Value]) -> None:
        """Record a span that has just ended and took so long."""
        ...


def _nothing(**_: Value) -> None:
    pass


_UNHEARD: Final = nullcontext(_nothing)
_listening: list[Tracer] = []


def listen(tracer: Tracer) -> None:
    """Have this process report its spans to a tracer."""
    _listening[:] = [tracer]


def deafen() -> None:
    """Report spans no more."""
    _listening.clear()


def span(name: str, **what: Value) -> AbstractContextManager[Note]:
    """A span of this name for the length of a block; `run` is the run that it belongs to."""
    return _listening[0].span(name, what) if _listening else _UNHEARD


def spent(name: str, seconds: float, **what: Value) -> None:
    """Record a span that has just ended."""
    if _listening:
        _listening[0].spent(name, seconds, what)
