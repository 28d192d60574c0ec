"""GitHub source: issues, pull requests, discussions and releases of repositories."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import quote

from cormorant.model.acl import ACL
from cormorant.model.content import Content
from cormorant.model.outcome import Failed, Gone, Outcome
from cormorant.model.resource import DiscoveredUrl, Removal, Resource
from cormorant.model.status import Status
from cormorant.sources.github.client import GitHubClient, Repository, repository_of
from cormorant.sources.github.discussions import changed_discussions, discussion_thread, every_discussion
from cormorant.sources.github.issues import changed_issues, every_issue
from cormorant.sources.github.page import issue_thread
from cormorant.sources.github.releases import Releases, release_thread, releases_of
from cormorant.sources.github.settings import GitHubSettings
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange
from cormorant.sources.json_api.key_mark import gone_since, key_mark
from cormorant.sources.json_api.numbered import NumberedEntry
from cormorant.sources.json_api.record import JsonRecord
from cormorant.sources.json_api.source import ApiSource, Changes, Listing, Marks, shown, version_of
from cormorant.sources.json_api.thread_page import ThreadRecord, thread_page

R = TypeVar("R")
_OPEN: Final = "open"
_ISSUES: Final = "issues"
_DISCUSSIONS: Final = "discussions"
_RELEASES: Final = "releases"
_KEY: Final = re.compile(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)/(issues|discussions|releases)/([1-9][0-9]{0,11})")


class GitHubSource(ApiSource[GitHubSettings, GitHubClient]):
    """Issues, pull requests, discussions and releases of repositories."""

    kind, about = "github", "Issues, pull requests, discussions and releases of GitHub."
    Settings = GitHubSettings

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._repositories: dict[str, Repository] = {}

    def client(self) -> GitHubClient:
        """Return a client with the token."""
        return GitHubClient(self.settings, self.secret(self.settings.token), self.tools.clock)

    def listing(self, client: GitHubClient, session: DiscoverySession) -> Listing:
        """Yield everything of each repository."""
        marks: Marks = {}
        for each in (yield from session.follow(client.repositories())):
            mark = marks[each.name] = {_OPEN: each.is_open}
            taken = self._taken(client, each, _ISSUES, every_issue(client, session, each))
            mark[_ISSUES] = yield from taken
            if self._has_discussions(each):
                taken = self._taken(client, each, _DISCUSSIONS, every_discussion(client, session, each))
                mark[_DISCUSSIONS] = yield from taken
            if self.settings.releases:
                releases = yield from session.follow(releases_of(client, each.path))
                mark[_RELEASES] = key_mark(releases)
                yield self._released(client, each, releases)
        return marks

    def changes(self, client: GitHubClient, session: DiscoverySession, marks: Marks) -> Changes:
        """Yield what changed in each repository; all is listed when there are other ones, or something is gone."""
        repositories = yield from session.follow(client.repositories())
        if {each.name for each in repositories} != marks.keys():
            return None
        after: Marks = {}
        for each in repositories:
            before = marks[each.name]
            mark = after[each.name] = {_OPEN: each.is_open}
            if before.get(_OPEN) != each.is_open or (_DISCUSSIONS in before) != self._has_discussions(each):
                return None
            if (_RELEASES in before) != self.settings.releases:
                return None
            changed = changed_issues(client, session, each, before[_ISSUES])
            mark[_ISSUES] = yield from self._taken(client, each, _ISSUES, changed)
            if mark[_ISSUES] is not None and _DISCUSSIONS in before:
                changed = changed_discussions(client, session, each, before[_DISCUSSIONS])
                mark[_DISCUSSIONS] = yield from self._taken(client, each, _DISCUSSIONS, changed)
            if None in mark.values():
                return None
            if self.settings.releases:
                releases = yield from session.follow(releases_of(client, each.path))
                mark[_RELEASES], gone = key_mark(releases), gone_since(before[_RELEASES], releases)
                if gone is None:
                    return None
                yield [Removal(self.address_of(f"{each.name}/{_RELEASES}/{number}")) for number in gone]
                yield self._released(client, each, releases)
        return after

    def document(self, client: GitHubClient, key: str, resource: Resource) -> Exchange[Content | Outcome]:
        """Ask for one record with everything that was said about it."""
        found = _KEY.fullmatch(key)
        if found is None:
            return Failed(Status.BAD_REQUEST, "This is not the address of a record of GitHub.")
        name, sort, number = found[1], found[2], int(found[3])
        path = f"/repos/{quote(name)}"
        acl = None
        if self.settings.repository_grants:
            acl = client.acl_of((yield from self._known(client, path)))
        try:
            record: ThreadRecord | None
            if sort == _DISCUSSIONS:
                record = yield from discussion_thread(client, name, number)
            elif sort == _RELEASES:
                record = yield from release_thread(client, path, number)
            else:
                record = yield from issue_thread(client, path, number)
        except ApiFault as fault:
            if fault.status not in (Status.NOT_FOUND, Status.GONE):
                raise
            record = None
        if record is None:
            yield from self._still_read(client, path)
            return Gone()
        return thread_page(record, resource.address, acl)

    def _known(self, client: GitHubClient, path: str) -> Exchange[Repository]:
        """Ask for a repository, once."""
        if path not in self._repositories:
            answer = yield from client.rest(path)
            self._repositories[path] = repository_of(JsonRecord(answer.value))
        return self._repositories[path]

    def _still_read(self, client: GitHubClient, path: str) -> Exchange[None]:
        """See that the token still reads a repository: GitHub calls missing what it hides, and nothing is gone then."""
        try:
            yield from client.rest(path)
        except ApiFault as fault:
            if fault.status in (Status.NOT_FOUND, Status.GONE):
                reason = "The token does not read the repository any more, or it is gone."
                raise ApiFault(Status.FORBIDDEN, reason, passing=True) from None
            raise

    def _has_discussions(self, repository: Repository) -> bool:
        return self.settings.discussions and repository.has_discussions

    def _released(self, client: GitHubClient, repository: Repository, releases: Releases) -> Sequence[DiscoveredUrl]:
        """Return the releases of a repository as what discovery names."""
        acl = client.acl_of(repository)
        return [
            self.found(f"{repository.name}/{_RELEASES}/{number}", version_of(version, acl=acl), shown(url))
            for number, (version, url) in releases.items()
        ]

    def _taken(
        self,
        client: GitHubClient,
        repository: Repository,
        sort: str,
        entries: Generator[Sequence[NumberedEntry], None, R],
    ) -> Generator[Sequence[DiscoveredUrl | Removal], None, R]:
        """Yield entries as what discovery names; returns what they return."""
        acl = client.acl_of(repository)
        try:
            while True:
                yield [self._named(each, f"{repository.name}/{sort}/{each.number}", acl) for each in next(entries)]
        except StopIteration as stop:
            result: R = stop.value
            return result

    def _named(self, entry: NumberedEntry, key: str, acl: ACL | None) -> DiscoveredUrl | Removal:
        if (entry.is_closed and not self.settings.closed) or (entry.is_pull and not self.settings.pull_requests):
            return Removal(self.address_of(key))
        version = version_of(key, entry.id, entry.updated, entry.comments, acl=acl)
        return self.found(key, version, shown(entry.url))
