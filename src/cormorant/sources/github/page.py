"""An issue or pull request as one page: its fields, its description, and everything said to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cormorant.model.content import Value
from cormorant.sources.github.client import RENDERED, GitHubClient
from cormorant.sources.json_api.exchange import Exchange
from cormorant.sources.json_api.record import JsonRecord, records_of
from cormorant.sources.json_api.source import shown
from cormorant.sources.json_api.thread_page import GHOST, MOST_PAGES, Comment, ThreadRecord, day_of
from cormorant.sources.record_page import RecordSection

_STATES: Final = {"APPROVED": "approved", "CHANGES_REQUESTED": "changes requested", "DISMISSED": "dismissed"}


def issue_thread(client: GitHubClient, path: str, number: int) -> Exchange[ThreadRecord | None]:
    """Ask for an issue of the repository at `path`, None for one that is elsewhere. Raises ApiFault."""
    answer = yield from client.rest(f"{path}/issues/{number}", accept=RENDERED)
    issue = JsonRecord(answer.value)
    if not issue.text("repository_url").lower().endswith(path.lower()) or issue.number("number") != number:
        return None  # it was transferred to another repository, where the answer comes from
    is_pull = "pull_request" in issue
    said, is_cut = list[Comment](), False
    if issue.number("comments"):
        found, is_cut = yield from _comments(client, f"{path}/issues/{number}/comments")
        said += found
    if is_pull and client.settings.reviews:
        for sort in ("reviews", "comments"):
            found, cut = yield from _comments(client, f"{path}/pulls/{number}/{sort}")
            said, is_cut = said + found, is_cut or cut
    said.sort(key=lambda each: each.at or 0.0)
    return _record(issue, said, is_cut=is_cut)


def _comments(client: GitHubClient, path: str) -> Exchange[tuple[list[Comment], bool]]:
    """Ask for the comments at a path; returns them, and whether there are more."""
    found, page = list[Comment](), f"{path}?per_page=100"
    for _ in range(MOST_PAGES):
        answer = yield from client.rest(page, accept=RENDERED)
        found += [comment for each in records_of(answer.value) if (comment := _comment(each)).text or comment.sort]
        page = client.next_page(answer)
        if not page:
            return found, False
    return found, True


def _comment(record: JsonRecord) -> Comment:
    state = record.text("state") if "submitted_at" in record else ""
    sort, at = _STATES.get(state, ""), record.at("created_at") or record.at("submitted_at")
    if path := record.line("path"):
        sort = f"on {path}"
    rendered = record.text("body_html")
    author = record.record("user").line("login") or GHOST
    return Comment(author, at, rendered or record.text("body"), bool(rendered), sort)


def _record(issue: JsonRecord, said: Sequence[Comment], *, is_cut: bool) -> ThreadRecord:
    pull = issue.record("pull_request")
    state = "merged" if pull.text("merged_at") else issue.line("state")
    author, labels = issue.record("user").line("login") or GHOST, issue.names("labels", "name")
    assignees, milestone = issue.names("assignees", "login"), issue.record("milestone").line("title")
    number, rendered = issue.number("number"), issue.text("body_html")
    sort = "pull request" if "pull_request" in issue else "issue"
    repository = issue.text("repository_url").partition("/repos/")[2]
    attributes: dict[str, Value] = {
        "Author": author, "Keywords": labels, "State": state, "Assignee": assignees, "Milestone": milestone,
        "Repository": repository, "Type": sort, "Number": float(number),
    }  # fmt: skip
    attributes |= {name: at for name in ("created_at", "closed_at") if (at := issue.at(name)) is not None}
    return ThreadRecord(
        issue.line("title") or f"{repository}#{number}",
        shown(issue.text("html_url")),
        RecordSection("", rendered or issue.text("body"), is_html=bool(rendered)),
        said,
        [
            ("Repository", repository), ("Number", f"#{number} ({sort})"), ("State", state), ("Author", author),
            ("Created", day_of(issue.at("created_at"))), ("Closed", day_of(issue.at("closed_at"))),
            ("Labels", ", ".join(labels)), ("Assignees", ", ".join(assignees)), ("Milestone", milestone),
        ],
        attributes,
        issue.at("updated_at"),
        is_cut,
    )  # fmt: skip
