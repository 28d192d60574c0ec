"""GitLab source: issues, merge requests, wiki pages and snippets of projects."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import Any, Final, TypeVar

from cormorant.model.acl import ACL
from cormorant.model.content import Content
from cormorant.model.outcome import Failed, Gone, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.status import Status
from cormorant.sources.gitlab.client import ISSUES, MERGE_REQUESTS, SNIPPETS, WIKIS, GitLabClient, Project
from cormorant.sources.gitlab.page import record_of, record_thread, wiki_address, wiki_page
from cormorant.sources.gitlab.records import WikiEntry, changed_records, every_record, wiki_pages
from cormorant.sources.gitlab.settings import GitLabSettings
from cormorant.sources.gitlab.snippets import is_private, is_public, snippet_thread, snippets_of
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange
from cormorant.sources.json_api.key_mark import gone_since, key_mark
from cormorant.sources.json_api.numbered import NumberedEntry
from cormorant.sources.json_api.source import ApiSource, Changes, Listing, Marks, shown, version_of
from cormorant.sources.json_api.thread_page import thread_markdown

R = TypeVar("R")
_KEY: Final = re.compile(r"(?s)([\w./-]+?)/-/(?:(issues|merge_requests|snippets)/([1-9][0-9]{0,11})|wikis/(.+))")
_CLOSED: Final = "closed"
Batch = Sequence[DiscoveredUrl | Removal]


class GitLabSource(ApiSource[GitLabSettings, GitLabClient]):
    """Issues, merge requests, wiki pages and snippets of projects."""

    kind, about = "gitlab", "Issues, merge requests, wiki pages and snippets of GitLab."
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
            for sort in self._unmarked(each):
                found = yield from session.follow(self._everything(client, each, sort))
                mark[sort] = key_mark(found)
                yield list(found.values())
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
            unmarked = list(self._unmarked(each))
            wanted = {_CLOSED, *sorts, *unmarked}
            if wanted != before.keys() or before[_CLOSED] != mark[_CLOSED]:
                return None
            for sort in sorts:
                entries = changed_records(client, session, each, sort, before[sort])
                mark[sort] = yield from self._taken(client, each, sort, entries)
                if mark[sort] is None:
                    return None
            for sort in unmarked:
                found = yield from session.follow(self._everything(client, each, sort))
                mark[sort], gone = key_mark(found), gone_since(before[sort], found)
                if gone is None:
                    return None
                yield [Removal(self.address_of(_key(each, sort, name))) for name in gone]
                yield list(found.values())
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
        is_snippet = sort == SNIPPETS
        is_confidential = is_private(record) if is_snippet else record.flag("confidential")
        if is_confidential and self.settings.confidential == "skip":
            return Gone()
        is_open = is_public(record) if is_snippet else True
        acl = client.acl_of(project, sort, confidential=is_confidential, public=is_open)
        internal = acl is not None and self.settings.confidential == "members"
        if is_snippet:
            thread = yield from snippet_thread(client, project, record)
        else:
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

    def _unmarked(self, project: Project) -> Iterator[str]:
        """Yield the sorts of a project that GitLab does not name by their changes; each crawl lists all of them."""
        settings = self.settings
        for sort, is_wanted in ((WIKIS, settings.wiki), (SNIPPETS, settings.snippets and bool(settings.token))):
            if is_wanted and sort in project.sorts:
                yield sort

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

    def _everything(self, client: GitLabClient, project: Project, sort: str) -> Exchange[dict[str, DiscoveredUrl]]:
        """Return the pages of a wiki or the snippets of a project, by their names. Raises ApiFault."""
        if sort == WIKIS:
            acl = client.acl_of(project, WIKIS)
            pages = yield from wiki_pages(client, project)
            return {each.slug: self._page(project, each, acl) for each in pages}
        found = {}
        for each in (yield from snippets_of(client, project)):
            if not (each.is_private and self.settings.confidential == "skip"):
                acl = client.acl_of(project, SNIPPETS, confidential=each.is_private, public=each.is_public)
                name = str(each.id)
                key = _key(project, SNIPPETS, name)
                found[name] = self.found(key, version_of(key, each.updated, each.is_private, acl=acl), shown(each.url))
        return found

    def _page(self, project: Project, page: WikiEntry, acl: ACL | None) -> DiscoveredUrl:
        key = _key(project, WIKIS, page.slug)
        return self.found(
            key, version_of(key, page.version, acl=acl) if page.version else "", wiki_address(project, page.slug)
        )


def _key(project: Project, sort: str, name: str) -> str:
    return f"{project.path}/-/{sort}/{name}"
