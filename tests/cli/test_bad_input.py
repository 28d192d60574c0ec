"""Bad input gets one sentence that names the fault, and the right exit code; nothing is half made."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from cormorant.app.build import BuildPlan
from cormorant.app.commands.open import opened
from cormorant.app.settings import InstallationSettings as Settings
from cormorant.receivers import stream
from cormorant.store.catalog import receivers
from tests.cli.conftest import World
from tests.cli.world import InstalledCli, Site

HOST = "no-such-host.invalid"
WITHOUT_OVERRIDE = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
"""Root, but kept out by permissions like anybody else."""


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("serch x", 2, "Did you mean 'search'?"),
        ("--jsn status", 2, "There is no option '--jsn'"),
        ("status --foce", 2, "No such option: --foce"),
        ("crawl --forse", 2, "--force"),
        ("source lst", 2, "Did you mean 'list'"),
        ("source", 2, "Missing command"),
        ("source add web x y", 2, "There are too many arguments: y. See `cormorant source add --help`."),
        ("run show 1 2 3", 2, "There are too many arguments: 2 3. See"),
        ("document list --status abc", 2, "--status takes a whole number. See `cormorant document list --help`."),
        ("run show soon", 2, "ID takes a whole number. See `cormorant run show --help`."),
        ("search x --offset -1", 2, "--offset takes 0 or more. See"),
        ("search x --limit 1001", 2, "--limit takes at most 1000. See"),
        ("crawl --refresh some", 2, "--refresh: 'some' is not one of 'all', 'due', 'append', 'scratch'. See"),
        ("search", 2, "QUERY"),
        ("search x --limit 5000", 2, "limit"),
        ("search x --limt 5", 2, "No such option: --limt"),
        ("search -ferry", 2, "cormorant search -- -ferry"),
        ("search harbour -ferry", 2, "cormorant search -- harbour -ferry"),
        ("--data", 2, "--data needs a folder"),
        ("source add gopher x", 4, "There is: web, files"),
        ("source add web x", 2, "A web source needs a start address: --set start=https://example.org/"),
        ("source add web x --set delay_s=1", 2, "A web source needs a start address"),
        ("source add web x --set start=https://a.example/ --set include=", 2, "A rule is empty: it begins with"),
        ("source add web x --set start=https://a.example/ --set depth=many", 2, "a valid integer or 'unlimited'."),
        ("source add web x --set strat=https://a.example/", 2, "Did you mean 'start'?"),
        ("source add web x --set start=example.org", 2, "'example.org' is not an address"),
        ("source add web x --set start", 2, "has no value"),
        ("source add web x --set start=https://a.example/ --set depth=-1", 2, "depth"),
        ("source add web x --set start=https://a.example/ --set delay_s=inf", 2, "'delay_s' cannot be 'inf': input sh"),
        ("source add web x --set start=https://a.example/ --set depth=99999999999", 2, "equal to 2147483647 or 'unl"),
        ("parameters edit system --set max_minutes=1e300", 2, "less than or equal to 525600. Minutes that one run"),
        ("source add web x --set start=https://a.example/ --set include=hots:a", 2, "hots"),
        ("source add web a/b --set start=https://a.example/", 2, "cannot be the name"),
        ("source add web x --set start=https://a.example/ --set grants=ada", 2, "user:NAME or group:NAME"),
        ("source add web x --set start=https://a.example/ --set exclude=/sub/", 2, "write 'path:/sub/*'"),
        ("receiver add jsonlines x --set path=/no/such/folder/x.jsonl", 2, "/no/such/folder"),
        ("serve --name https://a.example/", 2, "this is no host. Give the name or address alone"),
        ("serve --proxy nginx", 2, "this is no address. Give that of the proxy"),
        ("serve --proxy 10.0.0.1/8", 2, "this is no address"),
        ("serve --host 192.0.2.1 --port 0", 6, "Nothing can listen at 192.0.2.1, port 0: "),
        ("serve --host no.such.host.invalid --port 0", 6, "Nothing can listen at no.such.host.invalid, port 0: "),
    ],
)
def test_wrong_words(words: str, code: int, says: str, bare: InstalledCli) -> None:
    done = bare.run(*words.split())
    assert done.code == code, done
    assert says in done.err
    assert len(done.err.strip().splitlines()) == 1, done.err
    assert "Traceback" not in done.err
    assert not done.out


@pytest.mark.parametrize(
    "words",
    ["status", "search x", "explain http://a.example/", "document list", "run show", "source show x", "index stats"],
)
def test_nothing_there_yet(words: str, bare: InstalledCli) -> None:
    done = bare.run(*words.split())
    assert (done.code, "There is nothing in" in done.err) == (4, True)
    assert not bare.folder.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("crawl nope", "There is no source 'nope'. There is: docs, papers."),
        ("source show nope", "There is no source"),
        ("search x --source nope", "There is no source"),
        ("run show 99", "There is no run 99."),
        ("run show 100000000000000000000", "There is no run 100000000000000000000."),
        ("crawl caf\udce9", "There is no source 'caf\\udce9'. There is: docs, papers."),
        ("receiver show nope", "There is no receiver"),
        ("document show http://a.example/", "No source knows"),
    ],
)
def test_no_such_thing(words: str, says: str, home: InstalledCli) -> None:
    done = home.run(*words.split())
    assert (done.code, says in done.err) == (4, True), done


@pytest.mark.parametrize(("words", "code"), [([""], 2), ([" \t"], 2), (["", " "], 2), (['"'], 0), (["()"], 0)])
def test_a_question_without_a_word(words: list[str], code: int, world: World) -> None:
    done = world.home.run("search", *words)
    assert (done.code, done.out) == (code, ""), done
    assert done.err.splitlines()[-1].endswith(
        "Name a word, like cormorant search harbour; cormorant search '*' shows every document."
    )
    if code:
        assert world.home.run("search", *words, "--json").problem["code"] == "usage"


def test_every_document_may_be_asked_for(world: World) -> None:
    assert len(world.home.fine("search", "*", "--json").objects) == 5


def test_an_error_for_a_program_is_a_problem_object(home: InstalledCli) -> None:
    problem = home.run("source", "show", "nope", "--json").problem
    assert problem["code"] == "not_found"
    assert problem["status"] == 404
    assert "nope" in problem["detail"]
    assert home.run("--json", "serch").problem["code"] == "usage"


def test_a_name_that_is_taken(home: InstalledCli) -> None:
    done = home.run("source", "add", "files", "papers", "--set", "path=/")
    assert (done.code, "already" in done.err) == (1, True)


def test_data_folder_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for words in (["status"], ["source", "list"]):
        done = InstalledCli(tmp_path / "file").run(*words)
        assert (done.code, "is a file, not a folder" in done.err) == (1, True), done


def test_data_folder_holds_something_else(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("x")
    done = InstalledCli(tmp_path).run("token", "add", "mine")
    assert (done.code, "letters.txt" in done.err) == (1, True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["letters.txt"]


def test_a_first_command_that_was_interrupted_does_not_spoil_the_folder(tmp_path: Path) -> None:
    for name in ("index", "logs"):
        (tmp_path / name).mkdir()
    (tmp_path / "cormorant.new").write_text('{"for')
    home = InstalledCli(tmp_path)
    assert home.run("status").code == 4
    home.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'logs'}")
    assert home.fine("status").code == 0
    assert not (tmp_path / "cormorant.new").exists()


@contextmanager
def as_nobody() -> Iterator[None]:
    """Not as root for the length of a block, since root may enter everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(pwd.getpwnam("nobody").pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)


