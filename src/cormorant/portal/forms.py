"""How can one ask? The forms of a query, as the help page lists them.

Data in one place: a form that search learns to understand is a row here, and nothing else has to change. Tests hold
every example to the parser, and the names of fields and types to those it knows.
"""

from __future__ import annotations

from typing import NamedTuple

from cormorant.search.mimes import NAMES


class Form(NamedTuple):
    """What one may write, and what it finds; what stands between backticks there is written so."""

    example: str
    finds: str


class Chapter(NamedTuple):
    """Forms of one sort; `anchor` is its place on the page."""

    anchor: str
    title: str
    forms: tuple[Form, ...]


CHAPTERS = (
    Chapter("words", "Words and phrases", (
        Form("travel expense limits", "Any of the words; documents with more of them come first. A whole question "
             "works too."),
        Form('"head of department"', "Exactly these words side by side, in this order."),
        Form("*", "Everything. With a place to look, everything there."),
    )),
    Chapter("must", "Must, may, must not", (
        Form("+hotel rail", "`hotel` must be there, `rail` may be."),
        Form("hotel -draft", "`hotel`, but no document with `draft`. Also: `hotel NOT draft`."),
        Form("hotel AND capital", "Both. `AND`, `OR` and `NOT` are written in capitals."),
        Form("(hotel OR lodging) AND limit", "Brackets say what belongs together."),
    )),
    Chapter("shape", "Parts of words", (
        Form("reimburs*", "Words that begin so: reimburse, reimbursed, reimbursement. Two letters or more."),
    )),
    Chapter("fields", "Only in one place", (
        Form("title:policy", "In the title."),
        Form("text:policy", "In the text; what stands in the title does not count."),
        Form("type:pdf", f"By type: {', '.join(NAMES)}; or a MIME type, like `type:image/svg+xml`."),
        Form("site:handbook.example.org", "By host."),
        Form("source:handbook", "By the source it came from; in quotes when its name has spaces."),
        Form("lang:de", "By language of the document."),
    )),
)  # fmt: skip
"""Every form that is understood today."""

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
"""What is not quite right, and how it is read all the same."""
