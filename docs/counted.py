"""What is said of the figures of a run beside the table of outcomes, for `docs/reference/outcomes.md`."""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

from collections.abc import Iterator

from cormorant.extract.router import INLINE_HTML_BYTES, INLINE_TEXT_BYTES
from cormorant.extract.sitemap.job import INLINE_BYTES


def paragraphs() -> Iterator[str]:
    """Yield them."""
    yield (
        "The line below the head of a report says what became of the documents: `new`, `changed`, `moved`, `deleted`\n"
        "(out of the index: search no longer finds them) and `unchanged`. Behind them stand addresses that are no\n"
        "documents: `gone`, `excluded` and so on. `gone` is left out where it says the same as `deleted`.\n"
    )
    yield (
        "`indexed`, in a report for people `newly indexed`, counts documents that search did not find before.\n"
        "One that says something new is counted by `changed` and by `index_writes`, which has every document that was\n"
        "written into the index.\n"
    )
    yield (
        "`changed` has also those of which only the rights differ: receivers get them by the\n"
        "same word. Where the settings of a source say so of all its documents at once, each is counted then, and its\n"
        "visit counts it once more, mostly as `unchanged`.\n"
    )
    yield (
        "`moved` has also files that were renamed. Receivers are told that these are gone at the one address and\n"
        "new at the other; the report counts them neither as `gone` nor as `new`.\n"
    )
    html, text = (f"{size // 1_000_000} MB" for size in (INLINE_HTML_BYTES, INLINE_TEXT_BYTES))
    yield (
        "`conversions` counts what this run read in a limited child process: all formats but HTML, plain text and\n"
        f"Markdown; of these what is larger than {html} (HTML) or {text} (text and Markdown); and sitemaps of\n"
        f"more than {INLINE_BYTES // 1024} kB. Smaller ones are read on the spot and are not counted, however\n"
        "often they are read. A file with nothing in it is not read at all.\n"
    )
    yield (
        "`unlinked` is counted at the end of a run: documents of a web source that search finds, that were once found\n"
        "by a link, and that no page known now links to. They are visited like all others and stay until the server\n"
        "says that they are gone or a rule excludes them, since nobody said that they are. `document links ADDRESS`\n"
        "shows what links to a document. The targets of known addresses that moved are not among them.\n"
    )
    yield (
        "Those of them that say what they said count as `unvisited`, those that say something else since this run as\n"
        "`unvisited_changed`, and those that turned out to be gone as `unvisited_deleted`\n"
        "([what receivers are told](../how-to/delta.md)).\n"
    )
    yield (
        "`excluded` counts the distinct addresses that a gate excluded in this run, at their visit or before it, also\n"
        "those that only `nofollow` links lead to (983): as many as `document list --excluded --run ID` names. Links\n"
        "of a page that has not changed are not looked at again, so a run of an unchanged site counts fewer than the\n"
        "first: every excluded address is listed by `document list --excluded`, whichever run met it. While a run\n"
        "goes on, the figure lacks what only `nofollow` links lead to: another link may yet lead there.\n"
    )
    yield (
        "`failed_as_before` counts those of the `failed`, `deferred` and `quarantined` that ended their last visit\n"
        "before this run in the same way ([failures that are known](../how-to/errors.md#failures-that-are-known)).\n"
    )
    yield (
        "`gone` counts the files that a complete listing no longer names as well, in the run in which they leave: one\n"
        "that was held counts them when it is accepted.\n"
    )