def test_data_folder_that_may_not_be_entered(home: InstalledCli) -> None:
    home.fine("status")  # so that nothing has to be imported as nobody
    home.folder.chmod(0o000)
    try:
        with as_nobody():
            done = home.run("status")
    finally:
        home.folder.chmod(0o700)
    assert (done.code, "cannot be entered" in done.err, "sudo -u" in done.err) == (5, True, True), done


def test_an_address_with_a_raw_byte(world: World) -> None:
    done = world.home.run("explain", f"{world.site.address}caf\udce9")
    assert (done.code, "Traceback" in done.err) == (2, False), done


@pytest.mark.parametrize("words", ["explain", "document show", "document links"])
@pytest.mark.parametrize("address", ["caf\udce9", "docs.example/caf\udce9", "/caf\udce9"])
def test_a_word_with_a_raw_byte_for_an_address(words: str, address: str, world: World) -> None:
    done = world.home.run(*words.split(), address)
    assert "Something went wrong" not in done.err, done
    assert (done.code in (0, 2, 4), "Traceback" in done.err) == (True, False), done


def test_a_name_with_a_raw_byte(home: InstalledCli, tmp_path: Path) -> None:
    for words in (
        ("receiver", "add", "jsonlines", "r\udce9", "--set", f"path={tmp_path / 'out.jsonl'}"),
        ("source", "add", "web", "n\udce9", "--set", "start=https://a.example/"),
    ):
        done = home.run(*words)
        assert (done.code, "cannot be the name" in done.err) == (2, True), done


