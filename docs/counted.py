"""The paragraphs below the table of counters of a run, for `docs/reference/outcomes.md`."""

# ruff: noqa: INP001 - a folder of pages is no package

from __future__ import annotations

from collections.abc import Iterator

from cormorant.extract.router import INLINE_HTML_BYTES, INLINE_TEXT_BYTES
from cormorant.extract.sitemap.job import INLINE_BYTES


def paragraphs() -> Iterator[str]:
    """Yield the paragraphs."""
    yield (
        "The line below the head of a report says what became of the documents: `new`, `changed`, `moved`, `deleted`\n"
        "(out of the index: search no longer finds them) and `unchanged`. Behind them stand addresses by how their\n"
        "visits ended: `gone`, `excluded` and so on, with a document or without one. A document whose address is gone\n"
        "is in both `deleted` and `gone`; where `gone` is more, the others had no document.\n"
    )
    yield (
        "`indexed`, in a report for people `newly indexed`, counts documents that search did not find before.\n"
        "One that says something new is counted by `changed` and by `index_writes`, which has every document that was\n"
        "written into the index.\n"
    )
    yield (
        "`changed` also counts documents of which only the access rights changed; receivers get a `changed` event for\n"
        "them. If an edit of a source changes the rights of all its documents at once, each is counted at the edit,\n"
        "and its next visit counts it once more, mostly as `unchanged`.\n"
    )
    yield (
        "`moved` also counts files that were renamed. Receivers get a `gone` event for the old address and a `new`\n"
        "event for the new one; the report counts them neither as `gone` nor as `new`.\n"
    )
    html, text = (f"{size // 1_000_000} MB" for size in (INLINE_HTML_BYTES, INLINE_TEXT_BYTES))
    yield (
        "`conversions` counts the documents that this run read in a sandboxed child process: all formats but HTML,\n"
        f"plain text and Markdown; of these, documents larger than {html} (HTML) or {text} (text and Markdown); and\n"
        f"sitemaps of more than {INLINE_BYTES // 1024} kB. Smaller ones are read in the retriever itself and are not\n"
        "counted. An empty file is not read at all.\n"
    )
    yield (
        "`unlinked` is counted at the end of a run: indexed documents of a web source that were once found by a link,\n"
        "and to which no known page links any more. They are visited like all others and stay until the server\n"
        "answers that they are gone or a rule excludes them. `document links ADDRESS` shows the pages that link to a\n"
        "document. Targets of redirects from known addresses are not counted.\n"
    )
    yield (
        "Of these documents, `unvisited` counts those that are unchanged, `unvisited_changed` those that changed in\n"
        "this run, and `unvisited_deleted` those that turned out to be gone\n"
        "([the events that receivers get](../how-to/delta.md)).\n"
    )
    yield (
        "`excluded` counts the distinct addresses that a gate excluded in this run, at their visit or before it,\n"
        "including those that only `nofollow` links lead to (983). `document list --excluded --run ID` lists the same\n"
        "addresses. Links of an unchanged page are not judged again, so a run of an unchanged site counts fewer than\n"
        "the first run; `document list --excluded` lists the excluded addresses of all runs. Until a run ends, the\n"
        "figure lacks addresses that only `nofollow` links lead to, because another link may yet lead there.\n"
    )
    yield (
        "`failed_as_before` counts the `failed`, `deferred` and `quarantined` addresses whose last visit before this\n"
        "run ended in the same way ([failures that are known](../how-to/errors.md#failures-that-are-known)).\n"
    )
    yield (
        "`gone` also counts files that a complete listing no longer names, in the run that deletes them. A held run\n"
        "counts them when it is accepted.\n"
    )
