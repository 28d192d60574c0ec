"""Client of GitHub's interfaces, with their limits of rate and their pages.

https://docs.github.com/en/rest/using-the-rest-api: rate limits, pagination, best practices.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from cormorant.model.acl import ACL
from cormorant.model.status import Status
from cormorant.net.http.messages import Response
from cormorant.sources.github.settings import GitHubSettings
from cormorant.sources.json_api.client import ApiAnswer, ApiClient, page_links
from cormorant.sources.json_api.exchange import ApiFault, Exchange
from cormorant.sources.json_api.record import JsonRecord, records_of

PLAIN: Final = "application/vnd.github+json"
RENDERED: Final = "application/vnd.github.html+json"
"""Has texts rendered as HTML, in `body_html`."""
_VERSION: Final = "X-GitHub-Api-Version: 2022-11-28"
_SECONDARY_S: Final = 60.0
"""Seconds after a limit that names no end ("wait for at least one minute")."""
_LIMITED: Final = b'"RATE_LIMITED"'


class Repository(NamedTuple):
    """A repository. `is_open`: everybody may read it."""

    name: str
    is_open: bool
    has_discussions: bool

    @property
    def path(self) -> str:
        """The beginning of the path of whatever belongs to it."""
        return f"/repos/{quote(self.name)}"

    @property
    def variables(self) -> dict[str, Any]:
        """Its variables in a question of GraphQL."""
        return variables_of(self.name)


def variables_of(name: str) -> dict[str, Any]:
    """Return the variables of the repository owner/name in a question of GraphQL."""
    owner, _, bare = name.partition("/")
    return {"owner": owner, "name": bare}


def repository_of(record: JsonRecord) -> Repository:
    """Return a repository as the interface describes it."""
    return Repository(
        record.line("full_name"),
        is_open=not record.flag("private") and record.text("visibility") in ("", "public"),
        has_discussions=record.flag("has_discussions"),
    )


class GitHubClient(ApiClient):
    """Asks one GitHub."""

    settings: GitHubSettings

    def rest_s(self, got: Response) -> float | None:
        """Return the seconds to wait after a response beyond a limit of rate, primary or secondary."""
        if got.status == 200 and _LIMITED in got.body[:2_000]:
            return self._reset_s(got) or _SECONDARY_S
        if got.status not in (403, 429):
            return super().rest_s(got)
        asked = got.headers.get("retry-after")
        if asked.isascii() and asked.isdigit():
            return float(asked[:9])
        if got.headers.get("x-ratelimit-remaining") == "0":
            return self._reset_s(got) or _SECONDARY_S
        if got.status == 429 or b"secondary rate limit" in got.body[:2_000]:
            return _SECONDARY_S
        return None

    def rights(self) -> str:
        """Return the sentence about rights that a token may lack."""
        return "Give the token the rights that the how-to page of this kind names."

    def rest(self, path: str, *headers: str, accept: str = PLAIN) -> Exchange[ApiAnswer]:
        """Get a value of the REST interface by its path or its whole address. Raises ApiFault."""
        url = path if path.startswith("http") else f"{self.settings.url}{path}"
        got = yield from self.got(self.request(url, f"Accept: {accept}", _VERSION, *headers))
        return self.answer(got)

    def next_page(self, answer: ApiAnswer) -> str:
        """Return the address of the next page, "" at the end. Raises ApiFault for one of another server."""
        found = page_links(answer.headers, self.settings.url).get("next", "")
        if found and not self.is_own(found):
            raise ApiFault(
                Status.PROTOCOL_ERROR, "GitHub names a next page of another server. Set url to the address it goes by."
            )
        return found

    def graphql(self, query: str, variables: Mapping[str, Any]) -> Exchange[JsonRecord]:
        """Ask the GraphQL interface. Raises ApiFault for its errors, too."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = self.request(self.settings.graphql, "Content-Type: application/json", body=body)
        got = yield from self.got(request)
        answer = JsonRecord(self.answer(got).value)
        errors = answer.records("errors")
        if errors:
            sort = errors[0].line("type")
            if sort == "NOT_FOUND":
                raise ApiFault(404, "GitHub has no such thing, or the token may not read it.")
            raise ApiFault(403 if sort == "FORBIDDEN" else 400, f"GitHub answers with the error {sort[:80]!r}.")
        return answer.record("data")

    def repositories(self) -> Exchange[list[Repository]]:
        """Return the repositories that the settings name. Raises ApiFault for one that cannot be read."""
        found: dict[str, Repository] = {}
        for name in self.settings.repository:
            try:
                answer = yield from self.rest(f"/repos/{quote(name)}")
            except ApiFault as fault:
                if fault.status == 404:
                    fault.reason = f"There is no repository {name}, or the token may not read it."
                raise
            each = repository_of(JsonRecord(answer.value))
            found[each.name] = each
        page = f"/orgs/{quote(self.settings.organisation)}/repos?type=all&per_page=100"
        while self.settings.organisation and page:
            answer = yield from self.rest(page)
            members = [repository_of(each) for each in records_of(answer.value)]
            found |= {each.name: each for each in members if each.name.count("/") == 1}
            page = self.next_page(answer)
        return list(found.values())

    def acl_of(self, repository: Repository) -> ACL | None:
        """Return who may read the documents of a repository, None for everybody whom the source admits."""
        if not self.settings.repository_grants or repository.is_open:
            return None
        return ACL.of([f"group:{repository.name}"], self.settings.denies)

    def _reset_s(self, got: Response) -> float | None:
        reset = got.headers.get("x-ratelimit-reset")
        if not (reset.isascii() and reset.isdigit()):
            return None
        return max(float(reset[:12]) - self.clock.now(), 1.0)