@pytest.mark.parametrize(
    "name",
    ["a b", "no!", "a\x1b[31mb", "a\x7f", "a\u202eb", "\u2028", "x" * 101, "..", "", " x", "a/b", "a\\b", "a\0b"],
)
def test_what_is_no_name(name: str, home: InstalledCli, tmp_path: Path) -> None:
    before = home.fine("receiver", "list", "--json").out
    for words in (
        ("receiver", "add", "jsonlines", name, "--set", f"path={tmp_path / 'out.jsonl'}"),
        ("source", "add", "web", name, "--set", "start=https://a.example/"),
        ("schedule", "add", name, "--source", "papers", "--when", "@daily"),
        ("parameters", "add", name, "--set", "delay_s=3"),
    ):
        done = home.run(*words)
        assert (done.code, "dots, dashes and underscores, at most 100" in done.err) == (2, True), done
    assert (home.fine("receiver", "list", "--json").out, (tmp_path / "out.jsonl").exists()) == (before, False)


@pytest.mark.parametrize("name", ["a", "_x", ".x", "a.b-c_d", "x" * 100, "größe", "हिन्दी", "文書", "7"])
def test_what_is_a_name(name: str, home: InstalledCli) -> None:
    home.fine("source", "add", "web", name, "--set", "start=https://a.example/")


def test_names_of_before_keep_working(home: InstalledCli, tmp_path: Path) -> None:
    with opened(BuildPlan(home.folder, Settings())) as house, house.store.begin() as tx:
        receivers.add(tx, "jsonlines", "old one!", None, {"path": str(tmp_path / "a")}, stream.head(tx))
    home.fine("receiver", "edit", "old one!", "--set", "runs=true")
    home.fine("receiver", "resend", "old one!")
    home.fine("receiver", "delete", "old one!")


def test_data_folder_of_a_newer_version(home: InstalledCli) -> None:
    (home.folder / "cormorant.json").write_text(json.dumps({"format": 99}))
    done = home.run("status")
    assert (done.code, "newer version" in done.err) == (1, True)


@pytest.mark.parametrize("words", ["status", "crawl", "serve --port 0", "search x", "store check", "doctor"])
def test_data_folder_of_a_version_that_was_never_released(words: str, home: InstalledCli) -> None:
    with closing(sqlite.connect(home.folder / "cormorant.db")) as database:
        database.execute("ALTER TABLE content DROP COLUMN seq")
    done = home.run(*words.split())
    assert (done.code, "content.seq" in done.out + done.err) == (1, True), done
    assert "Traceback" not in done.err


