"""Documents in documents: members of archives and attachments of mails, through edits, deletions and rights."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from pathlib import Path

import pytest

from cormorant.model.member import display_path
from tests.extract.writers import docx
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home
from tests.journeys.hosts import Host
from tests.threaded import Said


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """An archive of these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), body, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def mail(words: str, **attached: bytes) -> bytes:
    """A mail with attachments."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "anna@example.org", "ben@example.org", "Minutes"
    made.set_content(words)
    for name, body in attached.items():
        made.add_attachment(body, maintype="application", subtype="octet-stream", filename=name.replace("_", "."))
    return made.as_bytes()


FIRST: dict[str, str | bytes] = {
    "2024/one.txt": "Firstword lives here.",
    "two.txt": "Secondword lives here.",
    "inner.zip": zipped({"deep/three.txt": "Thirdword lives here."}),
}


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    """A site."""
    return host()


@pytest.fixture
def share(tmp_path: Path) -> Path:
    """A folder with an archive, a mail and a text."""
    folder = tmp_path / "share"
    folder.mkdir()
    (folder / "report.zip").write_bytes(zipped(FIRST))
    (folder / "mail.eml").write_bytes(
        mail("Mailword is in the mail.", plan_docx=docx("Sketchword is in the attachment."))
    )
    (folder / "plain.txt").write_text("Plainword lives here.")
    return folder


def test_members_are_documents_of_their_own(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    first = crawls.crawl(home, "share")
    assert first["exit"] == 0
    at = f"file://{share}/"
    words = ("firstword", "secondword", "thirdword", "mailword", "sketchword", "plainword")
    assert home.found(*words) == [
        [f"{at}report.zip#/2024/one.txt"],
        [f"{at}report.zip#/two.txt"],
        [f"{at}report.zip#/inner.zip!/deep/three.txt"],
        [f"{at}mail.eml"],
        [f"{at}mail.eml#/plan.docx"],
        [f"{at}plain.txt"],
    ]
    inner = f"{at}report.zip#/inner.zip!/deep/three.txt"
    assert home.shown(inner)["referrer"] == f"{at}report.zip#/inner.zip"
    assert display_path(inner) == "report.zip › inner.zip › deep › three.txt"
    again = crawls.crawl(home, "share")
    assert (again["fetched"], again["index_writes"], again["index_deletes"], again["gone"]) == (0, 0, 0, 0)
    assert home.found(*words)[2] == [inner]


def test_a_changed_archive_costs_what_changed_in_it(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    edited = {key: body for key, body in FIRST.items() if key != "two.txt"}
    edited |= {"2024/one.txt": "Otherword lives here.", "four.txt": "Fourthword lives here."}
    (share / "report.zip").write_bytes(zipped(edited))
    second = crawls.crawl(home, "share")
    assert (second["new"], second["index_deletes"]) == (1, 1)
    assert second["fetched"] == 3, "the archive, what changed in it and what is new"
    assert [bool(each) for each in home.found("firstword", "otherword", "secondword", "thirdword", "fourthword")] == [
        False, True, False, True, True,
    ]  # fmt: skip
    (share / "report.zip").unlink()
    third = crawls.crawl(home, "share", force=True)
    assert home.found("otherword", "thirdword", "fourthword", "sketchword")[:3] == [[], [], []]
    assert home.found("sketchword")[0]
    assert third["index_deletes"] == 5


def test_a_moved_archive_takes_its_members_along(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    (share / "report.zip").rename(share / "moved.zip")
    crawls.crawl(home, "share")
    at = f"file://{share}/moved.zip"
    assert home.found("firstword", "thirdword") == [[f"{at}#/2024/one.txt"], [f"{at}#/inner.zip!/deep/three.txt"]]


def test_members_have_the_rights_of_their_container(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    assert home.found("firstword") != [[]]
    home.edit_source("share", {"grants": ["group:board"]})
    crawls.crawl(home, "share")
    assert home.found("firstword", "thirdword", "sketchword") == [[], [], []]


def test_without_unpacking_there_are_no_members(home: Home, crawls: Crawler, share: Path) -> None:
    home.add_source("files", "share", {"path": str(share), "unpack": False})
    crawls.crawl(home, "share")
    assert home.found("firstword", "sketchword", "mailword", "plainword")[:2] == [[], []]
    home.edit_source("share", {"unpack": True})
    crawls.crawl(home, "share")
    assert all(home.found("firstword", "sketchword"))
    home.edit_source("share", {"unpack": False})
    crawls.crawl(home, "share", force=True)
    assert home.found("firstword", "sketchword", "mailword")[:2] == [[], []]


def test_an_archive_of_a_site_is_asked_for_once(home: Home, crawls: Crawler, town: Host) -> None:
    archive = Said(body=zipped(FIRST), headers={"Content-Type": "application/zip", "ETag": '"one"'})
    others = {f"/{number}": Said(body=f"<p>page {number}") for number in range(12)}
    town.says = {"/": town.page("/report.zip", *others), "/report.zip": archive, **others}
    given = {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"}
    home.add_source("web", "town", given)
    crawls.crawl(home, "town")
    assert home.found("firstword") == [[town.origin + "/report.zip#/2024/one.txt"]]
    assert town.paths.count("/report.zip") == 1
    crawls.crawl(home, "town")
    assert town.paths.count("/report.zip") == 2
    assert home.found("thirdword") == [[town.origin + "/report.zip#/inner.zip!/deep/three.txt"]]
    del town.says["/report.zip"]
    crawls.crawl(home, "town", force=True)
    assert home.found("firstword", "thirdword") == [[], []]
