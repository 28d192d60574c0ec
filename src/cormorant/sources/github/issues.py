"""Issues and pull requests of a repository: all of them, and those that changed since a moment."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

from cormorant.model.status import Status
from cormorant.sources.github.client import GitHubClient, Repository
from cormorant.sources.json_api.client import ApiAnswer, page_links
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange
from cormorant.sources.json_api.record import JsonRecord, moment_of, records_of

_ALL: Final = "state=all&per_page=100"
ATTEMPTS: Final = 3
"""Listings of a repository in which issues disappear meanwhile, before it is given up."""


class IssueEntry(NamedTuple):
    """An issue or a pull request as a listing tells it."""

    number: int
    id: int
    updated: str
    comments: int
    url: str
    is_pull: bool
    is_closed: bool


Entries = Generator[Sequence[IssueEntry], None, dict[str, Any]]
"""Batches of entries; at their end how far they were read."""


class Tally(NamedTuple):
    """The number of issues of a repository, -1 where GitHub does not tell it, and the greatest of their numbers."""

    issues: int
    top: int


def tally_of(client: GitHubClient, repository: Repository) -> Exchange[Tally]:
    """Count the issues by the number of the last page, of one issue each. Raises ApiFault."""
    url = f"{client.settings.url}{repository.path}/issues?state=all&per_page=1&sort=created&direction=desc"
    answer = yield from _asked(client, url)
    if answer is None:
        return Tally(0, 0)
    entries = _entries(answer)
    links = page_links(answer.headers, url)
    if "next" not in links:
        return Tally(len(entries), entries[0].number if entries else 0)
    pages = parse_qs(urlsplit(links.get("last", "")).query).get("page", [""])[0]
    count = int(pages) if pages.isascii() and pages.isdigit() and len(pages) < 10 else -1
    return Tally(count, entries[0].number if entries else 0)


def every_issue(client: GitHubClient, session: DiscoverySession, repository: Repository) -> Entries:
    """Yield all issues, oldest first. Raises ApiFault when some disappear again and again while they are listed."""
    for _ in range(ATTEMPTS):
        tally = yield from session.follow(tally_of(client, repository))
        page, newest, listed = f"{repository.path}/issues?{_ALL}&sort=created&direction=asc", "", set[int]()
        while page:
            answer = yield from session.follow(_asked(client, page))
            entries = _entries(answer) if answer is not None else []
            newest = max([newest, *(each.updated for each in entries)])
            listed.update(each.number for each in entries)
            yield entries
            page = client.next_page(answer) if answer is not None else ""
        if tally.issues <= sum(number <= tally.top for number in listed):
            return _mark(newest, tally, listed)
    raise ApiFault(Status.CONFLICT, f"Issues of {repository.name} disappear while they are listed.", passing=True)


def changed_issues(
    client: GitHubClient, session: DiscoverySession, repository: Repository, mark: dict[str, Any]
) -> Generator[Sequence[IssueEntry], None, dict[str, Any] | None]:
    """Yield the issues that changed since a mark; returns the next one, None when some may be gone. Raises ApiFault."""
    since, count, top = str(mark["since"]), int(mark["count"]), int(mark["top"])
    newest, etag, added = since, str(mark.get("etag", "")), set[int]()
    tally = yield from session.follow(tally_of(client, repository))
    page = f"{repository.path}/issues?{_ALL}&sort=updated&direction=desc" + (f"&since={quote(since)}" if since else "")
    is_first = True
    while page:
        answer = yield from session.follow(_asked(client, page, etag if is_first else ""))
        if answer is None or answer.status == 304:
            break
        entries = _entries(answer)
        newest = max([newest, *(each.updated for each in entries)])
        added.update(each.number for each in entries if each.number > top)
        etag = answer.headers.get("etag") if is_first else etag
        yield entries
        page, is_first = client.next_page(answer), False
    expected = count + sum(number <= tally.top for number in added)
    if tally.top < top or (min(count, tally.issues) >= 0 and tally.issues != expected):
        return None
    return _mark(newest, tally, added) | {"etag": etag if newest == since else ""}


def _mark(newest: str, tally: Tally, listed: set[int]) -> dict[str, Any]:
    """Return how far issues were read; those that were made after they were counted are counted here."""
    count = tally.issues + sum(number > tally.top for number in listed) if tally.issues >= 0 else -1
    return {"since": newest, "count": count, "top": max([tally.top, *listed])}


def _asked(client: GitHubClient, page: str, etag: str = "") -> Exchange[ApiAnswer | None]:
    """Ask for a page of issues; None when the repository has none because they are switched off (410)."""
    conditional = (f"If-None-Match: {etag}",) if etag else ()
    try:
        return (yield from client.rest(page, *conditional))
    except ApiFault as fault:
        if fault.status == Status.GONE:
            return None
        raise


def _entries(answer: ApiAnswer) -> list[IssueEntry]:
    if not isinstance(answer.value, list):
        raise ApiFault(Status.PROTOCOL_ERROR, "GitHub answers something else than a list of issues.", passing=True)
    return [entry_of(each) for each in records_of(answer.value) if each.number("number") > 0]


def entry_of(record: JsonRecord) -> IssueEntry:
    """Return an issue as a listing tells it."""
    return IssueEntry(
        record.number("number"),
        record.number("id"),
        updated_at(record, "updated_at"),
        record.number("comments"),
        record.text("html_url"),
        is_pull="pull_request" in record,
        is_closed=record.text("state") == "closed",
    )


def updated_at(record: JsonRecord, name: str) -> str:
    """Return a moment as GitHub writes it, which can be compared as a text; "" for anything else."""
    text = record.line(name)
    return text if text.endswith("Z") and moment_of(text) is not None else ""
