"""Git repositories as sources: files of a branch, logins, and what a hostile repository may hold."""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cormorant.base import secret_masking
from cormorant.base.clock import SystemClock
from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Gone, Outcome
from cormorant.model.resource import DiscoveredUrl
from cormorant.model.settings.source import parse_settings
from cormorant.net.egress.guard import Egress
from cormorant.plugins import Source, Tools
from cormorant.sources.git import mirror
from cormorant.sources.git.repository_url import RepositoryUrl
from cormorant.sources.git.settings import GitSettings
from cormorant.sources.git.source import GitSource
from cormorant.testing import SourceSuite
from cormorant.testing.sources import resource_of
from tests.sources.git.repositories import Repository, served

HOST_KEY = "git.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEo"


class Secrets:
    """Passwords by name."""

    def reveal(self, name: str) -> str:
        value = {"right": "right", "wrong": "wrong-password", "key": "-----BEGIN KEY-----\nabc"}[name]
        if name != "right":
            secret_masking.hide(value)
        return value

    def seal(self, data: bytes) -> bytes:
        raise NotImplementedError

    def unseal(self, data: bytes) -> bytes | None:
        raise NotImplementedError


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repo")
    made.put("README.md", "# The readme")
    made.put("docs/guide.md", "# The guide")
    made.commit("Begin")
    return made


def source(url: object, tmp_path: Path, **more: Any) -> GitSource:
    given = {"url": str(url), "mirror_folder": str(tmp_path / "mirrors"), **more}
    clock = SystemClock()
    tools = Tools(None, clock, Secrets(), egress=lambda: Egress(clock))
    return GitSource(3, parse_settings(GitSettings, given), tools)


def listed(made: GitSource, cursor: str = "") -> dict[str, DiscoveredUrl]:
    found = [each for batch in made.discover(cursor) for each in batch]
    return {made.key_of(each.address): each for each in found if isinstance(each, DiscoveredUrl)}


def fetched(made: GitSource, found: DiscoveredUrl) -> Content | Outcome:
    async def visit() -> Content | Outcome:
        try:
            return await made.fetch(resource_of(found, made), VisitTrace())
        finally:
            await made.close()

    return asyncio.run(visit())


class TestRepository(SourceSuite):
    @pytest.fixture(autouse=True)
    def place(self, repository: Repository, tmp_path: Path) -> None:
        repository.put("odd/a b%2F#?ü~.txt", "odd")
        repository.put("~/~x", "tilde")
        repository.commit()
        self.repository, self.folder = repository, tmp_path

    def make(self) -> Source:
        return source(self.repository.path, self.folder)


def test_a_file_has_its_last_author_and_commit(repository: Repository, tmp_path: Path) -> None:
    first = repository.git("rev-parse", "HEAD")
    repository.put("README.md", "# The readme\n\nlonger")
    second = repository.commit("Say more\n\nbecause")
    made = source(repository.path, tmp_path)
    found = listed(made)
    guide, readme = fetched(made, found["docs/guide.md"]), fetched(made, found["README.md"])
    assert isinstance(guide, Content)
    assert isinstance(readme, Content)
    assert (guide.body, guide.file_name) == (b"# The guide", "guide.md")
    assert guide.attributes == {"Author": "Ada", "Commit": first, "CommitMessage": "Begin"}
    assert readme.attributes == {"Author": "Ada", "Commit": second, "CommitMessage": "Say more"}
    assert readme.modified_at == 1767355200.0
    repository.put("docs/guide.md", "# The guide, again")
    third = repository.commit("Mend the guide")
    guide = fetched(made, listed(made)["docs/guide.md"])
    assert isinstance(guide, Content)
    assert guide.attributes["Commit"] == third
    readme = fetched(made, listed(made)["README.md"]._replace(validator=""))
    assert isinstance(readme, Content)
    assert (readme.body, readme.attributes["Commit"]) == (b"# The readme\n\nlonger", second)


def test_a_branch_that_was_rewritten_is_followed(repository: Repository, tmp_path: Path) -> None:
    repository.put("secret.txt", "gone soon")
    repository.commit()
    made = source(repository.path, tmp_path)
    assert set(listed(made)) == {"README.md", "docs/guide.md", "secret.txt"}
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    repository.put("new.txt", "new")
    commit = repository.commit("Go another way")
    found = listed(made)
    assert set(found) == {"README.md", "docs/guide.md", "new.txt"}
    got = fetched(made, found["new.txt"])
    assert isinstance(got, Content)
    assert got.attributes["Commit"] == commit


def test_a_moved_file_keeps_its_version(repository: Repository, tmp_path: Path) -> None:
    before = listed(source(repository.path, tmp_path))
    repository.git("mv", "docs", "manual")
    repository.commit()
    after = listed(source(repository.path, tmp_path))
    assert after["manual/guide.md"].validator == before["docs/guide.md"].validator
    assert after["manual/guide.md"].address == "git://3/manual/guide.md"


