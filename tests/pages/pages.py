"""The pages there are. What holds for every page is tested on each of these: a new page is one more line.

`{word}` in an address is the number of the document that a search for the word finds first, `{url of word}` its
address.
"""

from __future__ import annotations

from typing import NamedTuple

SAMPLE, EMPTY, UNSHOWN, LETTERS, FEDERATED = "sample", "empty", "unshown", "letters", "federated"
"""Installations: the sample's site and folder, crawled; one in which nothing is; one with a page that wants no copy;
an archive of mail; one with a search server that answers and one that does not."""


class Listed(NamedTuple):
    """A page: its name, its address, the status it is sent with, and the installation it is looked at in."""

    name: str
    address: str
    status: int = 200
    house: str = SAMPLE


PAGES = (
    Listed("home", "/"),
    Listed("home-source", "/?source=office"),
    Listed("home-empty", "/", house=EMPTY),
    Listed("results", "/search?q=island"),
    Listed("results-second", "/search?q=island&page=2"),
    Listed("results-source", "/search?q=island&source=office"),
    Listed("results-duplicates", "/search?q=ferry&all=1"),
    Listed("results-chosen", "/search?q=island&type=page&source=observatory&from=2020-01-01&more=site"),
    Listed("results-groups", "/search?q=island&group=source&sort=title"),
    Listed("duplicates", "/duplicates/{timetable}"),
    Listed("results-note", "/search?q=ferry+AND"),
    Listed("results-why", "/search?q=puffin&why={puffin}"),
    Listed("results-corrected", "/search?q=puffinn"),
    Listed("nothing", "/search?q=zeppelin"),
    Listed("nothing-words", "/search?q=%2Bpuffin+%2Bzeppelin+%2Bislnd"),
    Listed("nothing-source", "/search?q=zeppelin&source=office"),
    Listed("nothing-chosen", "/search?q=zeppelin&source=office&type=pdf&to=2020"),
    Listed("nothing-empty", "/search?q=island", house=EMPTY),
    Listed("results-beyond", "/search?q=island&page=9"),
    Listed("copy", "/cached/{puffin}"),
    Listed("copy-file", "/cached/{handbook volunteers}"),
    Listed("copy-german", "/cached/{deutsch}"),
    Listed("copy-marked", "/cached/{puffin}?q=puffin+island+burrows"),
    Listed("copy-text", "/cached/{puffin}?q=zeppelin&as=text"),
    Listed("copy-unwanted", "/cached/{lantern}", 404, house=UNSHOWN),
    Listed("results-unwanted", "/search?q=lantern", house=UNSHOWN),
    Listed("message", "/mail/{harbour winter}", house=LETTERS),
    Listed("message-found", "/mail/{bicycles travel}?q=bicycles+ferry", house=LETTERS),
    Listed("message-attached", "/mail/{papers attached}", house=LETTERS),
    Listed("message-page", "/mail/{puffins nests}", house=LETTERS),
    Listed("message-arabic", "/mail/{العبارة رصيف}", house=LETTERS),
    Listed("message-long", "/mail/{very long line}", house=LETTERS),
    Listed("message-unnamed", "/mail/{kelp}", house=LETTERS),
    Listed("message-undated", "/mail/{undated note}", house=LETTERS),
    Listed("message-hostile", "/mail/{raffle lanterns}", house=LETTERS),
    Listed("message-quoted", "/mail/{pier quoted}", house=LETTERS),
    Listed("message-unknown", "/mail/999999", 404, house=LETTERS),
    Listed("thread", "/mail/{bicycles travel}/thread", house=LETTERS),
    Listed("month", "/mail/island/2026/10", house=LETTERS),
    Listed("month-day", "/mail/island/2026/10?day=5", house=LETTERS),
    Listed("month-empty", "/mail/island/2020/01", house=LETTERS),
    Listed("results-mail", "/search?q=ferry", house=LETTERS),
    Listed("results-federated", "/search?q=lantern", house=FEDERATED),
    Listed("results-federated-groups", "/search?q=lantern&group=source", house=FEDERATED),
    Listed("results-federated-only", "/search?q=lantern&source=catalogue", house=FEDERATED),
    Listed("advanced", "/advanced"),
    Listed(
        "advanced-filled",
        "/advanced?q=%2Bpuffin+%2B%28island+OR+sea%29+-ferry+source%3Aobservatory+type%3Apage+depth%3A%3C9",
    ),
    Listed("advanced-empty", "/advanced?go=1", house=EMPTY),
    Listed("help", "/help"),
    Listed("errors", "/help/errors"),
    Listed("look-up", "/explain"),
    Listed("explain", "/explain?address={url of puffin}"),
    Listed("explain-unmet", "/explain?address=https://elsewhere.example/"),
    Listed("links", "/documents/{puffin}/links"),
    Listed("statuses", "/status"),
    Listed("status", "/status/404"),
    Listed("queries", "/queries"),
    Listed("takedowns", "/takedowns"),
    Listed("queries-empty", "/queries?days=7", house=EMPTY),
    Listed("stop-nowhere", "/birds/dodo", 404),
    Listed("stop-wrong", "/search?q=island&why=x", 422),
)
