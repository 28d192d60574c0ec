"""Files of vsftpd, as people run it: lines of LIST, TLS sessions that data connections go on with, what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Excluded, Gone
from cormorant.plugins import Source
from cormorant.testing import SourceSuite
from tests.net.http.servers import CERTIFICATE
from tests.sources.ftp.vsftpd import PASSWORD, Vsftpd, vsftpd
from tests.sources.remote.listing import fetched, listed, remote

pytestmark = pytest.mark.server
SECRETS = {"p": PASSWORD, "w": "wrong"}
NAMES = ("a.txt", "sub dir/b \u00fc%41#?;c.txt", "sub dir/deep/\u65e5\u672c.html", "it's  two.txt", "1 Jan 2020 x.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        path = tmp_path / "share" / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "share").chmod(0o555)
    return tmp_path / "share"


@pytest.fixture
def server(folder: Path, tmp_path: Path) -> Iterator[Vsftpd]:
    with vsftpd(folder, tmp_path / "state") as made:
        yield made


class TestSuite(SourceSuite):
    """A folder of vsftpd."""

    @pytest.fixture(autouse=True)
    def place(self, server: Vsftpd) -> None:
        self.server = server

    def make(self) -> Source:
        return remote("ftp", SECRETS, **self.server.settings(url=f"{self.server.url}docs"))


def test_names_of_any_sort_are_listed_and_read(server: Vsftpd) -> None:
    settings = server.settings(url=f"{server.url}docs")
    source = remote("ftp", SECRETS, **settings)
    names = listed(source)
    assert not source.unlisted
    got = [fetched("ftp", SECRETS, name, **settings) for name in names]
    assert {each.body.decode() for each in got if isinstance(each, Content)} == set(NAMES)
    assert all(isinstance(each, Content) and each.modified_at for each in got)


def test_a_file_that_is_changed_has_another_version(server: Vsftpd, folder: Path) -> None:
    settings = server.settings(url=f"{server.url}docs")
    before = listed(remote("ftp", SECRETS, **settings))
    (folder / "docs" / "a.txt").write_text("longer than before")
    after = listed(remote("ftp", SECRETS, **settings))
    assert {name for name in before if before[name] != after[name]} == {"a.txt"}


@pytest.mark.parametrize(("hidden", "names"), [(False, set()), (True, {".x/.y.txt", ".z.txt"})])
def test_hidden_files(server: Vsftpd, folder: Path, hidden: bool, names: set[str]) -> None:
    (folder / "docs" / ".x").mkdir()
    (folder / "docs" / ".x" / ".y.txt").write_text("y")
    (folder / "docs" / ".z.txt").write_text("z")
    found = listed(remote("ftp", SECRETS, **server.settings(url=f"{server.url}docs", hidden=hidden)))
    assert {each for each in found if each.startswith(".")} == names


def test_a_link_is_left_out(server: Vsftpd, folder: Path) -> None:
    (folder / "docs" / "link -> x.txt").symlink_to("a.txt")
    source = remote("ftp", SECRETS, **server.settings(url=f"{server.url}docs"))
    assert len(listed(source)) == len(NAMES)
    assert not source.unlisted


def test_over_tls(folder: Path, tmp_path: Path) -> None:
    with vsftpd(folder, tmp_path / "state", certificate=CERTIFICATE) as server:
        settings = server.settings(url=f"ftp://localhost:{server.port}/docs", ca=str(CERTIFICATE), tls="require")
        names = listed(remote("ftp", SECRETS, **settings))
        got = [fetched("ftp", SECRETS, name, **settings) for name in names]
        assert {each.body.decode() for each in got if isinstance(each, Content)} == set(NAMES)
        with pytest.raises(Unreachable, match="certificate of the server is not trusted"):
            listed(remote("ftp", SECRETS, **{**settings, "ca": ""}))
        with pytest.raises((LoginRefused, Unreachable)):
            listed(remote("ftp", SECRETS, **{**settings, "tls": "off"}))


@pytest.mark.parametrize(
    ("settings", "kind", "sentence"),
    [
        ({"password": "secret:w"}, LoginRefused, "refuses the login of user 'anonymous'"),
        ({"tls": "require"}, Unreachable, "offers no TLS"),
        ({"url": "nowhere"}, Unreachable, "no such folder"),
        ({"url": "docs/a.txt"}, Unreachable, "no such folder"),
    ],
)
def test_what_the_server_refuses(
    server: Vsftpd, settings: dict[str, str], kind: type[Exception], sentence: str
) -> None:
    given = {**settings, "url": f"{server.url}{settings.get('url', 'docs')}"}
    with pytest.raises(kind, match=sentence):
        listed(remote("ftp", SECRETS, **server.settings(**given)))


def test_outcomes_of_a_file(server: Vsftpd, folder: Path) -> None:
    (folder / "docs" / "big.txt").write_bytes(b"0123456789" * 200_000)
    given = server.settings(url=f"{server.url}docs")
    assert fetched("ftp", SECRETS, "gone.txt", **given) == Gone(404)
    assert isinstance(fetched("ftp", SECRETS, "sub%20dir", **given), Excluded)
    assert isinstance(fetched("ftp", SECRETS, "big.txt", **given, max_size_bytes=1000), Excluded)
    cut = fetched("ftp", SECRETS, "big.txt", **given, max_size_bytes=1000, too_big="cut")
    assert isinstance(cut, Content)
    assert (cut.body, cut.truncated) == (b"0123456789" * 100, True)


def test_a_server_that_takes_few_connections_is_listed_by_those(folder: Path, tmp_path: Path) -> None:
    with vsftpd(folder, tmp_path / "state", most=2) as server:  # one may be that of the wait for its start
        settings = server.settings(url=f"{server.url}docs", per_host=4)
        assert len(listed(remote("ftp", SECRETS, **settings))) == len(NAMES)
