"""What may be typed for sources of files on servers, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from cormorant.base.errors import BadSetting
from cormorant.model.settings.source import parse_settings
from cormorant.sources.ftp.settings import FtpSettings
from cormorant.sources.remote.settings import RemoteSettings
from cormorant.sources.sftp.settings import SftpSettings
from cormorant.sources.smb import kerberos
from cormorant.sources.smb.settings import SmbSettings
from cormorant.sources.smb.source import SmbSource
from cormorant.sources.webdav.settings import WebDavSettings

LOGIN = {"user": "ada", "password": "secret:p"}


@pytest.mark.parametrize(
    ("kind", "typed", "kept", "host", "port", "root"),
    [
        (
            SftpSettings,
            "sftp://HOST.Example/srv/a b/",
            "sftp://host.example/srv/a%20b",
            "host.example",
            22,
            b"/srv/a b",
        ),
        (SftpSettings, "SFTP://host:22", "sftp://host", "host", 22, b"/"),
        (SftpSettings, "sftp://[::1]:2222/x", "sftp://[::1]:2222/x", "[::1]", 2222, b"/x"),
        (SftpSettings, "sftp://host/caf%E9", "sftp://host/caf%E9", "host", 22, b"/caf\xe9"),
        (FtpSettings, "ftp://host:21/pub", "ftp://host/pub", "host", 21, b"/pub"),
        (FtpSettings, "ftps://host/pub", "ftps://host/pub", "host", 990, b"/pub"),
        (SmbSettings, r"\\server\share\a b", "smb://server/share/a%20b", "server", 445, b"/share/a b"),
        (SmbSettings, "cifs://server/share", "smb://server/share", "server", 445, b"/share"),
        (WebDavSettings, "davs://cloud/dav/", "https://cloud/dav", "cloud", 443, b"/dav"),
    ],
)
def test_addresses(kind: type[RemoteSettings], typed: str, kept: str, host: str, port: int, root: bytes) -> None:
    settings = parse_settings(kind, {"url": typed, **LOGIN})
    assert (settings.url, settings.host, settings.port, settings.root) == (kept, host, port, root)
    assert settings.naming.parts(settings.naming.address([b"x"])) == [b"x"]


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (SftpSettings, {"url": "/srv/docs"}, "it begins with sftp://"),
        (SftpSettings, {"url": "sftp://ada:pw@host/x"}, "a user name is not written here"),
        (SftpSettings, {"url": "sftp://host/a?b"}, "is written %3F or %23"),
        (SftpSettings, {"url": "sftp:///srv"}, "write it like sftp://host/srv/docs"),
        (SftpSettings, {"url": "sftp://host/a%00b"}, "write it like sftp://host/srv/docs"),
        (SftpSettings, {"password": "pw"}, "a secret is never written here"),
        (SftpSettings, {"password": ""}, "needs a password or a private_key"),
        (SftpSettings, {"user": "ada\r\nDELE x"}, "control character"),
        (SftpSettings, {"host_key": "MD5:aa"}, "SHA256: and 43 characters"),
        (SftpSettings, {"path": "/srv"}, "Did you mean 'url'"),
        (FtpSettings, {"owner_grants": True}, "does not say who may read a file"),
        (FtpSettings, {"symlinks": True}, "does not say where links lead"),
        (FtpSettings, {"url": "ftps://host", "tls": "off"}, "is of TLS"),
        (SmbSettings, {"url": "smb://server"}, "names no share"),
        (SmbSettings, {"sid_names": "S-1-x=group:a"}, "names no reader"),
        (WebDavSettings, {"url": "http://cloud.example.org/dav"}, "could be read on the way"),
        (WebDavSettings, {"user": ""}, "needs its user"),
        (WebDavSettings, {"ca": "/nowhere.pem"}, "cannot be read"),
    ],
)
def test_what_cannot_be(kind: type[RemoteSettings], given: dict[str, object], said: str) -> None:
    url = {"webdav": "https://cloud/dav", "smb": "smb://server/share"}.get(
        kind.LISTED_BY.rpartition(" ")[2], f"{next(iter(kind.SCHEMES))}://host/x"
    )
    with pytest.raises(BadSetting, match=said) as raised:
        parse_settings(kind, {"url": url, **LOGIN, **given})
    assert "pw" not in raised.value.sentence


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "10.1.2.3", "[fd00::1]"])
def test_a_password_may_go_in_clear_inside(host: str) -> None:
    assert parse_settings(WebDavSettings, {"url": f"http://{host}/dav", **LOGIN}).is_inside


@pytest.mark.parametrize(
    "host", ["100.64.0.1", "100.127.255.254", "[::ffff:100.64.0.1]", "8.8.8.8", "cloud", "169.254.1.1"]
)
def test_a_password_does_not_go_in_clear_where_others_carry_it(host: str) -> None:
    """Shared address space is carried by a provider (RFC 6598 section 1); a setting says where that is no harm."""
    given = {"url": f"http://{host}/dav", **LOGIN}
    with pytest.raises(BadSetting, match=r"a password could be read on the way.*set network=private"):
        parse_settings(WebDavSettings, given)
    assert parse_settings(WebDavSettings, {**given, "network": ["Private"]}).is_inside
    assert not parse_settings(FtpSettings, {"url": f"ftp://{host}/x"}).is_inside


def test_secrets_are_named(tmp_path: Path) -> None:
    settings = parse_settings(
        SftpSettings, {"url": "sftp://h/x", "user": "a", "private_key": "secret:k", "passphrase": "secret:f"}
    )
    assert settings.secrets == {"k", "f"}


def test_kerberos_without_its_packages_is_named_with_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kerberos, "find_spec", lambda name: None if name == "gssapi" else name)
    given = {"url": "smb://server/share", **LOGIN}
    SmbSource.look(parse_settings(SmbSettings, given))
    with pytest.raises(BadSetting, match=r"libkrb5-dev\), then `pip install \"cormorant\[smb,kerberos\]\"`"):
        SmbSource.look(parse_settings(SmbSettings, {**given, "auth": "kerberos"}))
