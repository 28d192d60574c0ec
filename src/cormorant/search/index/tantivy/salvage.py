"""Answer a query that the engine refuses without the parts that fail.

    the engine fails --its files are altered--> IndexDamaged
          |          `--they are whole--> the query is to blame: each of its parts is tried alone
          |                 some parts fail --> the query is asked without them, and the log says so
          `                 none does, or what is left fails too --> QueryFailed

A word, phrase or pattern that fails is left out. A filter (a source, a size) that fails matches no document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from types import TracebackType
from typing import TypeVar, assert_never

from cormorant.base.errors import QueryFailed
from cormorant.base.log import logger
from cormorant.search.index import query as ask
from cormorant.search.index.query import Query, Search
from cormorant.search.index.tantivy.integrity import is_of_engine

_log = logger(__name__)
T = TypeVar("T")


class EngineRefused(Exception):
    """The engine refused a query; whether the query or the files are to blame is not yet known."""


class EngineCall:
    """A boundary around one query to the engine: an error in it is the fault of the query or of the files."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind and (is_of_engine(kind) or issubclass(kind, OverflowError)):
            raise EngineRefused(str(error)[:200]) from error


def answered(
    search: Search, answer: Callable[[Search], T], fails: Callable[[Query], bool], examine: Callable[[], None]
) -> T:
    """Answer a search, without the parts that fail if the engine refuses it.

    `examine` raises IndexDamaged if the files are to blame. Raises QueryFailed if no part is left.
    """
    try:
        with EngineCall():
            return answer(search)
    except EngineRefused as refused:
        examine()
        reason = str(refused)
        left = without(search.query, fails)
        _log.warning("query refused", extra={"reason": reason, "is_answered_in_part": left not in (None, search.query)})
        if left in (None, search.query):
            raise _failed(reason) from refused
    try:
        with EngineCall():
            return answer(replace(search, query=left))
    except EngineRefused as refused:
        raise _failed(str(refused)) from refused


def looked_up(look_up: Callable[[], T], nothing: T, examine: Callable[[], None]) -> T:
    """Look up an optional part of a search; return `nothing` if the engine refuses. May raise IndexDamaged."""
    try:
        with EngineCall():
            return look_up()
    except EngineRefused as refused:
        examine()
        _log.warning("look-up refused", extra={"reason": str(refused)})
        return nothing


def refuses(question: Callable[[], object]) -> bool:
    """Say whether the engine refuses a query."""
    try:
        with EngineCall():
            question()
    except EngineRefused:
        return True
    return False


def without(node: Query, fails: Callable[[Query], bool]) -> Query | None:
    """Return a query without the parts that fail by themselves, None if all of it fails."""
    match node:
        case ask.QueryWord() | ask.Phrase() | ask.Near() | ask.Prefix() | ask.Pattern() | ask.Like():
            return None if fails(node) else node
        case ask.Exact() | ask.Range() | ask.AttributeMatch() | ask.AttributeRange():
            return ask.Nothing() if fails(node) else node
        case ask.Everything() | ask.Nothing():
            return node
        case ask.And() | ask.Or():
            parts = _kept(node.parts, fails)
            return replace(node, parts=parts) if parts else None
        case ask.Not():
            part = without(node.part, fails)
            return None if part is None else ask.Not(part)
        case ask.Clauses():
            must, should, never = (_kept(each, fails) for each in (node.must, node.should, node.never))
            return replace(node, must=must, should=should, never=never) if must or should or never else None
    assert_never(node)


def _kept(parts: Iterable[Query], fails: Callable[[Query], bool]) -> tuple[Query, ...]:
    return tuple(left for left in (without(part, fails) for part in parts) if left is not None)


def _failed(reason: str) -> QueryFailed:
    return QueryFailed(f"The index cannot answer this search ({reason}). Use fewer or plainer words.")
