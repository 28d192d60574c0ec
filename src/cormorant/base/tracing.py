"""Tracing of the work of a process: start and duration of each step.

Spans, for who has traces sent somewhere; nothing else is done of it.

    with span("settle", run=3) as note: ...; note(visits=250)

Names and attributes are words of ours and numbers: no address, no question, no name of anybody. Of work that is spread
over processes all spans that name the same run are of one trace. Where nobody listens a span costs a call.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol, TypeAlias

Value: TypeAlias = str | int | float | bool
Note: TypeAlias = Callable[..., None]
"""Called with attributes that are known later than the span began."""


class Tracer(Protocol):
    """Receiver of trace spans."""

    def span(self, name: str, what: dict[str, Value]) -> AbstractContextManager[Note]:
        """Begin a span that ends with the block; one that raises is marked so, with the kind of the error alone."""
        ...

    def spent(self, name: str, seconds: float, what: dict[str, Value]) -> None:
        """Tell of a span that has just ended and took so long."""
        ...


def _nothing(**_: Value) -> None:
    pass


_UNHEARD: Final = nullcontext(_nothing)
_listening: list[Tracer] = []


def listen(tracer: Tracer) -> None:
    """Have this process tell its spans to somebody."""
    _listening[:] = [tracer]


def deafen() -> None:
    """Have it tell nobody any more."""
    _listening.clear()


def span(name: str, **what: Value) -> AbstractContextManager[Note]:
    """A span of this name for the length of a block; `run` says of which run it is."""
    return _listening[0].span(name, what) if _listening else _UNHEARD


def spent(name: str, seconds: float, **what: Value) -> None:
    """The same of what has just ended."""
    if _listening:
        _listening[0].spent(name, seconds, what)
