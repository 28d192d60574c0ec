"""Drawings, notes and letters are found by their text where a Tika server reads them, whatever becomes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.world import InstalledCli
from tests.tika import documents, servers, started
from tests.tika.small import Put, Reply, SmallTika, said, with_text

FOLDER = {
    "plan.vsdx": documents.vsdx("lighthouse keeper"), "page.xps": documents.xps("curlew over the breakwater"),
    "notes.one": documents.one("The razorbill writes its notes here."), "letter.pages": documents.pages("avocet quay"),
}  # fmt: skip
FOUND_BY = {"lighthouse": "plan.vsdx", "curlew": "page.xps", "razorbill": "notes.one", "avocet": "letter.pages"}
LOCKED = "org.apache.tika.exception.EncryptedDocumentException: it is encrypted"


@pytest.fixture
def share(tmp_path: Path) -> Path:
    folder = tmp_path / "share"
    folder.mkdir()
    for name, body in FOLDER.items():
        (folder / name).write_bytes(body)
    (folder / "plain.txt").write_text("plain words of the harbour")
    return folder


@pytest.fixture
def tika() -> Iterator[SmallTika]:
    with SmallTika() as small:
        small.read = as_a_reader_would
        yield small


def as_a_reader_would(put: Put, took: int = 5) -> Reply:
    """Say what stands in a document, as those who made it know, and what is of this answer alone."""
    words = next((word for word, name in FOUND_BY.items() if put.body == FOLDER[name]), "nothing known")
    volatile = {"X-TIKA:parse_time_millis": str(took), "File Modified Date": f"Sat Nov {took}"}
    return with_text(f"{words} in the text", **({"dc:title": f"About {words}"} | volatile))


def installed(tmp_path: Path, share: Path, url: str, **more: str) -> InstalledCli:
    cli = InstalledCli(tmp_path / "data", {"CORMORANT_TIKA": url} | more)
    cli.fine("source", "add", "files", "share", "--set", f"path={share}", "--set", "patience_s=1")
    return cli


def names(cli: InstalledCli, word: str) -> list[str]:
    hits = cli.run("search", word, "--json").objects
    return [each["url"].rpartition("/")[2] for each in hits if "url" in each]


def states(cli: InstalledCli) -> dict[str, int]:
    rows = cli.fine("document", "list", "--json").objects
    return {each["url"].rpartition("/")[2]: each["status"] for each in rows}


def explained(cli: InstalledCli, share: Path, name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(cli.fine("explain", f"file://{share}/{name}", "--json").out)
    return record


@pytest.mark.server
@pytest.mark.parametrize("name", servers() or ["none"])
def test_a_folder_is_found_by_what_a_real_one_reads(tmp_path: Path, share: Path, name: str) -> None:
    if name not in servers():
        pytest.skip("There is no Tika in build/tika: `make tika` fetches it.")
    with started(servers()[name], tmp_path) as url:
        cli = installed(tmp_path, share, url)
        cli.fine("crawl")
    assert {word: names(cli, word) for word in FOUND_BY} == {word: [name] for word, name in FOUND_BY.items()}
    assert [each["title"] for each in cli.fine("search", "lighthouse", "--json").objects][:1] == ["Harbour plan"]


def test_what_only_tika_reads_is_found_by_its_text(tmp_path: Path, share: Path, tika: SmallTika) -> None:
    cli = installed(tmp_path, share, tika.url)
    cli.fine("crawl")
    assert {word: names(cli, word) for word in FOUND_BY} == {word: [name] for word, name in FOUND_BY.items()}
    assert len(tika.asked) == len(FOLDER), "plain text has a reader of its own"
    record = explained(cli, share, "notes.one")
    assert record["conversion"]["read_by"] == "Apache Tika"
    assert "application/onenote, by Apache Tika" in cli.fine("explain", f"file://{share}/notes.one").out
    assert explained(cli, share, "plain.txt")["conversion"]["read_by"] is None


def test_another_answer_about_the_same_changes_nothing(tmp_path: Path, share: Path, tika: SmallTika) -> None:
    cli = installed(tmp_path, share, tika.url)
    cli.fine("crawl")
    tika.read = lambda put: as_a_reader_would(put, took=77)
    report = json.loads(cli.fine("crawl", "--force", "--json").out.splitlines()[-1])
    assert len(tika.asked) == 2 * len(FOLDER)
    assert (report["unchanged"], report["changed"]) == (len(FOLDER) + 1, 0)


def test_a_server_that_is_away_costs_nothing_but_time(tmp_path: Path, share: Path, tika: SmallTika) -> None:
    cli = installed(tmp_path, share, tika.url)
    cli.fine("crawl")
    for name in FOLDER:
        (share / name).touch()
    (share / "new.one").write_bytes(documents.one("guillemot"))
    (share / "plain.txt").write_text("plain words of the mole")
    tika.read = lambda _: 503
    done = cli.run("crawl")
    assert done.code == 3, "something has to be looked at"
    assert "has documents that the Tika server did not read" in done.out
    assert "Look whether it runs with `cormorant doctor`" in done.out + done.err
    assert names(cli, "mole") == ["plain.txt"], "the crawl goes on"
    assert {word: names(cli, word) for word in FOUND_BY} == {word: [name] for word, name in FOUND_BY.items()}
    assert states(cli) == dict.fromkeys([*FOLDER, "new.one"], 987) | {"plain.txt": 200}
    tika.read = lambda put: with_text("guillemot") if b"g\0u\0i" in put.body else as_a_reader_would(put)
    cli.fine("crawl")
    assert names(cli, "guillemot") == ["new.one"], "the next crawl does not wait any longer"
    assert set(states(cli).values()) == {200}


def test_unreadable_documents_are_reported(tmp_path: Path, share: Path, tika: SmallTika) -> None:
    def read(put: Put) -> Reply:
        if put.body == FOLDER["plan.vsdx"]:
            return said({"X-TIKA:EXCEPTION:container_exception": LOCKED})
        if put.body == FOLDER["notes.one"]:
            return Reply(200, {}, b"<html>no Tika</html>")
        return Reply(422) if put.body == FOLDER["page.xps"] else with_text("")

    tika.read = read
    cli = installed(tmp_path, share, tika.url)
    done = cli.run("crawl")
    assert done.code == 3
    assert states(cli) == {
        "plan.vsdx": 200, "notes.one": 903, "page.xps": 903, "letter.pages": 200, "plain.txt": 200,
    }  # fmt: skip
    bare = cli.fine("document", "list", "--no-text").out
    assert "plan.vsdx  It has no text: it is protected by a password" in bare
    assert "letter.pages  It has no text: Apache Tika found none in it" in bare
    assert "1 was read by Apache Tika, which found none in it" in done.out + done.err


def test_a_type_that_is_named_is_read_by_it(tmp_path: Path, share: Path, tika: SmallTika) -> None:
    tika.read = lambda put: with_text("cormorant" if put.body.startswith(b"plain") else "")
    cli = installed(tmp_path, share, tika.url, CORMORANT_TIKA_TYPES="text/plain")
    cli.fine("crawl")
    assert names(cli, "cormorant") == ["plain.txt"]
    assert len(tika.asked) == 1
    assert states(cli)["notes.one"] == 908


def test_the_doctor_looks_at_it(tmp_path: Path, share: Path, tika: SmallTika) -> None:
    cli = installed(tmp_path, share, tika.url)

    def looked() -> tuple[bool | None, str, str]:
        [found] = [each for each in cli.run("doctor", "--json").objects if each["check"] == "tika"]
        return found["ok"], found["said"], found["mend"]

    assert looked() == (True, f"Apache Tika 3.2.3 at {tika.url}", "")
    tika.version = b"Apache Tika 1.28.5"
    assert looked() == (
        None,
        f"Apache Tika 1.28.5 at {tika.url}",
        "Its makers no longer mend it: install Apache Tika 3.",
    )
    tika.version = b"<html>Welcome</html>"
    assert looked()[0] is False
    tika.version = None
    ok, sentence, mend = looked()
    assert (ok, sentence.startswith(f"{tika.url} does not answer.")) == (False, True)
    assert mend.startswith("Start that server, or unset CORMORANT_TIKA.")
    bare = InstalledCli(tmp_path / "data")
    assert not [each for each in bare.run("doctor", "--json").objects if each["check"] == "tika"]


def test_source_test_reads_by_it_too(tmp_path: Path, share: Path, tika: SmallTika) -> None:
    cli = installed(tmp_path, share, tika.url)
    done = cli.run("source", "test", "share", "--address", f"file://{share}/notes.one", "--json")
    assert "razorbill in the text" in done.out or "About razorbill" in done.out, done.out + done.err
    assert len(tika.asked) == 1
