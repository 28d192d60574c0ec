"""Error policy: the treatment of a URL whose server answers with an error.

Rules have this form:

    404 delete            hidden at once and deleted when the run settles, below the deletion guard
    403 delete_after 3    kept, and deleted when three runs in a row end with this status
    401 keep              counted as failed; an indexed document stays
    5xx retry             retried as long as the run has patience
    5xx retry 5           retried up to five times in a run, then as by default if that is final, else kept

The first rule that names the number decides, else the first that names its class, else the defaults.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

DEFAULTS = (
    "404 delete", "410 delete", "401 delete_after 3", "403 delete_after 3", "408 retry", "429 retry", "4xx keep",
    "501 keep", "505 keep", "5xx retry",
)  # fmt: skip
MOST = 100
"""The greatest number in a rule."""

_RULE = re.compile(r"([45](?:\d\d|xx)) +(keep|delete|retry|delete_after)(?: +(\d{1,3}))?")
_MEANT = (
    "write a status (404) or a class (4xx, 5xx), and keep, delete, delete_after 3, retry or retry 5, "
    "like '403 delete_after 3'."
)


class Action(StrEnum):
    """The action of an error rule."""

    KEEP = "keep"
    DELETE = "delete"
    DELETE_AFTER = "delete_after"
    RETRY = "retry"


class ErrorRule(NamedTuple):
    """An action; `times` is the number of runs or tries, 0 for no limit."""

    action: Action
    times: int = 0


class ErrorPolicy:
    """Rules of a source by status."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Parse the rules. Raises ValueError that names the wrong line and the valid form."""
        self._given, self._default = _read(lines), _read(DEFAULTS)

    def rule(self, status: int) -> ErrorRule | None:
        """Return the rule for a status of 400 to 599, None for any other."""
        return _named(self._given, status) or _named(self._default, status)

    def by_default(self, status: int) -> ErrorRule | None:
        """Return the rule that would apply to a status if the administrator had set nothing."""
        return _named(self._default, status)


def _named(rules: dict[str, ErrorRule], status: int) -> ErrorRule | None:
    return rules.get(str(status)) or rules.get(f"{status // 100}xx")


def _read(lines: Sequence[str]) -> dict[str, ErrorRule]:
    rules: dict[str, ErrorRule] = {}
    for line in lines:
        match = _RULE.fullmatch(" ".join(line.lower().split()))
        if match is None:
            raise ValueError(f"{line!r} is no rule: {_MEANT}")
        action, times = Action(match[2]), int(match[3] or 0)
        counted = action in (Action.DELETE_AFTER, Action.RETRY)
        if (match[3] and not (counted and 1 <= times <= MOST)) or (action is Action.DELETE_AFTER and not times):
            raise ValueError(f"{line!r} needs {'a number from 1 to 100' if counted else 'no number'}: {_MEANT}")
        if match[1] in rules:
            raise ValueError(f"{line!r} is the second rule for {match[1]}: leave one of them out.")
        rules[match[1]] = ErrorRule(action, times)
    return rules


BY_DEFAULT = ErrorPolicy(())
"""The policy of a source without rules."""


@lru_cache(maxsize=64)
def policy_of(lines: tuple[str, ...]) -> ErrorPolicy | None:
    """Return the policy of a setting, None for the default, which saves its evaluation. Raises ValueError."""
    return None if lines == DEFAULTS else ErrorPolicy(lines)
