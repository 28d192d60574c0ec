"""Names that servers make up to lead a crawler astray: none of them becomes an address outside the folder."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest

from cormorant.model.settings.source import parse_settings
from cormorant.model.status import Status
from cormorant.sources.ftp.client import FtpClient
from cormorant.sources.ftp.settings import FtpSettings
from cormorant.sources.remote.protocol import ConnectionBroken, RemoteEntry, RemoteRefusal
from cormorant.sources.remote.settings import RemoteSettings
from cormorant.sources.sftp.client import SftpClient
from cormorant.sources.sftp.packets import PacketType, packet
from cormorant.sources.sftp.settings import SftpSettings
from cormorant.sources.trees.filters import TreeGates
from cormorant.sources.webdav.settings import WebDavSettings
from cormorant.sources.webdav.source import DavClient

LONG = b"n" * 4_000
FINE = (b"a.txt", b"caf\xe9 \xff", "\u65e5\u672c".encode(), b"%2e%2e", b"..%2fetc", b"~", b"-rf", b"a\\b", LONG)
"""Names that are strange, and are those of files."""
BAD = (b".", b"..", b"../up", b"../../etc/passwd", b"/etc/passwd", b"a/../../b", b"nul\0byte")
"""Names that no entry of a folder has."""
LOGIN = {"user": "ada", "password": "secret:p"}


def see(entries: Sequence[RemoteEntry], settings: RemoteSettings, names: Sequence[bytes]) -> None:
    """See that entries have these names, each with an address in the folder by which it can be asked for."""
    assert [each.parts for each in entries] == [(name,) for name in names]
    naming = settings.naming
    for each in entries:
        address = naming.address(each.parts)
        assert address.startswith(f"{settings.url}/")
        assert naming.parts(address) == list(each.parts)
        ruling = TreeGates(settings, naming).follow(address, 0)
        assert ruling.admitted or each.parts == (LONG,) or ruling.status == Status.OUTSIDE_BOUNDARY


class Ftp:
    """A control connection whose listings have these lines."""

    def __init__(self, lines: Sequence[bytes], features: Sequence[str] = ("MLSD",)) -> None:
        self.lines, self.features = lines, features

    def command(self, line: str) -> str:
        return "250 Fine."

    @contextmanager
    def data(self, command: str) -> Iterator[Any]:
        yield SimpleNamespace(makefile=lambda _: BytesIO(b"".join(each + b"\r\n" for each in self.lines)))

    def end_of_data(self) -> None:
        """It ended well."""


def ftp(lines: Sequence[bytes], features: Sequence[str]) -> tuple[list[RemoteEntry], RemoteRefusal | None, FtpSettings]:
    settings = parse_settings(FtpSettings, {"url": "ftp://host/docs", **LOGIN})
    connection: Any = Ftp(lines, features)
    return (*kept(FtpClient(connection, settings).entries(())), settings)


def kept(entries: Iterator[RemoteEntry]) -> tuple[list[RemoteEntry], RemoteRefusal | None]:
    """The entries that come before a refusal, and that."""
    found = list[RemoteEntry]()
    try:
        found.extend(entries)  # keeps what came before an exception
    except RemoteRefusal as refusal:
        return found, refusal
    return found, None


@pytest.mark.parametrize(
    ("features", "head"),
    [(("MLSD",), b"type=file;size=1;modify=20260101000000; "), ((), b"-rw-r--r-- 1 a b 1 Jan 1 2026 ")],
)
def test_names_of_ftp(features: tuple[str, ...], head: bytes) -> None:
    found, refusal, settings = ftp([head + each for each in (*FINE, *BAD)], features)
    see(found, settings, FINE)
    assert refusal is not None, "a listing with lines that were left out is no whole one"
    assert ftp([head + each for each in (*FINE, b".", b"..")], features)[1] is None


def test_a_name_with_a_line_break_leaves_an_ftp_folder_open() -> None:
    found, refusal, _ = ftp([b"type=file;size=1; a\nDELE b", b"type=file;size=1; c"], ("MLSD",))
    assert [each.parts for each in found] == [(b"a",), (b"c",)]
    assert refusal is not None
    settings = parse_settings(FtpSettings, {"url": "ftp://host/docs", **LOGIN})
    connection: Any = Ftp([])
    with pytest.raises(RemoteRefusal, match="line break"):
        FtpClient(connection, settings).read([b"a\r\nDELE b"], 10)


def test_an_ftp_line_without_end_is_none() -> None:
    with pytest.raises(ConnectionBroken, match="a line without end"):
        ftp([b"type=file; " + b"n" * 20_000], ("MLSD",))


class Ssh:
    """A channel whose folder has these packets of names."""

    def __init__(self, *pages: Sequence[bytes]) -> None:
        self.pages, self.out, self.received = list(pages), b"", 0

    def send(self, data: bytes) -> None:
        kind, number = data[4], int.from_bytes(data[5:9], "big")
        if kind == PacketType.INIT:
            self.out += packet(PacketType.VERSION, 3)
        elif kind == PacketType.OPENDIR:
            self.out += packet(PacketType.HANDLE, number, b"h")
        elif kind == PacketType.READDIR and self.pages:
            page = self.pages.pop(0)
            names = b"".join(_text(each) + _text(b"") + struct.pack(">IQIII", 13, 1, 0o100644, 1, 1) for each in page)
            body = struct.pack(">BII", PacketType.NAME, number, len(page)) + names
            self.out += struct.pack(">I", len(body)) + body
        else:
            self.out += packet(PacketType.STATUS, number, 1 if kind == PacketType.READDIR else 0, b"", b"")

    def receive(self, length: int) -> bytes:
        taken, self.out = self.out[:length], self.out[length:]
        return taken

    def close(self) -> None:
        """Nothing is open."""


def _text(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def sftp(*pages: Sequence[bytes]) -> tuple[list[RemoteEntry], SftpSettings]:
    settings = parse_settings(SftpSettings, {"url": "sftp://host/docs", **LOGIN})
    channel: Any = Ssh(*pages)
    return list(SftpClient(channel, settings).entries(())), settings


def test_names_of_sftp() -> None:
    fine = (*FINE, b"new\nline")
    found, settings = sftp((*fine, *BAD, b""))
    see(found, settings, fine)


def test_an_sftp_listing_that_stands_still_is_none() -> None:
    with pytest.raises(ConnectionBroken, match="nothing comes"):
        sftp([b"a"], [], [b"b"])


def dav(*hrefs: str) -> tuple[list[RemoteEntry], bool, WebDavSettings]:
    settings = parse_settings(WebDavSettings, {"url": "https://cloud/dav/docs", **LOGIN})
    rows = "".join(
        f"<response><href>{each}</href><propstat><prop><getetag>1</getetag></prop><status>HTTP/1.1 200 OK</status>"
        "</propstat></response>"
        for each in ("/dav/docs/", *hrefs)
    )
    body = f'<multistatus xmlns="DAV:">{rows}</multistatus>'.encode()
    unused: Any = None
    client = DavClient(settings, unused, unused, settings.consented)
    client._propfind = lambda *_: SimpleNamespace(body=body)  # type: ignore[method-assign,assignment]
    found, refusal = kept(client.entries(()))
    return found, refusal is None, settings


def test_names_of_webdav() -> None:
    fine = (*FINE, b"new\nline")
    written = ["".join(f"%{byte:02x}" for byte in each) for each in (*fine, b"..", b"up/../../b", b"nul\0byte")]
    found, is_whole, settings = dav(*(f"/dav/docs/{each}" for each in written))
    see(found, settings, fine)
    assert not is_whole


@pytest.mark.parametrize("href", ["/dav/docs/sub/deeper.txt", "/elsewhere/x.txt", "https://other/dav/docs/a/b"])
def test_members_of_other_folders_are_none_of_this(href: str) -> None:
    found, _, _ = dav("/dav/docs/a.txt", href)
    assert b"x.txt" not in {each.parts[0] for each in found}
    assert b"deeper.txt" not in {each.parts[0] for each in found}
