"""A fake GitLab: the documented answers of its REST interface to the questions of a crawler."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote

from tests.sources.json_api.fake_server import Asked, FakeServer, Reply

TOKEN = "glpat-canary4713"


@dataclass
class Item:
    """An issue or a merge request."""

    iid: int
    title: str
    text: str
    created: float
    updated: float
    state: str = "opened"
    confidential: bool = False
    notes: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Snippet:
    """A snippet; `files` are its texts by their paths."""

    id: int
    title: str
    files: dict[str, bytes]
    updated: float
    visibility: str = "public"
    notes: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class FakeProject:
    """A project. `levels` are access levels by the names of their members."""

    number: int
    path: str
    visibility: str = "public"
    issues: dict[int, Item] = field(default_factory=dict)
    merge_requests: dict[int, Item] = field(default_factory=dict)
    wikis: dict[str, str] = field(default_factory=dict)
    snippets: dict[int, Snippet] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)


class FakeGitLab(FakeServer):
    """Projects of the group `bay`. `per_page` is the most of a page, `counts` whether it tells how many there are."""

    def __init__(self, per_page: int = 100) -> None:
        self.projects = [FakeProject(7, "bay/birds")]
        self.per_page, self.counts, self.token, self.zone = per_page, True, "", "Z"
        self.outer = ""
        self.now, self.last = 1_795_000_000.0, 0
        super().__init__()

    @property
    def birds(self) -> FakeProject:
        """The first project."""
        return self.projects[0]

    def put(self, title: str, text: str, sort: str = "issues") -> Item:
        """Make a record, or edit the one with that title."""
        with self.lock:
            self.now += 1
            place: dict[int, Item] = getattr(self.birds, sort)
            known = next((each for each in place.values() if each.title == title), None)
            if known is None:
                self.last += 1
                known = place[self.last] = Item(self.last, title, text, self.now, self.now)
            known.text, known.updated = text, self.now
            return known

    def note(self, item: Item, text: str, **more: object) -> None:
        """Say something about it."""
        with self.lock:
            self.now += 1
            item.updated = self.now
            note = {"body": text, "author": {"name": "Grace"}, "created_at": self.iso(self.now), "system": False,
                    "internal": False}  # fmt: skip
            item.notes.append(note | more)

    def remove(self, title: str, sort: str = "issues") -> None:
        """Delete a record."""
        with self.lock:
            place: dict[int, Item] = getattr(self.birds, sort)
            del place[next(number for number, each in place.items() if each.title == title)]

    def reply(self, asked: Asked) -> Reply:
        """Answer as gitlab.com does."""
        if self.token and asked.headers.get("authorization") != f"Bearer {self.token}":
            return Reply({"message": "401 Unauthorized"}, 401)
        words = [unquote(each) for each in asked.raw_path.split("/")[3:]]
        if words[0] == "groups":
            return self._paged(asked, [self._project(each) for each in self.projects])
        project = next((each for each in self.projects if words[1] in (each.path, str(each.number))), None)
        if project is None:
            return Reply({"message": "404 Project Not Found"}, 404)
        if len(words) == 2:
            return Reply(self._project(project))
        if words[2] == "wikis":
            return self._wiki(project, words[3:], asked)
        if words[2] == "snippets":
            return self._snippets(project, words[3:], asked)
        place: dict[int, Item] = getattr(project, words[2])
        if len(words) == 3:
            return self._items(asked, project, words[2], place)
        item = place.get(int(words[3]))
        if item is None:
            return Reply({"message": "404 Not found"}, 404)
        return self._paged(asked, item.notes) if len(words) == 5 else Reply(self._item(project, words[2], item))

    def _items(self, asked: Asked, project: FakeProject, sort: str, place: dict[int, Item]) -> Reply:
        parameters = asked.parameters
        by_update = parameters["order_by"] == "updated_at"
        found = sorted(place.values(), key=lambda each: each.updated if by_update else each.created)
        after = parameters.get("updated_after", ""), parameters.get("created_after", "")
        found = [each for each in found if self.iso(each.updated) >= after[0] and self.iso(each.created) >= after[1]]
        if parameters["sort"] == "desc":
            found.reverse()
        return self._paged(asked, [self._item(project, sort, each) for each in found])

    def _wiki(self, project: FakeProject, words: list[str], asked: Asked) -> Reply:
        if words:
            if words[0] not in project.wikis:
                return Reply({"message": "404 Wiki Page Not Found"}, 404)
            html = f"<p>{project.wikis[words[0]]}</p>"
            return Reply({"slug": words[0], "title": words[0].title(), "format": "markdown", "content": html})
        with_content = asked.parameters.get("with_content") == "1"
        return Reply([
            {"slug": slug, "title": slug.title(), "format": "markdown"} | ({"content": text} if with_content else {})
            for slug, text in project.wikis.items()
        ])  # fmt: skip

    def _snippets(self, project: FakeProject, words: list[str], asked: Asked) -> Reply:
        """Answer as lib/api/project_snippets.rb does, which wants a login."""
        if "authorization" not in asked.headers:
            return Reply({"message": "401 Unauthorized"}, 401)
        if not words:
            return self._paged(asked, [self._snippet(project, each) for each in project.snippets.values()])
        snippet = project.snippets.get(int(words[0]))
        if snippet is None:
            return Reply({"message": "404 Snippet Not Found"}, 404)
        if words[1:2] == ["notes"]:
            return self._paged(asked, snippet.notes)
        if words[1:3] == ["files", "main"] and words[4] == "raw" and words[3] in snippet.files:
            return Reply(body=snippet.files[words[3]], headers={"Content-Type": "text/plain"})
        return Reply(self._snippet(project, snippet)) if len(words) == 1 else Reply({"message": "404 Not Found"}, 404)

    def _snippet(self, project: FakeProject, snippet: Snippet) -> dict[str, Any]:
        address = f"https://gitlab.test/{project.path}/-/snippets/{snippet.id}"
        return {
            "id": snippet.id, "title": snippet.title, "description": "About *it*", "visibility": snippet.visibility,
            "author": {"name": "Ada"}, "created_at": self.iso(1_795_000_000), "updated_at": self.iso(snippet.updated),
            "project_id": project.number, "web_url": address, "raw_url": f"{address}/raw", "file_name": "a",
            "files": [{"path": path, "raw_url": f"{address}/raw/main/{quote(path)}"} for path in snippet.files],
        }  # fmt: skip

    def _paged(self, asked: Asked, items: list[dict[str, Any]]) -> Reply:
        size = min(int(asked.parameters.get("per_page", "20")), self.per_page)
        page = int(asked.parameters.get("page", "1"))
        headers = {"X-Total": str(len(items))} if self.counts else {}
        if page * size < len(items):
            query = "&".join(f"{key}={value}" for key, value in asked.parameters.items() if key != "page")
            headers["Link"] = f'<{self.outer or self.url}{asked.raw_path}?{query}&page={page + 1}>; rel="next"'
        return Reply(items[(page - 1) * size : page * size], headers=headers)

    def _project(self, project: FakeProject) -> dict[str, Any]:
        return {
            "id": project.number, "path_with_namespace": project.path, "visibility": project.visibility,
            "web_url": f"https://gitlab.test/{project.path}", "wiki_access_level": "enabled", **project.levels,
        }  # fmt: skip

    def _item(self, project: FakeProject, sort: str, item: Item) -> dict[str, Any]:
        return {
            "id": 1_000 + item.iid, "iid": item.iid, "title": item.title, "description": item.text,
            "state": item.state, "confidential": item.confidential, "labels": ["sea", "urgent"],
            "author": {"name": "Ada"}, "assignees": [{"name": "Grace"}], "milestone": {"title": "Spring"},
            "user_notes_count": len(item.notes), "created_at": self.iso(item.created),
            "updated_at": self.iso(item.updated), "closed_at": None, "due_date": "2026-05-01",
            "web_url": f"https://gitlab.test/{project.path}/-/{sort}/{item.iid}",
        }  # fmt: skip

    def iso(self, seconds: float) -> str:
        """Write a moment as GitLab does."""
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000") + self.zone
