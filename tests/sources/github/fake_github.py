"""A fake GitHub: the documented answers of its REST and GraphQL interfaces to the questions of a crawler."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.sources.json_api.fake_server import Asked, FakeServer, Reply

TOKEN = "ghp_canary4713"


@dataclass
class Issue:
    """An issue; `pull` makes it a pull request."""

    number: int
    title: str
    body: str
    updated: float
    pull: bool = False
    state: str = "open"
    author: str | None = "ada"
    comments: list[dict[str, Any]] = field(default_factory=list)
    reviews: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Repo:
    """A repository."""

    private: bool = False
    issues: dict[int, Issue] = field(default_factory=dict)
    discussions: dict[int, Issue] = field(default_factory=dict)
    moved: dict[int, str] = field(default_factory=dict)
    releases: dict[int, dict[str, Any]] = field(default_factory=dict)


class FakeGitHub(FakeServer):
    """Repositories of the owner `bay`. `remaining` is how many more requests are answered before `reset`."""

    def __init__(self, per_page: int = 100) -> None:
        self.repos: dict[str, Repo] = {"bay/birds": Repo()}
        self.per_page, self.remaining, self.reset, self.token = per_page, 5_000, 0.0, ""
        self.counts = True
        self.now = 1_795_000_000.0
        self.last = 0
        super().__init__()

    def put(
        self, title: str, body: str, repo: str = "bay/birds", *, pull: bool = False, discussion: bool = False
    ) -> Issue:
        """Make an issue, or edit the one with that title."""
        with self.lock:
            self.now += 1
            place = self.repos[repo].discussions if discussion else self.repos[repo].issues
            known = next((each for each in place.values() if each.title == title), None)
            if known is None:
                self.last += 1
                known = place[self.last] = Issue(self.last, title, body, self.now, pull)
            known.body, known.updated = body, self.now
            return known

    def comment(self, issue: Issue, text: str, author: str | None = "grace") -> None:
        """Say something about it."""
        with self.lock:
            self.now += 1
            issue.updated = self.now
            issue.comments.append({
                "user": {"login": author} if author else None, "body_html": f"<p>{text}</p>",
                "created_at": iso(self.now), "body": text,
            })  # fmt: skip

    def remove(self, title: str, repo: str = "bay/birds") -> None:
        """Delete an issue."""
        with self.lock:
            place = self.repos[repo].issues
            del place[next(number for number, each in place.items() if each.title == title)]

    def reply(self, asked: Asked) -> Reply:
        """Answer as api.github.com does."""
        if self.token and asked.headers.get("authorization") != f"Bearer {self.token}":
            return Reply({"message": "Bad credentials"}, 401)
        if self.remaining <= 0:
            limits = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(self.reset))}
            return Reply({"message": "API rate limit exceeded"}, 403, limits)
        reply = self._answer(asked)
        if reply.status == 200:
            etag = f'W/"{hashlib.sha1(reply.data).hexdigest()}"'
            if asked.headers.get("if-none-match") == etag:
                return Reply(None, 304, {"ETag": etag})
            self.remaining -= 1
            reply.headers = {**reply.headers, "ETag": etag, "X-RateLimit-Remaining": str(self.remaining)}
        return reply

    def _answer(self, asked: Asked) -> Reply:
        if asked.path.endswith("/graphql"):
            return self._graphql(json.loads(asked.body))
        words = asked.path.strip("/").split("/")[2:]
        if words[0] == "orgs":
            return self._paged(asked, [self._repo(name) for name in sorted(self.repos)])
        name = "/".join(words[1:3])
        if name not in self.repos:
            return Reply({"message": "Not Found"}, 404)
        repo, rest = self.repos[name], words[3:]
        if not rest:
            return Reply(self._repo(name))
        if rest[0] == "releases":
            return self._releases(asked, repo, rest[1:])
        return self._issues(asked, name, repo) if rest == ["issues"] else self._records(asked, name, repo, rest)

    def _records(self, asked: Asked, name: str, repo: Repo, rest: list[str]) -> Reply:
        number = int(rest[1])
        if number in repo.moved:
            return Reply(None, 301, {"Location": f"{self.url}/api/v3/repos/{repo.moved[number]}/issues/{number}"})
        issue = repo.issues.get(number)
        if issue is None:
            return Reply({"message": "This issue was deleted"}, 410)
        if len(rest) == 2:
            return Reply(self._issue(name, issue, rendered="html" in asked.headers["accept"]))
        if rest[0] == "pulls":
            return self._paged(asked, issue.reviews if rest[2] == "reviews" else [])
        return self._paged(asked, issue.comments)

    def _issues(self, asked: Asked, name: str, repo: Repo) -> Reply:
        parameters = asked.parameters
        since = parameters.get("since", "")
        fitting = [each for each in repo.issues.values() if iso(each.updated) >= since]
        by_update = parameters.get("sort") == "updated"
        fitting.sort(key=lambda each: each.updated if by_update else each.number)
        if parameters.get("direction") == "desc":
            fitting.reverse()
        return self._paged(asked, [self._issue(name, each) for each in fitting])

    def _releases(self, asked: Asked, repo: Repo, words: list[str]) -> Reply:
        if not words:
            return self._paged(asked, [repo.releases[number] for number in sorted(repo.releases, reverse=True)])
        found = repo.releases.get(int(words[0]))
        if found is None:
            return Reply({"message": "Not Found"}, 404)
        rendered = {"body_html": f"<p>{found['body']}</p>"} if "html" in asked.headers["accept"] else {}
        return Reply(found | rendered)

    def release(self, number: int, body: str, **more: object) -> None:
        """Publish a release, or edit the one with that number."""
        with self.lock:
            self.repos["bay/birds"].releases[number] = {
                "id": number, "name": f"Version {number}", "tag_name": f"v{number}", "body": body, "draft": False,
                "prerelease": False, "author": {"login": "ada"}, "published_at": "2026-05-01T00:00:00Z",
                "html_url": f"https://github.test/bay/birds/releases/tag/v{number}",
                "assets": [{"name": "birds.tar.gz", "size": 12, "updated_at": "2026-05-01T00:00:00Z"}], **more,
            }  # fmt: skip

    def _paged(self, asked: Asked, items: list[dict[str, Any]]) -> Reply:
        size = min(int(asked.parameters.get("per_page", "30")), self.per_page)
        page = int(asked.parameters.get("page", "1"))
        last = max(1, -(-len(items) // size))
        links = []
        if page < last:
            query = "&".join(f"{key}={value}" for key, value in asked.parameters.items() if key != "page")
            links.append(f'<{self.url}{asked.raw_path}?{query}&page={page + 1}>; rel="next"')
            if self.counts:
                links.append(f'<{self.url}{asked.raw_path}?{query}&page={last}>; rel="last"')
        headers = {"Link": ", ".join(links)} if links else {}
        return Reply(items[(page - 1) * size : page * size], headers=headers)

    def _repo(self, name: str) -> dict[str, Any]:
        repo = self.repos[name]
        return {
            "id": 1, "full_name": name, "private": repo.private, "visibility": "private" if repo.private else "public",
            "has_issues": True, "has_discussions": bool(repo.discussions),
        }  # fmt: skip

    def _issue(self, name: str, issue: Issue, *, rendered: bool = False) -> dict[str, Any]:
        found: dict[str, Any] = {
            "id": 10_000 + issue.number, "number": issue.number, "title": issue.title, "state": issue.state,
            "user": {"login": issue.author} if issue.author else None, "labels": [{"name": "bug"}, {"name": "sea"}],
            "assignees": [{"login": "grace"}], "milestone": {"title": "Spring"}, "comments": len(issue.comments),
            "created_at": "2026-01-01T00:00:00Z", "updated_at": iso(issue.updated), "closed_at": None,
            "html_url": f"https://github.test/{name}/issues/{issue.number}",
            "repository_url": f"{self.url}/api/v3/repos/{name}",
        }  # fmt: skip
        if issue.pull:
            found["pull_request"] = {"merged_at": None}
            found["html_url"] = f"https://github.test/{name}/pull/{issue.number}"
        return found | ({"body_html": f"<p>{issue.body}</p>"} if rendered else {"body": issue.body})

    def _graphql(self, asked: dict[str, Any]) -> Reply:
        variables = asked["variables"]
        repo = self.repos.get(f"{variables['owner']}/{variables['name']}")
        if repo is None:
            return Reply({"data": {"repository": None}, "errors": [{"type": "NOT_FOUND"}]})
        if "number" in variables:
            found = repo.discussions.get(variables["number"])
            if found is None:
                return Reply({"data": {"repository": {"discussion": None}}, "errors": [{"type": "NOT_FOUND"}]})
            return Reply({"data": {"repository": {"discussion": _discussion(found)}}})
        newest = sorted(repo.discussions.values(), key=lambda each: -each.updated)
        if "CREATED_AT" in asked["query"]:
            newest.sort(key=lambda each: -each.number)
        first = int(variables.get("after") or 0)
        size = min(100, self.per_page)
        nodes = [{
            "number": each.number, "databaseId": each.number, "updatedAt": iso(each.updated), "closed": False,
            "url": f"https://github.test/discussions/{each.number}", "comments": {"totalCount": len(each.comments)},
        } for each in newest[first : first + size]]  # fmt: skip
        info = {"hasNextPage": len(newest) > first + size, "endCursor": str(first + size)}
        found_all = {"totalCount": len(newest), "pageInfo": info, "nodes": nodes}
        return Reply({"data": {"repository": {"discussions": found_all}}})


def _discussion(found: Issue) -> dict[str, Any]:
    comments = [{
        "bodyHTML": each["body_html"], "createdAt": each["created_at"], "isAnswer": True, "author": None,
        "replies": {"nodes": [{"bodyHTML": "<p>thanks</p>", "createdAt": each["created_at"],
                               "author": {"login": "eve"}}]},
    } for each in found.comments]  # fmt: skip
    return {
        "number": found.number, "title": found.title, "url": f"https://github.test/discussions/{found.number}",
        "bodyHTML": found.body, "createdAt": iso(found.updated), "updatedAt": iso(found.updated), "closed": False,
        "author": {"login": "ada"}, "category": {"name": "Ideas"}, "labels": {"nodes": [{"name": "sea"}]},
        "comments": {"pageInfo": {"hasNextPage": False, "endCursor": ""}, "nodes": comments},
    }  # fmt: skip


def iso(seconds: float) -> str:
    """Write a moment as GitHub does."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
