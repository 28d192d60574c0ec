"""Which statements were compiled already? Those of every database of that kind, in this process and before its fork.

SQLAlchemy keeps what it compiles for each engine alone, though the text depends on the dialect and on nothing of one
database that our statements use (it would, were there JSON subscripts or literals in them). A short crawl spends a
sixth of its processor time with compiling. So what a command compiled to order it, the processes that it forks have.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

MOST: Final = 500
"""Statements that are kept, as SQLAlchemy keeps of an engine; half as many again before the least used are dropped."""


class Compiled(sa.util.LRUCache[Any, Any]):
    """What an engine's execution option `compiled_cache` takes: keys are SQLAlchemy's own, a dialect and the rest."""

    __slots__ = ()

    def get(self, key: Any, default: Any = None) -> Any:
        """The compiled statement, whichever engine it was compiled for."""
        return super().get(_by_kind(key), default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_by_kind(key), value)


def _by_kind(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return (key[0].name, *key[1:])


STATEMENTS = Compiled(MOST)
"""Those of this process: one place, since what is here before a fork is to be there behind it, whoever opens what."""
