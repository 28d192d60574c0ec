"""Titles of a wiki: all of a namespace, and those that changed since a moment."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from cormorant.base.clock import timestamp
from cormorant.model.status import Status
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Signs, Waiting
from cormorant.sources.json_api.record import JsonRecord, moment_of
from cormorant.sources.mediawiki.client import FILE, MediaWikiClient

AT_ONCE: Final = 50
"""Titles that anybody may ask for at once (API:Query)."""
MOST_CHANGED: Final = 100_000
"""Changed titles above which everything is listed instead."""
OVERLAP_S: Final = 600.0
"""Seconds before the last discovery from which changes are read again: some are written late."""
KEPT_S: Final = 86_400.0
"""Seconds for which every wiki keeps its recent changes, whatever `$wgRCMaxAge` says."""
_INFO: Final = {"prop": "info", "inprop": "url"}
_FILE_INFO: Final = {"prop": "info|imageinfo", "inprop": "url", "iiprop": "sha1"}


class PageEntry(NamedTuple):
    """A title as the wiki knows it. `revision` is the number of the newest one; `sha1` is that of a file."""

    title: str
    namespace: int
    is_there: bool
    revision: int = 0
    url: str = ""
    sha1: str = ""


Titles = Generator[Sequence[PageEntry], None, None]


def clock_of(client: MediaWikiClient, session: DiscoverySession) -> Waiting[str]:
    """Return the wiki's own time, as it writes it."""
    answer = yield from session.follow(client.query({"action": "query", "curtimestamp": 1, "meta": "siteinfo"}))
    return answer.text("curtimestamp")


def titles_of(client: MediaWikiClient, session: DiscoverySession, namespace: int) -> Titles:
    """Yield every page of a namespace that is no redirect. Raises ApiFault."""
    info = _FILE_INFO if namespace == FILE else _INFO
    asked = {
        "action": "query", "generator": "allpages", "gapnamespace": namespace, "gapfilterredir": "nonredirects",
        "gaplimit": "max", **info,
    }  # fmt: skip
    for answer in _pages(client, session, asked):
        yield [] if answer is None else _entries(answer)


def changed_since(
    client: MediaWikiClient, session: DiscoverySession, since: str
) -> Generator[Sequence[PageEntry], None, bool]:
    """Yield the state of every title that changed; returns whether these are all. Raises ApiFault.

    Edits, new pages, and the events of the log: deleted, restored, moved, uploaded, imported.
    """
    if not (yield from _reaches(client, session, since)):
        return False
    asked = {
        "action": "query", "list": "recentchanges", "rcprop": "title|loginfo", "rctype": "edit|new|log",
        "rcdir": "newer", "rcstart": _earlier(since), "rclimit": "max",
    }  # fmt: skip
    seen = set[str]()
    for answer in _pages(client, session, asked):
        fresh = [] if answer is None else [each for each in _changed(answer) if each not in seen]
        titles = iter(dict.fromkeys(fresh))
        seen.update(fresh)
        if len(seen) > MOST_CHANGED:
            return False
        yield []
        while some := list(islice(titles, AT_ONCE)):
            yield (yield from _states(client, session, some))
    return True


def _states(
    client: MediaWikiClient, session: DiscoverySession, titles: Sequence[str]
) -> Generator[Sequence[PageEntry], None, Sequence[PageEntry]]:
    """Return the states of at most AT_ONCE titles; yields nothing but signs of life."""
    found: dict[str, PageEntry] = {}
    asked = {"action": "query", **_FILE_INFO}
    body = {"titles": "|".join(titles)}
    for answer in _pages(client, session, asked, body):
        if answer is None:
            yield []
        else:
            found |= {each.title: each for each in _entries(answer)}
    return list(found.values())


def _pages(
    client: MediaWikiClient, session: DiscoverySession, asked: Mapping[str, object], body: dict[str, str] | None = None
) -> Iterator[JsonRecord | None]:
    """Yield the answers to a query, gone on with until it is complete (API:Continue); None as a sign of life.

    Parts of an answer whose batch is not complete are put together.
    """
    more: dict[str, str] = {}
    parts: dict[str, dict[str, object]] = {}
    while True:
        signs = Signs(session.follow(client.query({**asked, **more}, body)))
        for _ in signs:
            yield None
        answer = signs.result
        yield from _whole(answer, parts)
        go_on = answer.record("continue")
        before, more = more, {name: go_on.scalar(name) for name in go_on.members}
        if not more:
            return
        if more == before:
            raise ApiFault(Status.PROTOCOL_ERROR, "The wiki does not go on with its listing.")


def _whole(answer: JsonRecord, parts: dict[str, dict[str, object]]) -> Iterator[JsonRecord]:
    """Yield an answer whose batch is complete, with the members that came in parts before."""
    query = answer.record("query")
    for page in query.records("pages"):
        parts.setdefault(page.text("title"), {}).update(page.members)
    if answer.flag("batchcomplete") or "continue" not in answer:
        yield JsonRecord({**query.members, "pages": list(parts.values())})
        parts.clear()
    elif len(parts) > MOST_CHANGED:
        raise ApiFault(Status.PROTOCOL_ERROR, "The wiki does not complete a part of its listing.")


def _entries(answer: JsonRecord) -> list[PageEntry]:
    return [entry_of(page) for page in answer.records("pages") if page.text("title") and not page.flag("invalid")]


def entry_of(page: JsonRecord) -> PageEntry:
    """Return the state of a page as `prop=info|imageinfo` tells it."""
    files = page.records("imageinfo")
    return PageEntry(
        page.text("title"),
        page.number("ns"),
        is_there=not page.flag("missing") and not page.flag("redirect"),
        revision=page.number("lastrevid"),
        url=page.text("fullurl"),
        sha1=files[0].line("sha1") if files else "",
    )


def _reaches(
    client: MediaWikiClient, session: DiscoverySession, since: str
) -> Generator[Sequence[PageEntry], None, bool]:
    """Return whether the recent changes of the wiki reach back to a moment."""
    asked = {"action": "query", "list": "recentchanges", "rcprop": "timestamp", "rcdir": "newer", "rclimit": 1}
    signs = Signs(session.follow(client.query({**asked, "curtimestamp": 1})))
    for _ in signs:
        yield []
    answer = signs.result
    began, now = moment_of(since), answer.at("curtimestamp")
    if began is None or now is None:
        return False
    oldest = [each.at("timestamp") for each in answer.record("query").records("recentchanges")]
    first = oldest[0] if oldest else None
    return (first is not None and first <= began) or now - began < KEPT_S


def _changed(answer: JsonRecord) -> Iterator[str]:
    for each in answer.records("recentchanges"):
        yield from filter(None, (each.text("title"), each.record("logparams").text("target_title")))


def _earlier(since: str) -> str:
    moment = (moment_of(since) or 0.0) - OVERLAP_S
    return f"{timestamp(max(moment, 0.0))[:19]}Z"