def test_data_folder_that_may_only_be_read(home: InstalledCli) -> None:
    as_root = os.geteuid() == 0
    if as_root and shutil.which("setpriv") is None:
        pytest.skip("root is kept out by nothing, and there is no setpriv to change that")
    command = [sys.executable, "-m", "cormorant", "--data", str(home.folder), "status"]
    home.folder.chmod(0o500)
    try:
        done = subprocess.run(
            [*(WITHOUT_OVERRIDE if as_root else ()), *command], capture_output=True, text=True, check=False
        )
    finally:
        home.folder.chmod(0o700)
    assert (done.returncode, "Check who owns it" in done.stderr) == (5, True), done


def test_a_damaged_database(home: InstalledCli) -> None:
    for name in ("cormorant.db-wal", "cormorant.db-shm"):
        (home.folder / name).unlink(missing_ok=True)
    (home.folder / "cormorant.db").write_bytes(b"this is no database" * 1000)
    done = home.run("status")
    assert (done.code, "damaged" in done.err) == (1, True), done
    assert "Traceback" not in done.err


def test_a_damaged_index(home: InstalledCli) -> None:
    for file in (home.folder / "index").rglob("*.store"):
        file.write_bytes(b"")
    done = home.run("search", "harbour")
    assert (done.code, "cormorant index rebuild" in done.err) == (1, True), done


def test_a_server_that_does_not_answer(bare: InstalledCli) -> None:
    away = InstalledCli(bare.folder, {"CORMORANT_STORE": "postgresql://nobody:secret@127.0.0.1:9/none"})
    done = away.run("token", "add", "mine")
    assert done.code == 6, done
    assert "secret" not in done.err


@pytest.mark.parametrize("store", ["mysql://a/b", "nonsense"])
def test_a_store_we_do_not_know(store: str, bare: InstalledCli) -> None:
    done = InstalledCli(bare.folder, {"CORMORANT_STORE": store}).run("token", "add", "mine")
    assert (done.code, "not a database we know" in done.err) == (2, True)


def test_a_setting_of_the_installation(bare: InstalledCli) -> None:
    done = InstalledCli(bare.folder, {"CORMORANT_RETRIEVERS": "many"}).run("source", "list")
    assert (done.code, "CORMORANT_RETRIEVERS" in done.err) == (2, True)


def test_a_setting_of_the_environment_that_is_misspelt(bare: InstalledCli) -> None:
    done = InstalledCli(bare.folder, {"CORMORANT_RETRIVERS": "1"}).run("source", "list")
    assert (done.code, "Did you mean CORMORANT_RETRIEVERS?" in done.err) == (2, True)
    assert (
        InstalledCli(bare.folder, {"CORMORANT_SUITES": "/somewhere", "CORMORANT_SITE": "x"})
        .run("token", "add", "mine")
        .code
        == 0
    )


