"""Issues, merge requests and wiki pages of a project: all of them, and those that changed since a moment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import xxhash

from cormorant.model.status import Status
from cormorant.sources.gitlab.client import GitLabClient, Project
from cormorant.sources.json_api.client import ApiAnswer
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
    see_list,
)
from cormorant.sources.json_api.record import JsonRecord, records_of

_SIZE: Final = 100
_MOST_TIES: Final = 500
"""Pages of records that were made at one moment."""


class WikiEntry(NamedTuple):
    """A page of a wiki; `version` is "" when the wiki is too large to be listed with its texts."""

    slug: str
    version: str


def every_record(client: GitLabClient, session: DiscoverySession, project: Project, sort: str) -> Entries:
    """Yield all issues or merge requests of a project, oldest first. Raises ApiFault."""
    return listed(
        session,
        lambda: _tally(client, project, sort),
        lambda: _oldest_first(client, session, project, sort),
        project.path,
    )


def changed_records(
    client: GitLabClient, session: DiscoverySession, project: Project, sort: str, mark: dict[str, Any]
) -> EntriesOrNone:
    """Yield the issues or merge requests that changed since a mark, newest first. Raises ApiFault."""

    def since(moment: str, _etag: str) -> Pages:
        after = f"&updated_after={quote(moment)}" if moment else ""
        page = f"{_path(project, sort)}&per_page={_SIZE}&order_by=updated_at&sort=desc{after}"
        while page:
            answer = yield from session.follow(client.rest(page))
            yield _entries(answer)
            page = client.next_page(answer, page)
        return ""

    return changed(session, lambda: _tally(client, project, sort), since, mark)


def wiki_pages(client: GitLabClient, project: Project) -> Exchange[list[WikiEntry]]:
    """Return the pages of a project's wiki, which GitLab lists in one answer. Raises ApiFault."""
    path = f"/projects/{project.id}/wikis"
    try:
        answer = yield from client.rest(f"{path}?with_content=1")
    except ApiFault as fault:
        if fault.status != Status.TOO_BIG:
            raise
        answer = yield from client.rest(path)
    see_list(answer, "GitLab")
    return [
        WikiEntry(each.text("slug"), _digest((each.text("title"), each.text("content"))) if "content" in each else "")
        for each in records_of(answer.value)
        if each.text("slug")
    ]


def _oldest_first(client: GitLabClient, session: DiscoverySession, project: Project, sort: str) -> Pages:
    """Yield all records by the moment at which they were made, so that none is skipped when another disappears."""
    path = f"{_path(project, sort)}&per_page={_SIZE}&order_by=created_at&sort=asc"
    after, number = "", 1
    while number <= _MOST_TIES:
        asked = f"{path}&page={number}" + (f"&created_after={quote(after)}" if after else "")
        answer = yield from session.follow(client.rest(asked))
        yield _entries(answer)
        made = [moment_text(each, "created_at") for each in records_of(answer.value)]
        if not client.next_page(answer, asked):
            return ""
        last = made[-1] if made else ""
        after, number = (last, 1) if last > after else (after, number + 1)
    raise ApiFault(Status.PROTOCOL_ERROR, "GitLab does not go on with its listing.")


def _tally(client: GitLabClient, project: Project, sort: str) -> Exchange[Tally]:
    """Count the records of a project, which GitLab tells up to ten thousand. Raises ApiFault."""
    answer = yield from client.rest(f"{_path(project, sort)}&per_page=1&order_by=created_at&sort=desc")
    entries, total = _entries(answer), answer.headers.get("x-total")
    count = int(total) if total.isascii() and total.isdigit() and len(total) < 10 else -1
    return Tally(count, max((each.number for each in entries), default=0))


def _path(project: Project, sort: str) -> str:
    return f"/projects/{project.id}/{sort}?scope=all&state=all"


def _entries(answer: ApiAnswer) -> list[NumberedEntry]:
    return entries_of(answer, "GitLab", "iid", _entry)


def _entry(record: JsonRecord) -> NumberedEntry:
    return NumberedEntry(
        record.number("iid"),
        record.number("id"),
        moment_text(record, "updated_at"),
        record.number("user_notes_count"),
        record.text("web_url"),
        is_closed=record.text("state") in ("closed", "merged"),
        is_confidential=record.flag("confidential"),
    )


def _digest(texts: Iterable[str]) -> str:
    return xxhash.xxh3_64_hexdigest("\0".join(texts).encode())
