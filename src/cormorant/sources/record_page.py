"""A readable page for a record that has none: a row of a table, an entry of a feed, a ticket."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

PAGE_TYPE = "text/html"
"""The media type of the pages; their charset is UTF-8."""


class RecordSection(NamedTuple):
    """A part of a record with running text. `is_html`: it is a fragment of HTML, which is read like any page's."""

    heading: str
    text: str
    is_html: bool = False


def record_page(
    title: str,
    fields: Iterable[tuple[str, object]] = (),
    sections: Iterable[RecordSection] = (),
    *,
    language: str = "",
    links: Iterable[tuple[str, str]] = (),
) -> bytes:
    """Return an HTML page of a record: its title, a table of named values, texts under headings, links (address, text).

    Everything but HTML fragments is escaped. A field that is None or "" is left out.
    """
    lang = f' lang="{escape(language)}"' if language else ""
    rows = "".join(
        f"<tr><th scope=row>{escape(name)}</th><td>{escape(str(value))}</td></tr>\n"
        for name, value in fields
        if value is not None and value != ""
    )
    parts = [
        f"<!doctype html>\n<html{lang}>\n<head><meta charset=utf-8><title>{escape(title)}</title></head>\n<body>\n"
    ]
    parts.append(f"<h1>{escape(title)}</h1>\n")
    parts += [f"<table>\n{rows}</table>\n"] if rows else []
    parts += map(_section, sections)
    found = [f'<li><a href="{escape(address)}">{escape(text or address)}</a></li>\n' for address, text in links]
    parts += [f"<ul>\n{''.join(found)}</ul>\n"] if found else []
    parts.append("</body>\n</html>\n")
    return "".join(parts).encode("utf-8", "replace")


def _section(section: RecordSection) -> str:
    heading = f"<h2>{escape(section.heading)}</h2>\n" if section.heading else ""
    if section.is_html:
        return f"{heading}<div>{section.text}</div>\n"
    paragraphs = (each.strip("\n") for each in section.text.replace("\r\n", "\n").split("\n\n"))
    lines = (escape(each).replace("\n", "<br>\n") for each in paragraphs if each.strip())
    return heading + "".join(f"<p>{each}</p>\n" for each in lines)