@pytest.mark.parametrize(
    ("text", "says"), [(b"installation = 1", "is a table"), (b"[[[", "is not TOML"), (b"\xff", "is not TOML")]
)
def test_a_configuration_file_that_is_none(text: bytes, says: str, bare: InstalledCli, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_bytes(text)
    done = bare.run("--config", str(tmp_path / "c.toml"), "status")
    assert (done.code, says in done.err, len(done.err.splitlines())) == (2, True, 1), done


def test_a_configuration_file(bare: InstalledCli, tmp_path: Path) -> None:
    assert "cannot be read" in bare.run("--config", str(tmp_path / "none.toml"), "status").err
    (tmp_path / "c.toml").write_text("[installation]\nretreivers = 2\n")
    done = bare.run("--config", str(tmp_path / "c.toml"), "status")
    assert (done.code, "retreivers" in done.err) == (2, True)


class TestQuickstart:
    """The first command a person types has to bear the most."""

    @pytest.mark.parametrize(
        ("place", "code", "says"),
        [
            ("example.org", 2, "https://example.org"),
            ("/no/such/folder", 4, "There is no folder /no/such/folder"),
            ("ftp://example.org/", 2, "http:// or https://"),
            ("http://", 2, "not an address"),
            (sys.executable, 2, "is a file. Name the folder it is in"),
        ],
    )
    def test_place(self, place: str, code: int, says: str, bare: InstalledCli) -> None:
        done = bare.run("quickstart", "--no-serve", place)
        assert (done.code, says in done.err) == (code, True), done
        assert not bare.folder.exists()

    def test_unknown_host(self, bare: InstalledCli) -> None:
        done = bare.run("quickstart", "--no-serve", f"http://{HOST}/")
        assert done.code == 6, done
        assert HOST in done.err
        assert "975" in done.err
        assert not bare.run("source", "list").out

    def test_refused_port(self, bare: InstalledCli) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        done = bare.run("quickstart", "--no-serve", f"http://127.0.0.1:{port}/")
        assert done.code == 6, done
        assert f"127.0.0.1:{port}" in done.err

    def test_port_in_use(self, bare: InstalledCli, tmp_path: Path) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = bare.run("quickstart", str(tmp_path), "--port", str(port))
        assert (done.code, f"Port {port}" in done.err) == (1, True), done

    def test_empty_folder(self, bare: InstalledCli, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        done = bare.run("quickstart", "--no-serve", str(tmp_path / "empty"))
        assert done.code in (0, 3), done
        assert "Traceback" not in done.err


class TestCrawl:
    """Sources that cannot be crawled as they are."""

    def test_nothing_to_crawl(self, bare: InstalledCli) -> None:
        bare.fine("token", "add", "mine")
        done = bare.run("crawl")
        assert (done.code, "cormorant source add" in done.err) == (4, True)

    def test_folder_that_is_gone(self, bare: InstalledCli, tmp_path: Path) -> None:
        (tmp_path / "papers").mkdir()
        bare.fine("source", "add", "files", "papers", "--set", f"path={tmp_path / 'papers'}")
        (tmp_path / "papers").rmdir()
        done = bare.run("crawl", "--json")
        assert done.code == 6, done
        assert done.object["state"] == "failed"
        assert str(tmp_path / "papers") in done.object["problems"][0]["sentence"]

    def test_robots_forbid_the_only_start(self, bare: InstalledCli, site: Site) -> None:
        bare.fine("source", "add", "web", "x", "--set", f"start={site.address}private/x")
        done = bare.run("crawl")
        assert done.code == 3
        assert "970" in done.err
        assert "/private/x" not in site.asked

    def test_start_that_is_missing(self, bare: InstalledCli, site: Site) -> None:
        bare.fine("source", "add", "web", "x", "--set", f"start={site.address}nowhere")
        done = bare.run("crawl")
        assert done.code == 3
        assert f"The start address {site.address}nowhere failed: 404" in done.err

    def test_rule_that_matches_nothing(self, bare: InstalledCli, site: Site) -> None:
        given = [
            f"start={site.address}",
            "exclude=path:/tides",
            "exclude=path:/tidse",
            f"include=prefix:{site.address}",
        ]
        bare.fine("source", "add", "web", "x", *(word for each in given for word in ("--set", each)))
        record = bare.run("crawl", "--json").object
        idle = [each["rule"] for each in record["problems"] if each["kind"] == "rule"]
        assert idle == ["exclude path:/tidse"]


@pytest.mark.parametrize("words", [["source", "list"], ["secret", "list"], ["token", "list"], ["receiver", "list"]])
def test_a_list_makes_no_installation(words: list[str], tmp_path: Path) -> None:
    done = InstalledCli(tmp_path / "mistyped").run(*words)
    assert (done.code, "There is nothing in" in done.err) == (4, True), done
    assert not (tmp_path / "mistyped").exists()
