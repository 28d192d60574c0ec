"""Discussions of a repository, by GraphQL.

https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cormorant.model.content import Value
from cormorant.model.status import Status
from cormorant.sources.github.client import GitHubClient, Repository, variables_of
from cormorant.sources.json_api.exchange import ApiFault, DiscoverySession, Exchange
from cormorant.sources.json_api.numbered import (
    Entries,
    EntriesOrNone,
    NumberedEntry,
    Pages,
    Tally,
    changed,
    listed,
    moment_text,
)
from cormorant.sources.json_api.record import JsonRecord
from cormorant.sources.json_api.source import shown
from cormorant.sources.json_api.thread_page import GHOST, MOST_PAGES, Comment, ThreadRecord, day_of
from cormorant.sources.record_page import RecordSection

_COUNT: Final = """query($owner: String!, $name: String!) {
 repository(owner: $owner, name: $name) {
  discussions(first: 1, orderBy: {field: CREATED_AT, direction: DESC}) { totalCount nodes { number } } } }"""
_LIST: Final = """query($owner: String!, $name: String!, $after: String) {
 repository(owner: $owner, name: $name) {
  discussions(first: 100, after: $after, orderBy: {field: UPDATED_AT, direction: DESC}) {
   totalCount pageInfo { hasNextPage endCursor }
   nodes { number databaseId updatedAt url closed comments { totalCount } } } } }"""
_ONE: Final = """query($owner: String!, $name: String!, $number: Int!, $after: String) {
 repository(owner: $owner, name: $name) {
  discussion(number: $number) {
   number title url bodyHTML createdAt updatedAt closed author { login } category { name }
   labels(first: 50) { nodes { name } }
   comments(first: 50, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { bodyHTML createdAt isAnswer author { login }
     replies(first: 50) { nodes { bodyHTML createdAt author { login } } } } } } } }"""


def every_discussion(client: GitHubClient, session: DiscoverySession, repository: Repository) -> Entries:
    """Yield all discussions. Raises ApiFault."""
    return listed(
        session, lambda: _tally(client, repository), lambda: _pages(client, session, repository, ""), repository.name
    )


def changed_discussions(
    client: GitHubClient, session: DiscoverySession, repository: Repository, mark: dict[str, Any]
) -> EntriesOrNone:
    """Yield the discussions that changed since a mark, newest first. Raises ApiFault."""

    def since(moment: str, _etag: str) -> Pages:
        return _pages(client, session, repository, moment)

    return changed(session, lambda: _tally(client, repository), since, mark)


def _tally(client: GitHubClient, repository: Repository) -> Exchange[Tally]:
    data = yield from client.graphql(_COUNT, repository.variables)
    found = data.record("repository").record("discussions")
    top = max((each.number("number") for each in found.records("nodes")), default=0)
    return Tally(found.number("totalCount"), top)


def _pages(client: GitHubClient, session: DiscoverySession, repository: Repository, since: str) -> Pages:
    """Yield discussions, the newest first, as far as a moment, "" for all of them."""
    after: str | None = None
    while True:
        data = yield from session.follow(client.graphql(_LIST, {**repository.variables, "after": after}))
        found = data.record("repository").record("discussions")
        entries = [_entry(each) for each in found.records("nodes") if each.number("number") > 0]
        yield [each for each in entries if each.updated >= since]
        info = found.record("pageInfo")
        before, after = after, info.text("endCursor")
        if not info.flag("hasNextPage") or after == before or any(each.updated < since for each in entries):
            return ""


def discussion_thread(client: GitHubClient, repository: str, number: int) -> Exchange[ThreadRecord]:
    """Ask for a discussion with its comments and their replies. Raises ApiFault."""
    variables = variables_of(repository)
    said, is_cut = list[Comment](), True
    after: str | None = None
    discussion = JsonRecord(None)
    for _ in range(MOST_PAGES):
        data = yield from client.graphql(_ONE, {**variables, "number": number, "after": after})
        discussion = data.record("repository").record("discussion")
        if not discussion:
            raise ApiFault(Status.NOT_FOUND, "There is no such discussion.")
        comments = discussion.record("comments")
        for each in comments.records("nodes"):
            said.append(_comment(each, "answer" if each.flag("isAnswer") else ""))
            said += [_comment(reply, "reply") for reply in each.record("replies").records("nodes")]
        after = comments.record("pageInfo").text("endCursor")
        if not comments.record("pageInfo").flag("hasNextPage"):
            is_cut = False
            break
    return _record(discussion, repository, said, is_cut=is_cut)


def _entry(record: JsonRecord) -> NumberedEntry:
    return NumberedEntry(
        record.number("number"),
        record.number("databaseId"),
        moment_text(record, "updatedAt"),
        record.record("comments").number("totalCount"),
        record.text("url"),
        is_closed=record.flag("closed"),
    )


def _comment(record: JsonRecord, sort: str) -> Comment:
    author = record.record("author").line("login") or GHOST
    return Comment(author, record.at("createdAt"), record.text("bodyHTML"), sort=sort)


def _record(discussion: JsonRecord, repository: str, said: Sequence[Comment], *, is_cut: bool) -> ThreadRecord:
    number, author = discussion.number("number"), discussion.record("author").line("login") or GHOST
    category, labels = discussion.record("category").line("name"), discussion.record("labels").names("nodes", "name")
    state = "closed" if discussion.flag("closed") else "open"
    attributes: dict[str, Value] = {
        "Author": author, "Keywords": labels, "State": state, "Category": category, "Repository": repository,
        "Type": "discussion", "Number": float(number),
    }  # fmt: skip
    created = discussion.at("createdAt")
    return ThreadRecord(
        discussion.line("title") or f"{repository}#{number}",
        shown(discussion.text("url")),
        RecordSection("", discussion.text("bodyHTML"), is_html=True),
        said,
        [
            ("Repository", repository), ("Number", f"#{number} (discussion)"), ("Category", category),
            ("Author", author), ("Created", day_of(created)), ("Labels", ", ".join(labels)),
        ],
        attributes | ({"created_at": created} if created is not None else {}),
        discussion.at("updatedAt"),
        is_cut,
    )  # fmt: skip
