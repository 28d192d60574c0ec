"""Files of a WebDAV server: names, logins, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.content import Content, VisitTrace
from cormorant.model.outcome import Deferred, Excluded, Failed, Gone
from cormorant.model.settings.source import parse_settings
from cormorant.net.http.messages import Request, Response
from cormorant.plugins import Source
from cormorant.sources.webdav.login import DavLogin
from cormorant.sources.webdav.multistatus import DavMember
from cormorant.sources.webdav.settings import WebDavSettings
from cormorant.sources.webdav.source import _permalink, _version
from cormorant.testing import SourceSuite
from tests.sources.remote.listing import (
    NAMES as LISTED_NAMES,
    fetched,
    found,
    has_every_file,
    listed,
    remote,
    with_files,
)
from tests.sources.webdav.dav_server import PASSWORD, USER, DavServer, dav_server

SECRETS = {"p": PASSWORD, "w": "wrong"}
NAMES = (*LISTED_NAMES, "it's & <so>.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return with_files(tmp_path, NAMES)


def settings(server: DavServer, **more: object) -> dict[str, Any]:
    return {"url": f"{server.url}/docs", "user": USER, "password": "secret:p", "per_host": 2, **more}


class TestSuite(SourceSuite):
    """A folder of WsgiDAV, as discovery has it."""

    fetches = False  # in a suite without a fetcher; each test below fetches

    @pytest.fixture(autouse=True)
    def place(self, folder: Path) -> Iterator[None]:
        with dav_server(folder) as self.server:
            yield

    def make(self) -> Source:
        return remote("webdav", SECRETS, **settings(self.server))


@pytest.mark.parametrize("basic", [True, False])
def test_names_of_any_sort_are_listed_and_read(folder: Path, basic: bool) -> None:
    with dav_server(folder, basic=basic) as server:
        names = listed(remote("webdav", SECRETS, **settings(server)))
        got = [fetched("webdav", SECRETS, name, **settings(server)) for name in names]
    assert has_every_file(got, NAMES)
    assert all(isinstance(each, Content) and each.modified_at for each in got)


@pytest.mark.parametrize("basic", [True, False])
def test_a_wrong_password_is_refused(folder: Path, basic: bool) -> None:
    with (
        dav_server(folder, basic=basic) as server,
        pytest.raises(LoginRefused, match="refuses the login of user 'ada'"),
    ):
        listed(remote("webdav", SECRETS, **settings(server, password="secret:w")))


@pytest.mark.parametrize(("path", "said"), [("nowhere", "no such file"), ("docs/a.txt", "It is no folder")])
def test_a_root_that_is_none(folder: Path, path: str, said: str) -> None:
    with dav_server(folder) as server, pytest.raises(Unreachable, match=said):
        listed(remote("webdav", SECRETS, **settings(server, url=f"{server.url}/{path}")))


def test_a_folder_that_is_refused_is_left_open(folder: Path) -> None:
    with dav_server(folder) as server:
        server.refused = ("/docs/sub dir",)
        source = remote("webdav", SECRETS, **settings(server))
        assert len(listed(source)) == 2
        assert source.unlisted == [f"{server.url}/docs/sub%20dir/"]


def test_outcomes_of_a_file(folder: Path) -> None:
    (folder / "docs" / "big.txt").write_bytes(b"x" * 5_000)
    with dav_server(folder) as server:
        wire = VisitTrace()
        assert fetched("webdav", SECRETS, "gone.txt", wire, **settings(server)) == Gone(404)
        assert wire.requests == 2  # over plain HTTP the server has to ask for the login first
        assert isinstance(fetched("webdav", SECRETS, "big.txt", **settings(server), max_size_bytes=1000), Excluded)
        cut = fetched("webdav", SECRETS, "big.txt", **settings(server), max_size_bytes=1000, too_big="cut")
        assert isinstance(cut, Content)
        assert (len(cut.body), cut.truncated) == (1000, True)
        server.refused = ("/docs/big",)
        refused = fetched("webdav", SECRETS, "big.txt", **settings(server))
        assert isinstance(refused, Failed)
        assert refused.status == 403
        server.away = True
        away = fetched("webdav", SECRETS, "a.txt", **settings(server))
        assert isinstance(away, Deferred)
        assert (away.status, away.whole_site) == (503, True)


def test_a_folder_that_is_suddenly_empty_is_not_believed(folder: Path) -> None:
    with dav_server(folder) as server:
        first = remote("webdav", SECRETS, **settings(server))
        found(first)
        (folder / "docs").rename(folder / "away")
        (folder / "docs").mkdir()
        with pytest.raises(Unreachable, match="is empty, and was not before"):
            found(remote("webdav", SECRETS, **settings(server)), first.next_cursor)


def test_a_file_with_a_number_is_known_where_it_was_moved_to() -> None:
    numbered = DavMember((), etag="e1", size="12", file_id="4711")
    assert _version((b"a",), b"x", numbered) == _version((b"b",), b"x", numbered) == "e1-12-4711"
    bare = numbered._replace(file_id="")
    assert _version((b"a",), b"x", bare) != _version((b"b",), b"x", bare)
    assert _version((), b"x", DavMember(())) == ""


def test_files_of_nextcloud_are_shown_by_their_permanent_address() -> None:
    given = {"url": "https://cloud.example.org/remote.php/dav/files/ada/papers"}
    assert _permalink(parse_settings(WebDavSettings, given)) == "https://cloud.example.org/f/"
    assert _permalink(parse_settings(WebDavSettings, {**given, "display_prefix": "https://x.org"})) == ""
    assert _permalink(parse_settings(WebDavSettings, {"url": "https://dav.example.org/papers"})) == ""


def refused(asks: str) -> Response:
    return Response(401, "HTTP/1.1 401 No", f"WWW-Authenticate: {asks}\r\n".encode(), b"", 0)


def test_a_password_goes_out_at_once_over_tls_only() -> None:
    request = Request("https://cloud/dav/")
    assert DavLogin("ada", "pw", "https://cloud").lines(request) == ("Authorization: Basic YWRhOnB3",)
    assert DavLogin("ada", "pw", "http://cloud").lines(request) == ()
    assert DavLogin("", "", "https://cloud").lines(request) == ()


def test_requests_that_were_sent_before_the_login_was_known_are_repeated() -> None:
    login, request = DavLogin("ada", "pw", "http://cloud"), Request("http://cloud/dav/")
    basic = refused('Basic realm="x"')
    assert login.challenged(basic, ())
    assert login.challenged(basic, ()), "another request was under way without a login, too"
    assert not login.challenged(basic, login.lines(request)), "the password was tried, and is wrong"


def test_a_digest_is_renewed_and_a_wrong_one_is_not() -> None:
    login, request = DavLogin("ada", "pw", "http://cloud"), Request("http://cloud/dav/")
    assert login.challenged(refused('Digest realm="x", nonce="one", qop="auth"'), ())
    first = login.lines(request)
    assert not login.challenged(refused('Digest realm="x", nonce="two", qop="auth"'), first)
    assert login.challenged(refused('Digest realm="x", nonce="two", qop="auth", stale=true'), first)
    assert login.challenged(refused('Digest realm="x", nonce="three", qop="auth"'), first), (
        "another nonce is known by now"
    )
    assert "pw" not in "".join(login.lines(request))
