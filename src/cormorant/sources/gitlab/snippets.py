"""Snippets of a project: which there are, and one with its files and notes. https://docs.gitlab.com/api/project_snippets/."""

from __future__ import annotations

from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from cormorant.model.content import Value
from cormorant.model.status import Status
from cormorant.sources.gitlab.client import SNIPPETS, GitLabClient, Project
from cormorant.sources.gitlab.page import notes_of
from cormorant.sources.json_api.exchange import ApiFault, Exchange
from cormorant.sources.json_api.numbered import see_list
from cormorant.sources.json_api.record import JsonRecord, records_of
from cormorant.sources.json_api.source import shown
from cormorant.sources.json_api.thread_page import GHOST, ThreadRecord, day_of
from cormorant.sources.record_page import RecordSection

_SIZE: Final = 100
_TURNS: Final = 3
_MOST_FILES: Final = 20
"""Files of a snippet that are read; GitLab takes ten of them."""
_NO_TEXT: Final = "(This file is no text.)"


class SnippetEntry(NamedTuple):
    """A snippet in a listing. `is_private`: only members of the project may read it; `is_public`: everybody may."""

    id: int
    updated: str
    url: str
    is_private: bool
    is_public: bool


def snippets_of(client: GitLabClient, project: Project) -> Exchange[list[SnippetEntry]]:
    """Return the snippets of a project, which GitLab does not name by their changes. Raises ApiFault."""
    for _ in range(_TURNS):
        found, totals = dict[int, SnippetEntry](), set[str]()
        page = f"/projects/{project.id}/snippets?per_page={_SIZE}"
        while page:
            answer = yield from client.rest(page)
            see_list(answer, "GitLab")
            totals.add(answer.headers.get("x-total"))
            found |= {each.id: each for each in map(_entry, records_of(answer.value)) if each.id > 0}
            page = client.next_page(answer, page)
        if len(totals) == 1:
            return list(found.values())
    raise ApiFault(Status.CONFLICT, f"Snippets of {project.path} disappear while they are listed.", passing=True)


def is_private(snippet: JsonRecord) -> bool:
    """Return whether a snippet is for members of its project only, whatever its project is."""
    return snippet.text("visibility") not in ("public", "internal")


def is_public(snippet: JsonRecord) -> bool:
    """Return whether everybody may read a snippet; an internal one is for those who are signed in."""
    return snippet.text("visibility") == "public"


def snippet_thread(client: GitLabClient, project: Project, snippet: JsonRecord) -> Exchange[ThreadRecord]:
    """Ask for the files and the notes of a snippet. Raises ApiFault."""
    files = list[RecordSection]()
    for each in snippet.records("files")[:_MOST_FILES]:
        files.append((yield from _file(client, project, snippet, each)))
    comments, is_cut = yield from notes_of(client, project, SNIPPETS, snippet.number("id"), internal=False)
    author, number = snippet.record("author").line("name") or GHOST, snippet.number("id")
    attributes: dict[str, Value] = {
        "Author": author, "Project": project.path, "Type": "snippet", "Number": float(number),
        "Confidential": "yes" if is_private(snippet) else "",
    }  # fmt: skip
    created = snippet.at("created_at")
    return ThreadRecord(
        snippet.line("title") or f"{project.path}${number}",
        shown(snippet.text("web_url")),
        RecordSection("", snippet.text("description")),
        comments,
        [
            ("Project", project.path), ("Number", f"${number} (snippet)"), ("Author", author),
            ("Created", day_of(created)), ("Files", ", ".join(each.heading for each in files)),
        ],
        attributes | ({"created_at": created} if created is not None else {}),
        snippet.at("updated_at"),
        is_cut,
        files,
    )  # fmt: skip


def _file(client: GitLabClient, project: Project, snippet: JsonRecord, file: JsonRecord) -> Exchange[RecordSection]:
    """Ask for a file, whose address on GitLab names the branch that it is on; one that is missing has no text."""
    path, number = file.text("path"), snippet.number("id")
    named = unquote(file.text("raw_url")).partition(f"/snippets/{number}/raw/")[2]
    branch = named.removesuffix(path).rstrip("/") or "HEAD"
    raw = f"/projects/{project.id}/snippets/{number}/files/{quote(branch, safe='')}"
    try:
        body = yield from client.file(f"{raw}/{quote(path, safe='')}/raw")
    except ApiFault as fault:
        if fault.status not in (Status.NOT_FOUND, Status.GONE):
            raise
        body = b""
    return RecordSection(file.line("path"), _NO_TEXT if b"\0" in body else body.decode("utf-8", "replace"))


def _entry(record: JsonRecord) -> SnippetEntry:
    number, updated, url = record.number("id"), record.line("updated_at"), record.text("web_url")
    return SnippetEntry(number, updated, url, is_private(record), is_public(record))
