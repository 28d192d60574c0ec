"""Federation: asks search servers with a reader's query while the index is searched, and fuses what both find.

    begin -> which sources may this reader ask, and is the query for them? -> sent on an event loop
                                            the index is searched meanwhile
    merge <- answers in time, notes about the others <----------------------'

No reader waits longer than `timeout_s` of a source, and no fault of a server costs a hit of the index.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, assert_never

from cormorant.base.errors import CormorantError
from cormorant.base.log import logger
from cormorant.model.acl import Reader
from cormorant.model.status import Status
from cormorant.operate.installation import Installation
from cormorant.operate.search.circuit_breaker import CircuitBreaker
from cormorant.operate.search.event_loop import EventLoopThread
from cormorant.plugins import LiveAnswer, LiveFault, LiveHit, LiveSource, Secrets, Tools, make_source, source_kind
from cormorant.search.index import query as ask
from cormorant.search.index.query import Key, Query, Sort
from cormorant.search.query.filters import NOTHING_CHOSEN, SOURCE
from cormorant.search.query.lexer import LONGEST
from cormorant.search.query.parser import parse
from cormorant.search.reader import (
    Answer,
    Facet,
    FacetValue,
    FederatedResult,
    GroupBy,
    Hit,
    KnownAttributes,
    Question,
    ResultGroup,
)
from cormorant.search.results.match_positions import Needles
from cormorant.search.results.rank_fusion import fuse
from cormorant.search.results.snippet import plain_line, snippet
from cormorant.store.catalog import sources
from cormorant.store.catalog.sources import SourceRow

_log = logger(__name__)

SLACK_S: Final = 0.1
"""Seconds after its time limit in which an answer is still taken."""
FIRST_ID: Final = -2
"""The id of the first federated hit of an answer; further ones count down. No document has a negative one."""
MOST_OF_GROUP: Final = 3
"""Hits of a federated source if hits are grouped."""
MAX_TITLE: Final = 300
_OF_THE_QUERY: Final = frozenset((400, 413, 414, 422))
"""Statuses by which a server refuses a single query: other queries are still sent to it."""


class Endpoint:
    """A federated source in this process: its server, and the circuit breaker of that."""

    def __init__(self, row: SourceRow, source: LiveSource) -> None:
        self.name, self.source, self.breaker = row.name, source, CircuitBreaker()
        self.settings = json.dumps(dict(row.settings), sort_keys=True, default=str)

    def is_of(self, row: SourceRow) -> bool:
        """Return whether it was created from these settings."""
        return self.settings == json.dumps(dict(row.settings), sort_keys=True, default=str)


class _Sent(NamedTuple):
    """A query that was sent."""

    endpoint: Endpoint
    future: Future[LiveAnswer]


@dataclass(slots=True)
class FederatedSearch:
    """Queries of one search that were sent, and the sources that rest. `started` is when they were sent."""

    question: Question
    query: Query
    started: float
    sent: list[_Sent] = field(default_factory=list)
    resting: list[FederatedResult] = field(default_factory=list)


class Federation:
    """The federated sources of an installation. Several threads may use it; close it after the last search."""

    def __init__(self, house: Installation, secrets: Secrets) -> None:
        self._house, self._secrets = house, secrets
        self._lock = threading.Lock()
        self._endpoints: dict[int, Endpoint] = {}
        self._loop = EventLoopThread(house.egress) if house.egress is not None else None

    def names(self, reader: Reader) -> tuple[str, ...]:
        """Return the names of the federated sources that a reader may ask."""
        return tuple(endpoint.name for endpoint in self._known(reader))

    def begin(self, question: Question, reader: Reader, known: KnownAttributes) -> FederatedSearch | None:
        """Send a query to the sources that it is for and that the reader may ask; None if there is none.

        A source is asked only for the first page of a query with words, in the order of relevance. It is not asked if
        values of lists other than sources are chosen, since its results could not be checked against them.
        """
        if self._loop is None or not _is_first_page(question):
            return None
        endpoints = [each for each in self._known(reader) if not question.sources or each.name in question.sources]
        query = parse(question.text, known).query if endpoints else ask.Nothing()
        if not endpoints or not _has_words(query) or _names_sources(query):
            return None
        search = FederatedSearch(question, query, self._house.clock.monotonic())
        plain, is_begun = _is_plain(query), False
        try:
            for each in endpoints:
                text = each.source.routed(question.text[:LONGEST]) if plain or each.source.reads_fields else None
                if text:
                    self._send(search, each, text)
            is_begun = True
        finally:
            if not is_begun:
                self.drop(search)
        return search if search.sent or search.resting else None

    def merge(self, search: FederatedSearch, answer: Answer) -> Answer:
        """Wait for the servers as long as each may take, and return the answer with their hits among its own."""
        needles = Needles(ask.leaves(search.query))
        lists, results, number = list[Sequence[Hit]](), list(search.resting), FIRST_ID
        counts = dict[str, int]()
        for sent in search.sent:
            got = self._answer_of(sent, search.started)
            if isinstance(got, FederatedResult):
                results.append(got)
                continue
            found = got.hits[:MOST_OF_GROUP] if search.question.group else got.hits
            hits = [_hit(each, sent.endpoint.name, number - at, needles) for at, each in enumerate(found)]
            number -= len(hits)
            counts[sent.endpoint.name] = len(got.hits)
            lists.append(hits)
            results.append(FederatedResult(sent.endpoint.name, len(hits), got.total, self._ms(search.started)))
        merged = _grouped(answer, lists, counts) if search.question.group else _fused(answer, lists)
        merged = replace(merged, facets=_offered(answer.facets, counts, search.question.sources))
        order = sorted(results, key=lambda each: each.source)
        return replace(merged, federated=tuple(order), took_ms=max(answer.took_ms, self._ms(search.started)))

    def drop(self, search: FederatedSearch) -> None:
        """Cancel all requests, because the search itself has failed."""
        for sent in search.sent:
            sent.future.cancel()
            sent.endpoint.breaker.dropped(self._house.clock.monotonic())

    def close(self) -> None:
        """Close the connections. A later search opens new ones."""
        if self._loop is not None:
            self._loop.close()
        with self._lock:
            self._endpoints.clear()

    def _ms(self, started: float) -> float:
        return (self._house.clock.monotonic() - started) * 1000

    def _send(self, search: FederatedSearch, endpoint: Endpoint, text: str) -> None:
        """Send a query, unless the server rests."""
        rest_s = endpoint.breaker.admit(search.started)
        if rest_s:
            note = f"{endpoint.name} did not answer before, and is asked again in {max(rest_s, 1):.0f} s."
            search.resting.append(FederatedResult(endpoint.name, 0, None, 0.0, note))
        elif self._loop is not None:
            future = self._loop.submit(endpoint.source.ask(text, search.question.languages))
            search.sent.append(_Sent(endpoint, future))

    def _answer_of(self, sent: _Sent, started: float) -> LiveAnswer | FederatedResult:
        """Wait for an answer; return a result with a note for readers if there is none in time."""
        endpoint, clock = sent.endpoint, self._house.clock
        left_s = started + endpoint.source.timeout_s + SLACK_S - clock.monotonic()
        fault = _fault(sent, max(left_s, 0.0))
        if fault is None:
            endpoint.breaker.succeeded()
            return sent.future.result()
        if fault.status in _OF_THE_QUERY:
            endpoint.breaker.succeeded()
        else:
            endpoint.breaker.failed(clock.monotonic(), fault.rest_s)
        _log.warning(
            "federated_failed", extra={"source": endpoint.name, "status": fault.status, "reason": fault.reason}
        )
        late = fault.status == Status.READ_TIMEOUT
        why = f"did not answer in {endpoint.source.timeout_s:g} s" if late else "could not be searched"
        return FederatedResult(endpoint.name, 0, None, self._ms(started), f"{endpoint.name} {why}.")

    def _known(self, reader: Reader) -> list[Endpoint]:
        """Return the sources that a reader may ask, with their present settings."""
        if self._loop is None:
            return []
        with self._house.store.read() as tx:
            live = [number for number, kind in sources.kinds(tx).items() if _is_live(kind)]
            rows = [row for number in live if (row := sources.numbered(tx, number)) is not None]
        found = (self._endpoint(row, self._loop) for row in rows)
        return [each for each in found if each is not None and reader.may_read(each.source.settings.acl)]

    def _endpoint(self, row: SourceRow, loop: EventLoopThread) -> Endpoint | None:
        """Return the endpoint of a source, recreated after an edit; None if its settings are not valid."""
        with self._lock:
            known = self._endpoints.get(row.id)
        if known is not None and known.is_of(row):
            known.name = row.name
            return known
        tools = Tools(loop.fetcher, self._house.clock, self._secrets, egress=self._house.egress)
        try:
            source = make_source(row.kind, row.id, row.settings, tools)
        except CormorantError as error:
            _log.warning("federated_unusable", extra={"source": row.name, "reason": error.sentence})
            return None
        if not isinstance(source, LiveSource):
            return None
        with self._lock:
            found = self._endpoints[row.id] = Endpoint(row, source)
        return found


def _fault(sent: _Sent, left_s: float) -> LiveFault | None:
    """Wait for a server, and return why it has not answered, None if it has.

    A bug in the parser of an answer counts as a fault of the answer, since a hostile answer must not cost readers the
    hits of the index.
    """
    try:
        error = sent.future.exception(left_s)
    except (TimeoutError, CancelledError):
        sent.future.cancel()
        return LiveFault(Status.READ_TIMEOUT, "The server did not answer in time.")
    if error is None or isinstance(error, LiveFault):
        return error
    if isinstance(error, CormorantError):
        return LiveFault(Status.IO_ERROR, error.sentence)
    _log.error("federated_broken", extra={"source": sent.endpoint.name}, exc_info=error)
    return LiveFault(Status.PROTOCOL_ERROR, "The answer could not be read.")


def _is_live(kind: str) -> bool:
    try:
        return source_kind(kind).live
    except CormorantError:
        return False


def _is_first_page(question: Question) -> bool:
    """Return whether a question is for the first results by relevance, of everything or of whole sources."""
    return (
        question.federated
        and question.limit > 0
        and question.offset == 0
        and question.sort is Sort.RELEVANCE
        and question.chosen == NOTHING_CHOSEN
        and question.group in (None, GroupBy.SOURCE)
    )


def _parts(node: Query) -> Iterator[Query]:
    """Yield a query and every part of it, also those that must be absent."""
    yield node
    match node:
        case ask.And() | ask.Or():
            for part in node.parts:
                yield from _parts(part)
        case ask.Clauses():
            for part in (*node.must, *node.should, *node.never):
                yield from _parts(part)
        case ask.Not():
            yield from _parts(node.part)
        case _:
            return


def _has_words(query: Query) -> bool:
    return any(True for _ in ask.leaves(query))


def _names_sources(query: Query) -> bool:
    """Return whether a query itself names sources of this installation."""
    return any(isinstance(each, ask.Exact) and each.key is Key.SOURCE for each in _parts(query))


def _is_plain(query: Query) -> bool:
    """Return whether a query consists of words and phrases that may stand anywhere."""
    for each in _parts(query):
        match each:
            case ask.QueryWord() | ask.Phrase() | ask.Prefix():
                if each.field is not None:
                    return False
            case ask.And() | ask.Or() | ask.Clauses() | ask.Not() | ask.Nothing():
                continue
            case (
                ask.Near() | ask.Pattern() | ask.Like() | ask.Exact() | ask.Range() | ask.AttributeMatch()
                | ask.AttributeRange() | ask.Everything()
            ):  # fmt: skip
                return False
            case _:
                assert_never(each)
    return True


def _hit(found: LiveHit, source: str, number: int, needles: Needles) -> Hit:
    """Return a result of a server as a hit: plain text of bounded length, and what matches in it."""
    shown = snippet(found.text, needles)
    return Hit(
        id=number, url=found.url, title=plain_line(found.title, MAX_TITLE) or found.url, snippet=shown.text,
        highlights=shown.highlights, score=0.0, source=source, mime=found.mime, language=found.language,
        size_bytes=found.size_bytes, modified_at=found.modified_at, cached=False, duplicates=0,
        attributes=found.attributes, federated=True,
    )  # fmt: skip


def _fused(answer: Answer, lists: Sequence[Sequence[Hit]]) -> Answer:
    """Fuse other lists into the hits of an answer by rank; of an address in both, the hit of the index is kept."""
    if not any(lists):
        return answer
    own: dict[str, int] = {}
    for hit in answer.hits:
        own.setdefault(hit.url, hit.id)

    def key(hit: Hit) -> object:
        return own.get(hit.url, hit.url) if hit.federated else hit.id

    return replace(answer, hits=tuple(fuse([answer.hits, *lists], key)))


def _offered(facets: Sequence[Facet], counts: Mapping[str, int], chosen: Sequence[str]) -> tuple[Facet, ...]:
    """Return the facets with the federated sources that have hits among the sources."""
    more = tuple(FacetValue(name, count, chosen=name in chosen) for name, count in counts.items() if count)
    return tuple(
        each._replace(choices=(*(value for value in each.choices if value.value not in counts), *more))
        if each.name == SOURCE
        else each
        for each in facets
    )


def _grouped(answer: Answer, lists: Sequence[Sequence[Hit]], counts: Mapping[str, int]) -> Answer:
    """Add other lists to an answer as groups after its own; `counts` are the hits of each source."""
    hits = [replace(hit, group=hit.source) for each in lists for hit in each]
    groups = [ResultGroup(name, counts[name]) for name in dict.fromkeys(hit.source for hit in hits)]
    return replace(answer, hits=(*answer.hits, *hits), groups=(*answer.groups, *groups)) if hits else answer
