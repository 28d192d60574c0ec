"""Documents whose reader is newer than their text are read from their kept copies: by `serve`, or by the next crawl."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest
import sqlalchemy as sa

from cormorant.frontier.state import refetch
from cormorant.store.db import migrate
from tests.clocks import until
from tests.extract.writers import docx
from tests.journeys import commands
from tests.journeys.crawling import Crawler
from tests.journeys.home import Home, received
from tests.journeys.hosts import Host
from tests.store.older import BEFORE_0039
from tests.threaded import Asked, Said

TAG = '"one"'


@pytest.fixture
def town(host: Callable[[], Host]) -> Host:
    """A site that has a document, and says that it is unchanged when it is."""
    made = host()
    made.says = {"/": made.page("/plan.docx")}
    document = Said(body=docx("Sketchword is in the plan."), headers={"ETag": TAG})

    def answer(asked: Asked) -> Said:
        if asked.path != "/plan.docx":
            return made.says.get(asked.path, Said(404))
        return Said(304) if asked.fields.get("if-none-match") == TAG else document

    made.answer = answer
    return made


def upgrade(home: Home) -> None:
    """Take its database back to the version before, and bring it to the version of now."""
    with home.house() as house:
        with house.store.begin() as tx:
            for change in BEFORE_0039:
                tx.driver(change)
        migrate.prepare(house.store, lambda *_: Path())


def test_they_are_read_again_without_being_sent_again(home: Home, crawls: Crawler, town: Host) -> None:
    home.add_source("web", "town", {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"})
    crawls.crawl(home, "town")
    assert crawls.crawl(home, "town")["conversions"] == 0
    upgrade(home)
    third = crawls.crawl(home, "town")
    assert third["conversions"] == 1
    assert town.paths.count("/plan.docx") == 3, "once each crawl"
    assert third["bytes"] < 2_000, "the document was not sent again"
    assert (third["changed"], third["new"]) == (0, 0), "its text is the same"
    assert home.found("sketchword") == [[town.origin + "/plan.docx"]]
    assert crawls.crawl(home, "town")["conversions"] == 0


def test_files_are_read_again(home: Home, crawls: Crawler, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (share / "plan.docx").write_bytes(docx("Sketchword is in the plan."))
    home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(home, "share")
    upgrade(home)
    assert crawls.crawl(home, "share")["conversions"] == 1
    assert crawls.crawl(home, "share")["conversions"] == 0
    assert home.found("sketchword") == [[f"file://{share}/plan.docx"]]


def aged(home: Home) -> None:
    """Have its documents say what an older reader made of them: another title, and so another text."""
    with home.house() as house, house.store.begin() as tx:
        tx.execute(sa.text("UPDATE content SET title = 'Older' WHERE mime LIKE '%wordprocessingml%'"))
        older = {"text": bytes(32)}
        tx.execute(sa.text("UPDATE content SET text_hash = :text WHERE mime LIKE '%wordprocessingml%'"), older)


def to_reread(home: Home) -> int:
    """How many documents `status` says are to be read again."""
    said = json.loads(commands.run(home, "status", "--json").stdout)
    assert said["to_reread"] == sum(each["to_reread"] for each in said["sources"])
    return int(said["to_reread"])


def title(home: Home) -> str:
    """The title of the one document that is no page."""
    return str(home.value("SELECT title FROM content WHERE mime LIKE '%wordprocessingml%'"))


def test_serve_reads_them_in_the_background(home: Home, crawls: Crawler, town: Host) -> None:
    home.add_source("web", "town", {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"})
    lines = home.add_receiver("lines", "town")
    crawls.crawl(home, "town")
    fetched = home.value("SELECT fetched_at FROM content WHERE title <> 'x' ORDER BY id LIMIT 1")
    aged(home)
    upgrade(home)
    before, events = len(town.asked), len(received(lines))
    assert to_reread(home) == 1
    assert "1 document to be read again by newer readers: 1 of town" in commands.run(home, "status").stdout
    with commands.serving(home):
        until(lambda: to_reread(home) == 0)
        until(lambda: len(received(lines)) > events)
    assert len(town.asked) == before, "nothing was requested"
    assert title(home) != "Older"
    (changed,) = received(lines)[events:]
    assert (changed["event"], changed["url"]) == ("changed", town.origin + "/plan.docx")
    assert home.value("SELECT count(*) FROM run") == 1, "that is no run"
    assert home.value("SELECT fetched_at FROM content ORDER BY id LIMIT 1") == fetched
    assert home.found("sketchword") == [[town.origin + "/plan.docx"]]
    log = (home.folder / "logs" / "retriever-1.log").read_text()
    assert '"reread ended"' in log
    assert crawls.crawl(home, "town")["conversions"] == 0


def test_a_reader_of_another_version_reads_its_documents_again(home: Home, crawls: Crawler, town: Host) -> None:
    home.add_source("web", "town", {"start": [town.origin + "/"], "network": ["loopback"], "patience_s": "0"})
    crawls.crawl(home, "town")
    with commands.serving(home):  # notes which readers there are
        until(lambda: bool(home.value("SELECT count(*) FROM reader")))
    aged(home)
    with home.house() as house, house.store.begin() as tx:
        tx.execute(sa.text("UPDATE reader SET version = '0' WHERE mime LIKE '%wordprocessingml.document'"))
    before = len(town.asked)
    with commands.serving(home):
        until(lambda: title(home) != "Older")
        until(lambda: to_reread(home) == 0)
    assert len(town.asked) == before
    assert home.value("SELECT count(*) FROM reader WHERE version = '0'") == 0


def test_a_kill_in_the_middle_loses_and_doubles_nothing(home: Home, crawls: Crawler, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    for number in range(60):
        (share / f"plan{number}.docx").write_bytes(docx(f"Sketchword is in plan {number}."))
    home.add_source("files", "share", {"path": str(share)})
    lines = home.add_receiver("lines", "share")
    crawls.crawl(home, "share")
    aged(home)
    upgrade(home)
    events = len(received(lines))
    with commands.begun(home, "serve", "--port", "0") as process:
        until(lambda: 0 < to_reread(home) < 60)
        os.killpg(process.pid, signal.SIGKILL) if os.getpgid(process.pid) == process.pid else process.kill()
    assert to_reread(home) < 60
    with commands.serving(home):
        until(lambda: to_reread(home) == 0)
        until(lambda: len(received(lines)) >= events + 60)
    assert len(received(lines)) == events + 60
    assert home.value("SELECT count(*) FROM content WHERE title = 'Older'") == 0
    assert len(home.found("sketchword")[0]) == 60


def test_a_container_whose_members_are_the_same_is_done(file_home: Home, crawls: Crawler, tmp_path: Path) -> None:
    share = tmp_path / "share"
    share.mkdir()
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Plans", "ines@harbour.example"
    mail.set_content("The plan is inside.")
    kind = "vnd.openxmlformats-officedocument.wordprocessingml.document"
    mail.add_attachment(docx("Sketchword is in it."), "application", kind, filename="plan.docx")
    (share / "letter.eml").write_bytes(mail.as_bytes())
    (share / "note.eml").write_bytes(mail.as_bytes())
    file_home.add_source("files", "share", {"path": str(share)})
    crawls.crawl(file_home, "share")
    aged(file_home)
    inside = "(SELECT id FROM resource WHERE how = 9 AND address LIKE '%note.eml%')"
    with file_home.house() as house, house.store.begin() as tx:
        for table in ("content", "resource"):  # as if an older version had not looked for members
            tx.execute(sa.text(f"DELETE FROM {table} WHERE id IN {inside}"))
        refetch.outdate(tx, ["message/rfc822", f"application/{kind}"], 0, 100)
    assert to_reread(file_home) == 3
    with commands.serving(file_home):
        until(lambda: to_reread(file_home) == 0)
    left = "SELECT url FROM content WHERE length(text_hash) > 32"
    assert file_home.value(left).endswith("note.eml"), "its members are for the next crawl to find"
    assert len(file_home.found("sketchword")[0]) == 2
    assert crawls.crawl(file_home, "share")["new"] == 1
