"""Fields (RTF 1.9.1, "Fields"): the target of a link, and the choice of a form field."""

from __future__ import annotations

import re
from typing import Final

MAX_INSTRUCTION: Final = 4_000
MAX_CHOICES: Final = 1_000

_ARGUMENT: Final = re.compile(r'"([^"]*)"?|(\S+)')
_WITH_VALUE: Final = frozenset(("\\l", "\\o", "\\t", "\\s", "\\m"))
_BY_DEFAULT: Final = 25
"""The result of a list of which nothing was chosen (`ffres25`)."""


class RtfField:
    """A field while it is read."""

    def __init__(self) -> None:
        """Start an empty field."""
        self.instruction = ""
        self.result_seen = False
        self.choices: list[str] = []
        self.chosen = _BY_DEFAULT
        self.chosen_by_default = 0

    @property
    def target(self) -> str:
        """The reference of a link, "" for another field or a place in the same document."""
        arguments: list[str] = [
            quoted or bare for quoted, bare in _ARGUMENT.findall(self.instruction[:MAX_INSTRUCTION])
        ]
        if not arguments or arguments[0].upper() != "HYPERLINK":
            return ""
        waiting = iter(arguments[1:])
        for argument in waiting:
            if argument in _WITH_VALUE:
                next(waiting, None)
            elif not argument.startswith("\\"):
                return argument
        return ""

    @property
    def choice(self) -> str:
        """The entry of a list that is shown, "" for another field."""
        number = self.chosen_by_default if self.chosen == _BY_DEFAULT else self.chosen
        return self.choices[number] if 0 <= number < len(self.choices) else ""