def test_an_unchanged_branch_costs_one_question(repository: Repository, tmp_path: Path) -> None:
    with served(tmp_path) as (address, log):
        first = listed(source(f"{address}/repo", tmp_path))
        assert len(log) > 2
        log.clear()
        assert listed(source(f"{address}/repo", tmp_path)) == first
        assert [each for each in log if "upload-pack" in each and each.startswith("GET")] == [
            "GET /repo/info/refs?service=git-upload-pack"
        ]
        assert len(log) <= 2, "the list of branches is one request, or two with the protocol's version 2"


def test_branches(repository: Repository, tmp_path: Path) -> None:
    repository.git("checkout", "--quiet", "-b", "next/one")
    repository.put("next.md", "next")
    repository.commit()
    repository.git("checkout", "--quiet", "main")
    assert set(listed(source(repository.path, tmp_path))) == {"README.md", "docs/guide.md"}
    assert "next.md" in listed(source(repository.path, tmp_path, branch="refs/heads/next/one"))
    with pytest.raises(Unreachable, match=r"no branch nxt\. It has: main, next/one"):
        listed(source(repository.path, tmp_path, branch="nxt"))


def test_a_login(repository: Repository, tmp_path: Path) -> None:
    with served(tmp_path, locked=True) as (address, log):
        login = {"user": "ada", "password": "secret:right"}
        made = source(f"{address}/repo", tmp_path, **login)
        assert set(listed(made)) == {"README.md", "docs/guide.md"}
        with pytest.raises(Unreachable, match="wants a login") as bare:
            listed(source(f"{address}/repo", tmp_path / "other"))
        assert not isinstance(bare.value, LoginRefused)
        with pytest.raises(LoginRefused, match="refuses the login") as refused:
            listed(source(f"{address}/repo", tmp_path, user="ada", password="secret:wrong"))
        assert "wrong-password" not in refused.value.sentence
    assert not any("right" in each for each in log)
    config = "".join(each.read_text() for each in (tmp_path / "mirrors").rglob("config"))
    assert "right" not in config


@pytest.mark.parametrize(("path", "said"), [("absent", "There is no repository"), ("moved", "is elsewhere now")])
def test_addresses_that_lead_nowhere(repository: Repository, tmp_path: Path, path: str, said: str) -> None:
    with served(tmp_path) as (address, _), pytest.raises(Unreachable, match=said):
        listed(source(f"{address}/{path}", tmp_path))


def test_a_server_that_is_away(repository: Repository, tmp_path: Path) -> None:
    with served(tmp_path) as (address, _):
        made = source(f"{address}/repo", tmp_path)
        found = listed(made)
    with pytest.raises(Unreachable, match="cannot be read: fatal"):
        listed(made, made.next_cursor)
    got = fetched(made, found["README.md"])
    assert isinstance(got, Content), "the mirror has it"


def test_networks_are_judged(repository: Repository, tmp_path: Path) -> None:
    with served(tmp_path) as (address, log):
        with pytest.raises(Unreachable, match="network rules"):
            listed(source(f"{address}/repo", tmp_path, network=["public"]))
        assert log == []


def test_a_connection_goes_to_the_address_that_was_judged(repository: Repository, tmp_path: Path) -> None:
    with served(tmp_path) as (address, _):
        port = address.rpartition(":")[2]
        made = source(f"http://localhost:{port}/repo", tmp_path)
        assert set(listed(made)) == {"README.md", "docs/guide.md"}
        with made._way() as environment:
            pins = [value for name, value in environment.items() if value.startswith(f"localhost:{port}:")]
        assert len(pins) == 1
        assert "127.0.0.1" in pins[0]


def test_a_mirror_that_is_lost_is_made_again(repository: Repository, tmp_path: Path) -> None:
    made = source(repository.path, tmp_path)
    found = listed(made)
    (tmp_path / "mirrors").rename(tmp_path / "lost")
    got = fetched(made, found["README.md"])
    assert isinstance(got, Content)
    assert got.body == b"# The readme"
    bare = fetched(source(repository.path, tmp_path / "third"), found["README.md"]._replace(validator=""))
    assert isinstance(bare, Content)


def test_a_file_that_has_gone(repository: Repository, tmp_path: Path) -> None:
    made = source(repository.path, tmp_path)
    found = listed(made)["README.md"]
    repository.git("rm", "--quiet", "README.md")
    repository.commit()
    listed(made)
    assert isinstance(fetched(made, found._replace(validator="")), Gone)
    assert isinstance(fetched(made, found._replace(validator="0" * 40 + " 100644")), Gone)


