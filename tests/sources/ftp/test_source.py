"""Files of an FTP server, with and without MLSD and TLS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content
from cormorant.model.outcome import Excluded, Failed, Gone
from cormorant.plugins import Source
from cormorant.testing import SourceSuite
from tests.net.http.servers import CERTIFICATE
from tests.sources.ftp.ftp_server import PASSWORD, ftp_server
from tests.sources.remote.listing import (
    NAMES as LISTED_NAMES,
    fetched,
    found,
    has_every_file,
    listed,
    remote,
    with_files,
)

SECRETS = {"p": PASSWORD, "w": "wrong"}
NAMES = (*LISTED_NAMES, "it's.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_files(tmp_path, NAMES)


class TestSuite(SourceSuite):
    """A folder of pyftpdlib."""

    @pytest.fixture(autouse=True)
    def place(self, folder: Path) -> Iterator[None]:
        with ftp_server(folder) as self.server:
            yield

    def make(self) -> Source:
        return remote("ftp", SECRETS, **self.server.settings(url=f"{self.server.url}docs"))


@pytest.mark.parametrize("listing", ["MLSD", "LIST"])
def test_names_of_any_sort_are_listed_and_read(folder: Path, listing: str) -> None:
    with ftp_server(folder, listing=listing) as server:
        settings = server.settings(url=f"{server.url}docs")
        source = remote("ftp", SECRETS, **settings)
        names = listed(source)
        assert not source.unlisted
        got = [fetched("ftp", SECRETS, name, **settings) for name in names]
    assert has_every_file(got, NAMES)
    assert all(isinstance(each, Content) and each.modified_at for each in got)


def test_over_tls(folder: Path) -> None:
    with ftp_server(folder, certificate=CERTIFICATE) as server:
        settings = server.settings(url=f"ftp://localhost:{server.port}/docs", ca=str(CERTIFICATE), tls="require")
        server.handler.tls_control_required = server.handler.tls_data_required = True
        assert len(listed(remote("ftp", SECRETS, **settings))) == len(NAMES)
        assert isinstance(fetched("ftp", SECRETS, "a.txt", **settings), Content)
        with pytest.raises(Unreachable, match="certificate of the server is not trusted"):
            listed(remote("ftp", SECRETS, **{**settings, "ca": ""}))


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        ({"password": "secret:w"}, LoginRefused, "refuses the login of user 'ada'"),
        ({"tls": "require"}, Unreachable, "offers no TLS"),
        ({"url": "nowhere"}, Unreachable, "no such folder"),
        ({"url": "docs/a.txt"}, Unreachable, "no such folder"),
    ],
)
def test_what_a_server_refuses(folder: Path, settings: dict[str, str], kind: type[Exception], said: str) -> None:
    with ftp_server(folder) as server:
        given = {**settings, "url": f"{server.url}{settings.get('url', 'docs')}"}
        with pytest.raises(kind, match=said):
            listed(remote("ftp", SECRETS, **server.settings(**given)))


def test_nobody_listens(folder: Path) -> None:
    with ftp_server(folder) as server:
        settings = server.settings()
    with pytest.raises(Unreachable, match="did not answer: connection refused"):
        listed(remote("ftp", SECRETS, **settings))


def test_outcomes_of_a_file(folder: Path) -> None:
    (folder / "docs" / "big.txt").write_bytes(b"x" * 300_000)
    closed = folder / "docs" / "closed.txt"
    closed.write_text("x")
    with ftp_server(folder) as server:
        settings = server.settings(url=f"{server.url}docs")
        assert fetched("ftp", SECRETS, "gone.txt", **settings) == Gone(404)
        assert isinstance(fetched("ftp", SECRETS, "sub%20dir", **settings), Excluded)
        assert isinstance(fetched("ftp", SECRETS, "big.txt", **settings, max_size_bytes=1000), Excluded)
        cut = fetched("ftp", SECRETS, "big.txt", **settings, max_size_bytes=1000, too_big="cut")
        assert isinstance(cut, Content)
        assert (len(cut.body), cut.truncated) == (1000, True)
        broken = fetched("ftp", SECRETS, "a%0D%0ADELE%20b", **settings)
        assert isinstance(broken, Failed)
        assert broken.status == 400
        server.handler.authorizer.override_perm("ada", str(folder / "docs"), "el", recursive=True)
        refused = fetched("ftp", SECRETS, "closed.txt", **settings)
        assert isinstance(refused, Failed)
        assert refused.status == 403


def test_a_server_with_few_connections_is_listed(folder: Path) -> None:
    with ftp_server(folder) as server:
        server.limit_of_one_address(2)
        assert len(listed(remote("ftp", SECRETS, **server.settings(url=f"{server.url}docs", per_host=6)))) == len(NAMES)


def test_a_folder_that_is_suddenly_empty_is_not_believed(folder: Path, tmp_path: Path) -> None:
    with ftp_server(folder) as server:
        settings = server.settings(url=f"{server.url}docs")
        first = remote("ftp", SECRETS, **settings)
        found(first)
        (folder / "docs").rename(folder / "away")
        (folder / "docs").mkdir()
        with pytest.raises(Unreachable, match="is empty, and was not before"):
            found(remote("ftp", SECRETS, **settings), first.next_cursor)


def test_a_moved_file_has_the_version_it_had(folder: Path) -> None:
    with ftp_server(folder) as server:
        settings = server.settings(url=f"{server.url}docs")
        before = listed(remote("ftp", SECRETS, **settings))["a.txt"]
        (folder / "docs" / "a.txt").rename(folder / "docs" / "sub dir" / "a.txt")
        assert listed(remote("ftp", SECRETS, **settings))["sub%20dir/a.txt"] == before


def test_no_password_stands_in_what_is_raised(folder: Path) -> None:
    with ftp_server(folder) as server, pytest.raises(LoginRefused) as raised:
        listed(remote("ftp", SECRETS, **server.settings(password="secret:w")))
    assert SECRETS["w"] not in str(raised.value)
