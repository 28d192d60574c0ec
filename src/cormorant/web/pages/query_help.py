"""Query help: the forms of a query, as the help page lists them.

A new form of the query language is a row here, and nothing else has to change. Tests compare every example with the
parser, and the names of fields and types with those it knows.
"""

from __future__ import annotations

from typing import NamedTuple

from cormorant.search.query.type_names import NAMES


class Form(NamedTuple):
    """Form of a query, and what it finds; text between backticks is typed as shown."""

    example: str
    finds: str


class Chapter(NamedTuple):
    """Forms of one sort; `anchor` is the id of their section on the page."""

    anchor: str
    title: str
    forms: tuple[Form, ...]


CHAPTERS = (
    Chapter("words", "Words and phrases", (
        Form("travel expense limits", "Any of the words; documents with more of them come first. A whole question "
             "works too."),
        Form("ferries", "Other forms of a word too, like `ferry`, by the rules of the document's language. The word "
             "itself comes first."),
        Form('"head of department"', "Exactly these words, as they are written, side by side, in this order."),
        Form('"head department"~3', "These words near each other, at most three others between them. Two or three "
             "words in any order."),
        Form("*", "Everything. With a place to look, everything there."),
    )),
    Chapter("must", "Must, may, must not", (
        Form("+hotel rail", "`hotel` must occur, `rail` may occur."),
        Form("hotel -draft", "`hotel`, but no document with `draft`. Also: `hotel NOT draft`."),
        Form("hotel AND capital", "Both. `AND`, `OR` and `NOT` are written in capitals."),
        Form("(hotel OR lodging) AND limit", "Brackets say what belongs together."),
    )),
    Chapter("shape", "Parts of words", (
        Form("reimburs*", "Words that begin with these letters: reimburse, reimbursed, reimbursement. It takes two "
             "letters or more."),
        Form("*ation te?t", "Wildcards: `*` stands for any letters, also at the beginning or within a word; `?` for "
             "one letter within a word. A word may have five of them."),
        Form("accomodation~", "Similar spellings: one letter of a short word may differ, two of a longer one; "
             "`hotle~1` says how many."),
    )),
    Chapter("fields", "Only in one place", (
        Form("title:policy", "In the title."),
        Form("heading:summary", "In a heading of the page."),
        Form("url:report", "In the address."),
        Form("link:timetable", "In the text of links to it."),
        Form("Author:ada", "In an attribute, by its name. `Author:=\"Ada Lovelace\"` is the whole value; numbers and "
             "dates take ranges, with two dots between the ends."),
        Form("text:policy", "In the text; what stands in the title does not count."),
        Form("type:pdf", f"By type: {', '.join(NAMES)}; or a MIME type, like `type:image/svg+xml`."),
        Form("site:handbook.example.org", "By host."),
        Form("source:handbook", "By the source it came from; in quotes when its name has spaces."),
        Form("lang:de", "By language of the document."),
    )),
    Chapter("numbers", "By day, size and depth", (
        Form("date:2026-03", "Changed in that month; also a day or a year, days in UTC."),
        Form("date:2026-01-15..2026-03", "Changed between two days; either may be left out."),
        Form("after:2026 before:2026-07", "The same, written differently."),
        Form("size:>1MB", "By size: `size:10kB..2MB`, `size:<500kB`."),
        Form("depth:<3", "By the number of links from a start address."),
    )),
)  # fmt: skip
"""Every form of the query language."""

TOGETHER = Form(
    '+title:agreement type:pdf "travel agency" -draft',
    "PDF documents with `agreement` in the title and without `draft`; those with `travel agency` side by side come "
    "first.",
)
"""Several of them in one query."""

ODD = (
    Form("(hotel OR rail", "is read as `hotel OR rail`"),
    Form("speed:fast", "as the words `speed` and `fast`"),
)
"""Queries with mistakes, and how they are read."""
