"""Issues and pull requests of a repository: all of them, and those that changed since a moment."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

from cormorant.model.status import Status
from cormorant.sources.github.client import GitHubClient, Repository
from cormorant.sources.json_api.client import ApiAnswer, page_links
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange
from cormorant.sources.json_api.numbered import (
    Entries,
    EntriesOrNone,
    NumberedEntry,
    Pages,
    Tally,
    changed,
    entries_of,
    listed,
    moment_text,
)
from cormorant.sources.json_api.record import JsonRecord

_ALL: Final = "state=all&per_page=100"


def every_issue(client: GitHubClient, session: DiscoverySession, repository: Repository) -> Entries:
    """Yield all issues, oldest first. Raises ApiFault."""
    path = f"{repository.path}/issues?{_ALL}&sort=created&direction=asc"
    return listed(session, lambda: tally_of(client, repository), lambda: _pages(client, session, path), repository.name)


def changed_issues(
    client: GitHubClient, session: DiscoverySession, repository: Repository, mark: dict[str, Any]
) -> EntriesOrNone:
    """Yield the issues that changed since a mark, newest first. Raises ApiFault."""
    path = f"{repository.path}/issues?{_ALL}&sort=updated&direction=desc"

    def since(moment: str, etag: str) -> Pages:
        return _pages(client, session, path + (f"&since={quote(moment)}" if moment else ""), etag)

    return changed(session, lambda: tally_of(client, repository), since, mark)


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


def _pages(client: GitHubClient, session: DiscoverySession, path: str, etag: str = "") -> Pages:
    """Yield the pages of a listing; returns the ETag of the first."""
    page, is_first = path, True
    while page:
        answer = yield from session.follow(_asked(client, page, etag if is_first else ""))
        if answer is None or answer.status == 304:
            break
        etag = answer.headers.get("etag") if is_first else etag
        yield _entries(answer)
        page, is_first = client.next_page(answer), False
    return etag


def _asked(client: GitHubClient, page: str, etag: str = "") -> Exchange[ApiAnswer | None]:
    """Ask for a page of issues; None when the repository has none because they are switched off (410)."""
    conditional = (f"If-None-Match: {etag}",) if etag else ()
    try:
        return (yield from client.rest(page, *conditional))
    except ApiFault as fault:
        if fault.status == Status.GONE:
            return None
        raise


def _entries(answer: ApiAnswer) -> list[NumberedEntry]:
    return entries_of(answer, "GitHub", "number", _entry)


def _entry(record: JsonRecord) -> NumberedEntry:
    return NumberedEntry(
        record.number("number"),
        record.number("id"),
        moment_text(record, "updated_at"),
        record.number("comments"),
        record.text("html_url"),
        is_closed=record.text("state") == "closed",
        is_pull="pull_request" in record,
    )
