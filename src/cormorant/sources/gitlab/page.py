"""Documents of GitLab: an issue or merge request with its notes as Markdown, a wiki page as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from cormorant.model.acl import ACL
from cormorant.model.content import Content, Value
from cormorant.sources.gitlab.client import ISSUES, GitLabClient, Project
from cormorant.sources.json_api.exchange import Exchange
from cormorant.sources.json_api.record import JsonRecord, records_of
from cormorant.sources.json_api.source import shown
from cormorant.sources.json_api.thread_page import GHOST, MOST_PAGES, Comment, ThreadRecord, day_of, thread_page
from cormorant.sources.record_page import RecordSection

_UPLOADS: Final = "](/uploads/"
"""How Markdown leads to a file that was attached, below the address of its project."""


def record_of(client: GitLabClient, project: Project, sort: str, number: int) -> Exchange[JsonRecord]:
    """Ask for an issue or merge request. Raises ApiFault."""
    answer = yield from client.rest(f"/projects/{project.id}/{sort}/{number}")
    return JsonRecord(answer.value)


def record_thread(
    client: GitLabClient, project: Project, sort: str, record: JsonRecord, *, internal: bool
) -> Exchange[ThreadRecord]:
    """Ask for the notes of a record; internal ones belong to it where it is for members only. Raises ApiFault."""
    said, is_cut = yield from notes_of(client, project, sort, record.number("iid"), internal=internal)
    return _thread(project, sort, record, said, is_cut=is_cut)


def notes_of(
    client: GitLabClient, project: Project, sort: str, number: int, *, internal: bool
) -> Exchange[tuple[list[Comment], bool]]:
    """Ask for the notes of a record, and whether they are not all. Raises ApiFault."""
    said = list[Comment]()
    page = f"/projects/{project.id}/{sort}/{number}/notes?sort=asc&order_by=created_at&per_page=100"
    for _ in range(MOST_PAGES):
        answer = yield from client.rest(page)
        for each in records_of(answer.value):
            is_internal = each.flag("internal") or each.flag("confidential")
            if not each.flag("system") and (internal or not is_internal):
                said.append(_note(project, each, is_internal=is_internal))
        page = client.next_page(answer, page)
        if not page:
            return said, False
    return said, True


def wiki_page(client: GitLabClient, project: Project, slug: str, address: str, acl: ACL | None) -> Exchange[Content]:
    """Ask for a page of a project's wiki, rendered by GitLab. Raises ApiFault."""
    answer = yield from client.rest(f"/projects/{project.id}/wikis/{quote(slug, safe='')}?render_html=true")
    page = JsonRecord(answer.value)
    url = wiki_address(project, slug)
    attributes: dict[str, Value] = {"Project": project.path, "Type": "wiki page"}
    description = RecordSection("", page.text("content"), is_html=True)
    return thread_page(ThreadRecord(page.line("title") or slug, url, description, (), (), attributes), address, acl)


def wiki_address(project: Project, slug: str) -> str:
    """Return where people read a page of a wiki, "" where GitLab names no address of the project."""
    return shown(f"{project.url}/-/wikis/{quote(slug)}")


def _note(project: Project, record: JsonRecord, *, is_internal: bool) -> Comment:
    position = record.record("position").line("new_path")
    sort = "internal" if is_internal else f"on {position}" if position else ""
    author = record.record("author").line("name") or GHOST
    return Comment(author, record.at("created_at"), _linked(project, record.text("body")), is_html=False, sort=sort)


def _thread(project: Project, sort: str, record: JsonRecord, said: Sequence[Comment], *, is_cut: bool) -> ThreadRecord:
    author, labels = record.record("author").line("name") or GHOST, record.lines("labels")
    assignees, milestone = record.names("assignees", "name"), record.record("milestone").line("title")
    name, mark = ("issue", "#") if sort == ISSUES else ("merge request", "!")
    number, state = record.number("iid"), record.line("state")
    attributes: dict[str, Value] = {
        "Author": author, "Keywords": labels, "State": state, "Assignee": assignees, "Milestone": milestone,
        "Project": project.path, "Type": name, "Number": float(number),
        "Confidential": "yes" if record.flag("confidential") else "",
    }  # fmt: skip
    moments = {each: record.at(each) for each in ("created_at", "closed_at", "merged_at")} | {
        "due_at": record.at("due_date")
    }
    return ThreadRecord(
        record.line("title") or f"{project.path}{mark}{number}",
        shown(record.text("web_url")),
        RecordSection("", _linked(project, record.text("description")), is_html=False),
        said,
        [
            ("Project", project.path), ("Number", f"{mark}{number} ({name})"), ("State", state), ("Author", author),
            ("Created", day_of(moments["created_at"])), ("Closed", day_of(moments["closed_at"])),
            ("Due", record.line("due_date")), ("Labels", ", ".join(labels)), ("Assignees", ", ".join(assignees)),
            ("Milestone", milestone),
        ],
        attributes | {each: at for each, at in moments.items() if at is not None},
        record.at("updated_at"),
        is_cut,
    )  # fmt: skip


def _linked(project: Project, markdown: str) -> str:
    """Return Markdown whose links to attached files are whole addresses."""
    base = shown(project.url)
    return markdown.replace(_UPLOADS, f"]({base}/uploads/") if base else markdown