def test_a_branch_that_is_suddenly_empty(repository: Repository, tmp_path: Path) -> None:
    made = source(repository.path, tmp_path)
    listed(made)
    repository.git("rm", "--quiet", "-r", ".")
    repository.commit()
    with pytest.raises(Unreachable, match="has no files, and had some before"):
        listed(source(repository.path, tmp_path), made.next_cursor)
    assert listed(source(repository.path, tmp_path)) == {}


def test_hostile_names_are_bytes_and_no_paths(repository: Repository, tmp_path: Path) -> None:
    blob = repository.git("hash-object", "-w", "--stdin", given=b"content")
    names = [b"..", b".git", b"a\nb", b"\xff\xfe", b"c\td", b"~", b"-n", b"x" * 3000, b"%2e%2e", b"\x01"]
    tree = b"".join(b"100644 %s\0" % name + bytes.fromhex(blob) for name in sorted(names))
    made = repository.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=tree)
    commit = repository.git("commit-tree", made, "-m", "hostile")
    repository.git("update-ref", "refs/heads/hostile", commit)
    opened = source(repository.path, tmp_path, branch="hostile", hidden=True)
    found = listed(opened)
    assert set(map(os.fsencode, found)) == set(names)
    assert len({each.address for each in found.values()}) == len(names)
    for key, each in found.items():
        assert opened.gates.follow(each.address, 0).admitted is (len(key) < 3000 or len(each.address) <= 4096), key
        for version in (each.validator, ""):
            got = fetched(opened, each._replace(validator=version))
            assert isinstance(got, Content), key
            assert got.body == b"content"
    assert {each.name for each in tmp_path.iterdir()} == {"repo", "mirrors"}


