"""Releases of a repository with the names of their files. https://docs.github.com/en/rest/releases/releases."""

from __future__ import annotations

from typing import Final

from cormorant.model.content import Value
from cormorant.model.status import Status
from cormorant.sources.github.client import RENDERED, GitHubClient
from cormorant.sources.json_api.exchange import ApiFault, Exchange
from cormorant.sources.json_api.numbered import see_list
from cormorant.sources.json_api.record import JsonRecord, records_of
from cormorant.sources.json_api.source import shown, version_of
from cormorant.sources.json_api.thread_page import GHOST, ThreadRecord, day_of
from cormorant.sources.record_page import RecordSection

_TURNS: Final = 4
_MOST_FILES: Final = 1_000
Releases = dict[int, tuple[str, str]]
"""Version and address of releases by their numbers."""


def releases_of(client: GitHubClient, path: str) -> Exchange[Releases]:
    """Return the published releases of the repository at `path`. Raises ApiFault.

    GitHub does not count them, and one that disappears while they are listed hides another at the edge of a page: where
    there are several pages, two listings have to name the same ones.
    """
    before: Releases | None = None
    for _ in range(_TURNS):
        found, page, pages = Releases(), f"{path}/releases?per_page=100", 0
        while page:
            answer = yield from client.rest(page)
            see_list(answer, "GitHub")
            found |= {each.number("id"): _entry(each) for each in records_of(answer.value) if _is_published(each)}
            page, pages = client.next_page(answer), pages + 1
        if pages == 1 or (before is not None and before.keys() == found.keys()):
            return found
        before = found
    raise ApiFault(Status.CONFLICT, "Releases disappear while they are listed.", passing=True)


def release_thread(client: GitHubClient, path: str, number: int) -> Exchange[ThreadRecord | None]:
    """Ask for a release of the repository at `path`, None for one that was withdrawn. Raises ApiFault."""
    answer = yield from client.rest(f"{path}/releases/{number}", accept=RENDERED)
    release = JsonRecord(answer.value)
    if not _is_published(release):
        return None
    repository = path.removeprefix("/repos/")
    author, tag = release.record("author").line("login") or GHOST, release.line("tag_name")
    files, rendered = release.names("assets", "name")[:_MOST_FILES], release.text("body_html")
    attributes: dict[str, Value] = {
        "Author": author, "Repository": repository, "Type": "release", "Tag": tag,
        "State": "prerelease" if release.flag("prerelease") else "released",
    }  # fmt: skip
    created = release.at("published_at") or release.at("created_at")
    return ThreadRecord(
        release.line("name") or tag or f"{repository}: release {number}",
        shown(release.text("html_url")),
        RecordSection("", rendered or release.text("body"), is_html=bool(rendered)),
        (),
        [
            ("Repository", repository), ("Tag", tag), ("Author", author), ("Published", day_of(created)),
            ("Files", ", ".join(files)),
        ],
        attributes | ({"created_at": created} if created is not None else {}),
        release.at("updated_at") or created,
    )  # fmt: skip


def _is_published(record: JsonRecord) -> bool:
    return record.number("id") > 0 and not record.flag("draft")


def _entry(record: JsonRecord) -> tuple[str, str]:
    files = [(each.line("name"), each.line("updated_at"), each.number("size")) for each in record.records("assets")]
    texts = (record.line(each) for each in ("name", "tag_name", "published_at", "updated_at"))
    return version_of(*texts, record.text("body"), record.flag("prerelease"), files), record.text("html_url")
