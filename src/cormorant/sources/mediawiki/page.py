"""Document of a wiki page: its rendered text, with its categories and other names."""

from __future__ import annotations

from html import escape
from typing import Final
from urllib.parse import quote

from cormorant.model.acl import ACL
from cormorant.model.content import Content, Value
from cormorant.sources.json_api.exchange import Exchange
from cormorant.sources.json_api.record import JsonRecord
from cormorant.sources.json_api.source import shown
from cormorant.sources.mediawiki.client import MediaWikiClient
from cormorant.sources.record_page import PAGE_TYPE, RecordSection, record_page

ABOUT: Final = {
    "action": "query", "prop": "info|redirects|revisions|imageinfo", "inprop": "url", "rdprop": "title",
    "rdlimit": 500, "rvprop": "timestamp|user", "iiprop": "url|mime|size|sha1|user|timestamp|comment",
}  # fmt: skip
"""Parameters of the first question about a title, before its text or its file is asked for."""
_PARSE: Final = {
    "action": "parse", "prop": "text|categories", "disableeditsection": 1, "disablelimitreport": 1, "disabletoc": 1,
}  # fmt: skip


def about(client: MediaWikiClient, title: str) -> Exchange[JsonRecord]:
    """Ask what the wiki knows of a title; an empty record for one that it cannot have. Raises ApiFault."""
    answer = yield from client.query(ABOUT, {"titles": title})
    pages = answer.record("query").records("pages")
    return pages[0] if pages and not pages[0].flag("invalid") else JsonRecord(None)


def rendered(client: MediaWikiClient, address: str, page: JsonRecord, acl: ACL | None) -> Exchange[Content]:
    """Ask for the text of a page. Raises ApiFault."""
    title = page.text("title")
    answer = yield from client.query(_PARSE, {"page": title})
    parsed = answer.record("parse")
    url = shown(page.text("fullurl")) or client.page_address(title)
    others = page.names("redirects", "title")
    body = record_page(
        title,
        sections=[RecordSection("", f'<base href="{escape(url)}">{parsed.text("text")}', is_html=True)],
        language=page.line("pagelanguagehtmlcode") or page.line("pagelanguage"),
        links=[(client.page_address(each), each) for each in others],
    )
    categories = [each.replace("_", " ") for each in parsed.names("categories", "category")]
    found = attributes(page) | {"Category": categories, "Aliases": others}
    return Content(
        address,
        body,
        PAGE_TYPE,
        "utf-8",
        modified_at=changed_at(page),
        acl=acl,
        directives=("nofollow",),
        file_name=quote(title, safe=" ")[:200],
        title=title,
        attributes={name: value for name, value in found.items() if value},
    )


def attributes(page: JsonRecord) -> dict[str, Value]:
    """Return the attributes of a page or a file."""
    revisions = page.records("revisions")
    namespace, mark, _ = page.line("title").partition(":")
    return {
        "Author": revisions[0].line("user") if revisions else "",
        "Namespace": namespace if mark and page.number("ns") else "",
    }


def changed_at(page: JsonRecord) -> float | None:
    """Return when the newest revision of a page was made, in epoch seconds."""
    revisions = page.records("revisions")
    return revisions[0].at("timestamp") if revisions else None
