"""Pace of a site: its crawl delay, the rule that sets it, and its end."""

from __future__ import annotations

from math import inf
from typing import NamedTuple


class Pace(NamedTuple):
    """The pace a source asks for at a site.

    `delay_s`: seconds from the start of one request to the start of the next. `parallel`: requests under way at once.
    `rule`: the deciding rule, as it was written. `until`: epoch seconds at which another pace begins.
    """

    delay_s: float
    parallel: int
    rule: str
    until: float = inf
