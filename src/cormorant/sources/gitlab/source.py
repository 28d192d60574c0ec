"""GitLab source: issues, merge requests and wiki pages of projects."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any, Final, TypeVar

from cormorant.model.acl import ACL
from cormorant.model.content import Content
from cormorant.model.outcome import Failed, Gone, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.status import Status
from cormorant.sources.gitlab.client import ISSUES, MERGE_REQUESTS, WIKIS, GitLabClient, Project
from cormorant.sources.gitlab.page import record_of, record_thread, wiki_address, wiki_page
from cormorant.sources.gitlab.records import WikiEntry, changed_records, every_record, wiki_pages
from cormorant.sources.gitlab.settings import GitLabSettings
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange
from cormorant.sources.json_api.numbered import NumberedEntry
from cormorant.sources.json_api.source import ApiSource, Changes, Listing, Marks, shown, version_of
from cormorant.sources.json_api.thread_page import thread_markdown

R = TypeVar("R")
_KEY: Final = re.compile(r"(?s)([\w./-]+?)/-/(?:(issues|merge_requests)/([1-9][0-9]{0,11})|wikis/(.+))")
_CLOSED: Final = "closed"
_MOST_SLUGS: Final = 1_000
"""Pages of a wiki whose names a cursor remembers, so that those that are gone can be named."""
Batch = Sequence[DiscoveredUrl | Removal]


class GitLabSource(ApiSource[GitLabSettings, GitLabClient]):
    """Issues, merge requests and wiki pages of projects."""

    kind, about = "gitlab", "Issues, merge requests and wiki pages of GitLab."
    Settings = GitLabSettings

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._projects: dict[str, Project] = {}

    def client(self) -> GitLabClient:
        """Return a client with the token."""
        return GitLabClient(self.settings, self.secret(self.settings.token), self.tools.clock)

    def listing(self, client: GitLabClient, session: DiscoverySession) -> Listing:
        """Yield everything of each project."""
        marks: Marks = {}
        for each in (yield from session.follow(client.projects())):
            mark = marks[each.path] = {_CLOSED: sorted(each.closed)}
            for sort in self._records(each):
                entries = every_record(client, session, each, sort)
                mark[sort] = yield from self._taken(client, each, sort, entries)
            if self._has_wiki(each):
                pages = yield from session.follow(wiki_pages(client, each))
                mark[WIKIS] = _slugs(pages)
                yield list(self._pages(client, each, pages))
        return marks

    def changes(self, client: GitLabClient, session: DiscoverySession, marks: Marks) -> Changes:
        """Yield what changed in each project; all is listed when there are other ones, or something is gone."""
        projects = yield from session.follow(client.projects())
        if {each.path for each in projects} != marks.keys():
            return None
        after: Marks = {}
        for each in projects:
            before, sorts = marks[each.path], list(self._records(each))
            mark = after[each.path] = {_CLOSED: sorted(each.closed)}
            wanted = {_CLOSED, *sorts, *((WIKIS,) if self._has_wiki(each) else ())}
            if wanted != before.keys() or before[_CLOSED] != mark[_CLOSED]:
                return None
            for sort in sorts:
                entries = changed_records(client, session, each, sort, before[sort])
                mark[sort] = yield from self._taken(client, each, sort, entries)
                if mark[sort] is None:
                    return None
            if WIKIS in wanted:
                pages = yield from session.follow(wiki_pages(client, each))
                mark[WIKIS] = _slugs(pages)
                if not isinstance(before[WIKIS], list) and before[WIKIS] != mark[WIKIS]:
                    return None
                gone = set(before[WIKIS]) - {page.slug for page in pages} if isinstance(before[WIKIS], list) else ()
                yield [Removal(self.address_of(_wiki_key(each, slug))) for slug in gone]
                yield list(self._pages(client, each, pages))
        return after

    def document(self, client: GitLabClient, key: str, resource: Resource) -> Exchange[Content | Outcome]:
        """Ask for one record with its notes, or for a page of a wiki."""
        found = _KEY.fullmatch(key)
        if found is None:
            return Failed(Status.BAD_REQUEST, "This is not the address of a record of GitLab.")
        path, sort, number, slug = found.groups()
        project = yield from self._known(client, path)
        try:
            if slug is not None:
                acl = client.acl_of(project, WIKIS)
                return (yield from wiki_page(client, project, slug, resource.address, acl))
            return (yield from self._record(client, project, sort, int(number), resource.address))
        except ApiFault as fault:
            if fault.status not in (Status.NOT_FOUND, Status.GONE):
                raise
        yield from self._known(client, path, again=True)
        return Gone()

    def _record(
        self, client: GitLabClient, project: Project, sort: str, number: int, address: str
    ) -> Exchange[Content | Outcome]:
        record = yield from record_of(client, project, sort, number)
        is_confidential = record.flag("confidential")
        if is_confidential and self.settings.confidential == "skip":
            return Gone()
        acl = client.acl_of(project, sort, confidential=is_confidential)
        internal = acl is not None and self.settings.confidential == "members"
        thread = yield from record_thread(client, project, sort, record, internal=internal)
        return thread_markdown(thread, address, acl)

    def _known(self, client: GitLabClient, path: str, *, again: bool = False) -> Exchange[Project]:
        """Ask for a project, once unless it is to be seen whether the token still reads it.

        GitLab calls missing what it hides, and nothing is gone then.
        """
        if again or path not in self._projects:
            try:
                self._projects[path] = yield from client.project(path)
            except ApiFault as fault:
                if fault.status != Status.NOT_FOUND:
                    raise
                reason = "The token does not read the project any more, or it is gone."
                raise ApiFault(Status.FORBIDDEN, reason, passing=True) from None
        return self._projects[path]

    def _records(self, project: Project) -> Iterator[str]:
        """Yield the sorts of records of a project that are read."""
        for sort, is_wanted in ((ISSUES, self.settings.issues), (MERGE_REQUESTS, self.settings.merge_requests)):
            if is_wanted and sort in project.sorts:
                yield sort

    def _has_wiki(self, project: Project) -> bool:
        return self.settings.wiki and WIKIS in project.sorts

    def _taken(
        self, client: GitLabClient, project: Project, sort: str, entries: Generator[Sequence[NumberedEntry], None, R]
    ) -> Generator[Batch, None, R]:
        """Yield entries as what discovery names; returns what they return."""
        try:
            while True:
                yield [self._named(client, project, sort, each) for each in next(entries)]
        except StopIteration as stop:
            result: R = stop.value
            return result

    def _named(
        self, client: GitLabClient, project: Project, sort: str, entry: NumberedEntry
    ) -> DiscoveredUrl | Removal:
        key = f"{project.path}/-/{sort}/{entry.number}"
        if (entry.is_closed and not self.settings.closed) or (
            entry.is_confidential and self.settings.confidential == "skip"
        ):
            return Removal(self.address_of(key))
        acl = client.acl_of(project, sort, confidential=entry.is_confidential)
        version = version_of(key, entry.id, entry.updated, entry.comments, entry.is_confidential, acl=acl)
        return self.found(key, version, shown(entry.url))

    def _pages(self, client: GitLabClient, project: Project, pages: Sequence[WikiEntry]) -> Iterator[DiscoveredUrl]:
        acl: ACL | None = client.acl_of(project, WIKIS)
        for each in pages:
            key = _wiki_key(project, each.slug)
            version = version_of(key, each.version, acl=acl) if each.version else ""
            yield self.found(key, version, wiki_address(project, each.slug))


def _wiki_key(project: Project, slug: str) -> str:
    return f"{project.path}/-/wikis/{slug}"


def _slugs(pages: Sequence[WikiEntry]) -> list[str] | str:
    """Return the names of pages as a cursor remembers them, of very many only a sign of which they are."""
    slugs = sorted(each.slug for each in pages)
    return slugs if len(slugs) <= _MOST_SLUGS else version_of(*slugs)