def test_links_submodules_and_pointers_are_not_followed(
    repository: Repository, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (repository.path / "link").symlink_to("/etc/hostname")
    repository.put("big.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")
    repository.commit()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repository.git("commit", "--quiet", "-m", "Name a module")
    made = source(repository.path, tmp_path)
    with caplog.at_level(logging.INFO, "cormorant"):
        found = listed(made)
    assert set(found) == {"README.md", "docs/guide.md", "big.bin"}
    assert {each.getMessage() for each in caplog.records} >= {
        "submodule is not followed", "symbolic links are not followed"
    }  # fmt: skip
    got = fetched(made, found["big.bin"])
    assert isinstance(got, Excluded)
    assert "Git LFS" in got.ruling.rule
    link = made.found("link")
    assert isinstance(fetched(made, link), Gone)


def test_sizes(repository: Repository, tmp_path: Path) -> None:
    repository.put("large.txt", "x" * 5000)
    repository.commit()
    dropped = source(repository.path, tmp_path, max_size_bytes=2000)
    found = listed(dropped)
    assert isinstance(fetched(dropped, found["large.txt"]), Excluded)
    cut = fetched(source(repository.path, tmp_path, max_size_bytes=2000, too_big="cut"), found["large.txt"])
    assert isinstance(cut, Content)
    assert (len(cut.body), cut.truncated) == (2000, True)


def test_gates(repository: Repository, tmp_path: Path) -> None:
    for name in (".github/ci.yml", "docs/deep/a.md", "docs/b.txt"):
        repository.put(name, name)
    repository.commit()

    def admitted(**more: Any) -> set[str]:
        made = source(repository.path, tmp_path, **more)
        return {key for key, each in listed(made).items() if made.gates.follow(each.address, 0).admitted}

    assert admitted() == {"README.md", "docs/guide.md", "docs/deep/a.md", "docs/b.txt"}
    assert admitted(hidden=True, include=["*.yml"]) == {".github/ci.yml"}
    assert admitted(depth=1, exclude=["*.txt"]) == {"README.md", "docs/guide.md"}


@pytest.mark.parametrize(
    ("url", "more", "shown"),
    [
        ("https://github.com/o/r.git", {}, "https://github.com/o/r/blob/main/docs/a%20b.md"),
        ("git@gitlab.example:o/g/r.git", {}, "https://gitlab.example/o/g/r/-/blob/main/docs/a%20b.md"),
        ("https://git.example/r", {}, ""),
        ("https://git.example/r", {"display_url": "https://x.example/{branch}?f={path}"},
         "https://x.example/main?f=docs/a%20b.md"),
    ],
)  # fmt: skip
def test_pages_that_show_a_file(tmp_path: Path, url: str, more: dict[str, str], shown: str) -> None:
    known = {"known_hosts": [HOST_KEY]} if "@" in url else {}
    assert source(url, tmp_path, **more, **known)._display(b"docs/a b.md", "main") == shown


def test_a_page_of_the_last_commit(repository: Repository, tmp_path: Path) -> None:
    commit = repository.git("rev-parse", "HEAD")
    made = source(repository.path, tmp_path, display_url="https://git.example/r/{commit}/{path}")
    assert listed(made)["README.md"].display == f"https://git.example/r/{commit}/README.md"


def test_ssh_trusts_the_given_keys_and_goes_to_the_judged_address(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    ssh = programs / "ssh"
    ssh.write_text(
        "#!/bin/sh\n"
        f"printf '%s\\n' \"$@\" > {tmp_path}/words\n"
        f"for word; do case $word in */key) cp $word {tmp_path}/key;; UserKnownHostsFile=*) "
        f"cp ${{word#*=}} {tmp_path}/hosts;; esac; last=$word; done\n"
        'eval "exec $last"\n'
    )
    ssh.chmod(ssh.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    url = f"ssh://git@127.0.0.1:2222{repository.path}"
    made = source(url, tmp_path, key="secret:key", known_hosts=[HOST_KEY])
    assert set(listed(made)) == {"README.md", "docs/guide.md"}
    words = (tmp_path / "words").read_text().splitlines()
    assert {"HostName=127.0.0.1", "HostKeyAlias=127.0.0.1", "StrictHostKeyChecking=yes", "BatchMode=yes"} <= set(words)
    assert words[words.index("-p") + 1] == "2222"
    assert (tmp_path / "key").read_text() == "-----BEGIN KEY-----\nabc\n"
    assert (tmp_path / "hosts").read_text() == f"{HOST_KEY}\n"
    assert not list(Path("/tmp").glob("cormorant-git-*/key"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"url": "ftp://a.example/r"}, "https://git.example"),
        ({"url": "https://ada:pw@a.example/r"}, "not written in the address"),
        ({"url": "https://a.example/"}, "path of the repository is missing"),
        ({"url": "-u/r"}, "https://git.example"),
        ({"url": "ext::sh -c id"}, "https://git.example"),
        ({"url": "https://a.example/r", "key": "secret:key"}, "A key is for ssh"),
        ({"url": "git@a.example:r"}, "ssh-keyscan a.example"),
        ({"url": "git@a.example:r", "known_hosts": ["x"]}, "ssh-keyscan"),
        ({"url": "/srv/r", "password": "secret:x"}, "is for https"),
        ({"url": "http://a.example/r", "password": "secret:x"}, "Over http a password could be read on the way"),
        ({"url": "/srv/r", "password": "typed"}, "never written here"),
        ({"url": "/srv/r", "branch": "--upload-pack=id"}, "no branch can have that name"),
        ({"url": "/srv/r", "branch": "a..b"}, "no branch can have that name"),
        ({"url": "/srv/r", "display_url": "https://a.example/{file}"}, "{file} is not known"),
        ({"url": "/srv/r", "display_url": "javascript:{path}"}, "write it like"),
    ],
)
def test_settings_that_make_no_source(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting) as refused:
        parse_settings(GitSettings, given)
    assert said in refused.value.sentence
    assert "typed" not in refused.value.sentence
    assert "ada:pw" not in refused.value.sentence


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("https://GIT.example:443/a b.git", "https://git.example/a%20b.git"),
        ("git@Git.example:team/a b.git", "git@git.example:team/a b.git"),
        ("git.example:/srv/r", "ssh://git.example/srv/r"),
        ("ssh://[::1]:2222/r", "ssh://[::1]:2222/r"),
        ("/srv/a b", "file:///srv/a%20b"),
    ],
)
def test_addresses(typed: str, address: str) -> None:
    assert RepositoryUrl.of(typed).address == address
    assert RepositoryUrl.of(address).address == address


def test_a_missing_repository_of_this_machine(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="There is no repository at"):
        GitSource.look(parse_settings(GitSettings, {"url": str(tmp_path / "absent")}))
    got = fetched(source(tmp_path / "absent", tmp_path), source(tmp_path / "absent", tmp_path).found("a"))
    assert isinstance(got, Deferred)


def test_folders_of_this_machine_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unreachable, match=r"There is no repository at .*/folder. Correct the source's url."):
        listed(source(tmp_path / "folder", tmp_path))
    subprocess.run(["git", "init", "--quiet", tmp_path / "empty"], check=True)
    with pytest.raises(Unreachable, match="has no commit yet"):
        listed(source(tmp_path / "empty", tmp_path))


def test_a_server_without_tls(repository: Repository, tmp_path: Path) -> None:
    with served(tmp_path) as (address, _), pytest.raises(Unreachable, match="does not speak TLS at this port"):
        listed(source(f"{address}/repo".replace("http:", "https:"), tmp_path))


def test_one_process_at_a_time_brings_a_mirror_up_to_date(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror, "WAIT_S", 0.3)
    made = source(repository.path, tmp_path)
    with made._mirror.held(), pytest.raises(Unreachable, match="Another crawl has been at work"):
        listed(source(repository.path, tmp_path))
    assert listed(source(repository.path, tmp_path))
