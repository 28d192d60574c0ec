"""What a crawl of the sample must end with, for the tests of the sample and for journeys over it.

Statuses are those of the outcome a crawl records: HTTP's where the server's answer decides, else the product's own.
"""

from __future__ import annotations

INDEXED = frozenset(
    {
        "/",
        "/island.html",
        "/harbour.html",
        "/timetable.html",
        "/lighthouse.html",
        "/ringing.html",
        "/archive.html",
        "/visit.html",
        "/visitor-guide.pdf",
        "/recipes.html",
        "/birds/",
        "/birds/cormorant.html",
        "/birds/storm-petrel.html",
        "/birds/arctic-tern.html",
        "/birds/puffin.html",
        "/log/june.html",
        "/today",
        "/de/",
        "/fr/",
    }
)
"""Delivered with 200. /timetable.html has the bytes of /harbour.html; /today has the content of /log/midsummer.html."""

EXCLUDED = {
    "/rota.html": 971,
    "/warden/notes.html": 970,
    "/birds/puffin.html?from=home": 910,
}
"""noindex (its links are followed); robots.txt; canonical is another address (indexed until that one has answered)."""

MOVED = {"/home.html": 954}

GONE = {"/birds/great-auk.html": 404, "/webcam.html": 410}

NEVER_VISITED = frozenset({"/warden/notes.html", "/guestbook.html", "/log/midsummer.html"})
"""Forbidden; linked with nofollow only; behind the 302 of /today: asked for as its hop, but no resource."""

READABLE = frozenset(
    {
        "welcome.txt",
        "ringing-protocol.md",
        "boat-safety.pdf",
        "volunteers-handbook.docx",
        "budget-2026.xlsx",
        "annual-meeting.pptx",
        "counts/seabirds-2026.csv",
        "counts/names-of-seabirds.html",
        "letters/about the foghorn.txt",
    }
)
"""Files of the documents folder that have text."""

BROKEN = frozenset({"scan-of-the-log-1963.pdf"})
"""Files that nothing can read."""

QUESTIONS = {
    "fresnel lens": "/lighthouse.html",
    "storm petrel burrow": "/birds/storm-petrel.html",
    "search": "/archive.html",
    "fish soup": "/recipes.html",
    "white-tailed eagle": "/today",
    "leuchtturm": "/de/",
    "phare": "/fr/",
    "drinking water pump": "/visitor-guide.pdf",
    "kill cord": "boat-safety.pdf",
    "generator diesel": "budget-2026.xlsx",
    "second tree": "annual-meeting.pptx",
    "count in tens": "volunteers-handbook.docx",
    "corncrake dog": "letters/about the foghorn.txt",
}
"""Words to search for, and where they must be found among the first."""
