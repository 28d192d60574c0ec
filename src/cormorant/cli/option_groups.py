"""Groups of command options, taken as one record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

_Command = Callable[..., None]


def taking(record: type[Any], name: str) -> Callable[[_Command], _Command]:
    """Make a command take each field of a dataclass as an option of its own; it receives all of them as `name`.

    The annotation and the default of a field are those of its option.
    """
    hints = get_type_hints(record, include_extras=True)
    options = [
        Parameter(
            each.name, Parameter.KEYWORD_ONLY, annotation=hints[each.name],
            default=Parameter.empty if each.default is MISSING else each.default,
        )
        for each in fields(record)
    ]  # fmt: skip

    def around(command: _Command) -> _Command:
        own = [
            each.replace(kind=Parameter.KEYWORD_ONLY)
            for each in signature(command, eval_str=True).parameters.values()
            if each.name != name
        ]

        @wraps(command)
        def called(**given: Any) -> None:
            made = record(**{each.name: given.pop(each.name) for each in options})
            command(**given, **{name: made})

        called.__annotations__ = {}
        called.__signature__ = Signature([*own, *options])  # type: ignore[attr-defined] # what typer reads
        return called

    return around
