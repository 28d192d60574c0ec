"""Options of a command as one record: more of them than a function should have parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def gathered(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each field of the dataclass that its last parameter takes.

    The fields are annotated as parameters would be.
    """
    hints = get_type_hints(command, include_extras=True)
    *own, last = signature(command).parameters.values()
    record = hints[last.name]
    named = get_type_hints(record, include_extras=True)
    options = [
        Parameter(
            each.name, Parameter.KEYWORD_ONLY, annotation=named[each.name],
            default=Parameter.empty if each.default is MISSING else each.default,
        )
        for each in fields(record)
    ]  # fmt: skip
    taken = [each.replace(annotation=hints[each.name]) for each in own] + options

    @wraps(command)
    def called(**given: Any) -> None:
        chosen = record(**{each.name: given.pop(each.name) for each in options})
        command(**given, **{last.name: chosen})

    called.__dict__["__signature__"] = Signature(taken)
    called.__annotations__ = {each.name: each.annotation for each in taken}
    return called
