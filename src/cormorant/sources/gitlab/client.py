"""Client of GitLab's REST interface: pages, projects, and who may read what of them. https://docs.gitlab.com/api/rest/."""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

from cormorant.model.acl import ACL
from cormorant.net.http.messages import Response
from cormorant.sources.gitlab.settings import GitLabSettings
from cormorant.sources.json_api.client import ApiAnswer, ApiClient, page_links
from cormorant.sources.json_api.exchange import ApiFault, Exchange
from cormorant.sources.json_api.record import JsonRecord, records_of

ISSUES: Final = "issues"
MERGE_REQUESTS: Final = "merge_requests"
SNIPPETS: Final = "snippets"
WIKIS: Final = "wikis"
_LEVELS: Final = {
    ISSUES: "issues_access_level",
    MERGE_REQUESTS: "merge_requests_access_level",
    SNIPPETS: "snippets_access_level",
    WIKIS: "wiki_access_level",
}


class Project(NamedTuple):
    """A project. `sorts` are the sorts of documents that it has, `closed` those that not everybody may read."""

    id: int
    path: str
    url: str
    sorts: frozenset[str]
    closed: frozenset[str]

    @property
    def members(self) -> str:
        """The group of its members."""
        return f"group:{self.path}-members"


def project_of(record: JsonRecord) -> Project:
    """Return a project as the interface describes it."""
    levels = {sort: record.text(name) or "enabled" for sort, name in _LEVELS.items()}
    is_public = record.text("visibility") == "public"
    return Project(
        record.number("id"),
        record.line("path_with_namespace"),
        record.text("web_url"),
        frozenset(sort for sort, level in levels.items() if level != "disabled"),
        frozenset(sort for sort, level in levels.items() if not is_public or level == "private"),
    )


class GitLabClient(ApiClient):
    """Asks one GitLab."""

    settings: GitLabSettings

    def rest_s(self, got: Response) -> float | None:
        """Return the seconds to wait after a response beyond a limit of rate."""
        if got.status == 429 and "retry-after" not in got.headers:
            reset = got.headers.get("ratelimit-reset")
            if reset.isascii() and reset.isdigit():
                return max(float(reset[:12]) - self.clock.now(), 1.0)
        return super().rest_s(got)

    def rights(self) -> str:
        """Return the sentence about rights that a token may lack."""
        return "Give the token the scope read_api, and its user the role that the how-to page names."

    def rest(self, path: str) -> Exchange[ApiAnswer]:
        """Get a value by its path. Raises ApiFault."""
        return self.ask(f"{self.settings.api}{path}")

    def file(self, path: str) -> Exchange[bytes]:
        """Get a file as it is by its path. Raises ApiFault."""
        got = yield from self.got(self.request(f"{self.settings.api}{path}"))
        return got.body

    def next_page(self, answer: ApiAnswer, path: str) -> str:
        """Return the path of the next page, "" at the end.

        Only the query of the address that GitLab names is taken: behind a proxy it may go by another name.
        """
        named = page_links(answer.headers, self.settings.api).get("next", "")
        return f"{path.partition('?')[0]}?{urlsplit(named).query}" if named else ""

    def projects(self) -> Exchange[list[Project]]:
        """Return the projects that the settings name. Raises ApiFault for one that cannot be read."""
        found: dict[int, Project] = {}
        for name in self.settings.project:
            try:
                each = yield from self.project(name)
            except ApiFault as fault:
                if fault.status == 404:
                    fault.reason = f"There is no project {name}, or the token may not read it."
                raise
            found[each.id] = each
        group = quote(self.settings.group, safe="")
        page = f"/groups/{group}/projects?include_subgroups=true&with_shared=false&order_by=id&sort=asc&per_page=100"
        while group and page:
            answer = yield from self.rest(page)
            found |= {each.id: each for each in map(project_of, records_of(answer.value)) if each.id > 0 and each.path}
            page = self.next_page(answer, page)
        return list(found.values())

    def project(self, name: str) -> Exchange[Project]:
        """Return a project by its path or number. Raises ApiFault."""
        answer = yield from self.rest(f"/projects/{quote(name, safe='')}")
        return project_of(JsonRecord(answer.value))

    def acl_of(self, project: Project, sort: str, *, confidential: bool = False, public: bool = True) -> ACL | None:
        """Return who may read documents of a sort, None for everybody whom the source admits.

        `public`: GitLab shows this one to everybody, if it shows the sort.
        """
        if confidential or (self.settings.project_grants and (sort in project.closed or not public)):
            return ACL.of([project.members], self.settings.denies)
        return None
