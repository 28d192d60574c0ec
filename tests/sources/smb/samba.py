"""A Samba of a test, on a port and with a configuration of its own."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.sources.remote.listing import free_port, started

PASSWORD = "right one"
CONFIGURATION = """[global]
smb ports = {port}
interfaces = {host}/8
bind interfaces only = yes
private dir = {state}
lock directory = {state}
state directory = {state}
cache directory = {state}
pid directory = {state}
ncalrpc dir = {state}/rpc
log file = {state}/log
server role = standalone server
passdb backend = tdbsam:{state}/passdb.tdb
map to guest = never
load printers = no
disable spoolss = yes
{more}
[place]
path = {folder}
read only = {read_only}
msdfs root = {is_namespace}
{of_share}
"""


class Extra(NamedTuple):
    """The rest of a server: lines for it and for its share, its address and environment, and the detail of its log."""

    everywhere: Sequence[str] = ()
    of_share: Sequence[str] = ()
    host: str = "127.0.0.1"
    environment: Mapping[str, str] = {}
    detail: int = 1


class Samba:
    """Where it listens; the share `place` is the folder."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.url = f"smb://{host}:{port}/place"

    def settings(self, **more: object) -> dict[str, Any]:
        return {"url": self.url, "user": "root", "password": "secret:p", "per_host": 2, **more}


@contextmanager
def samba(
    folder: Path,
    state: Path,
    port: int = 0,
    *,
    read_only: bool = True,
    is_namespace: bool = False,
    with_: Extra | None = None,
) -> Iterator[Samba]:
    """Serve a folder, as the root of a DFS namespace by choice. Skips where Samba is not there, or without root."""
    pytest.importorskip("smbprotocol")
    daemon = shutil.which("smbd", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if daemon is None or os.geteuid() != 0:
        pytest.skip("smbd is not installed, or not started by root")
    extra, port = with_ or Extra(), port or free_port()
    (state / "rpc").mkdir(parents=True, exist_ok=True)
    configuration = state / "smb.conf"
    words = {"read_only": _word(read_only), "is_namespace": _word(is_namespace)}
    words |= {"host": extra.host, "more": "\n".join(extra.everywhere), "of_share": "\n".join(extra.of_share)}
    configuration.write_text(CONFIGURATION.format(port=port, state=state, folder=folder, **words))
    set_password(state, PASSWORD)
    command = [daemon, "-F", "-s", str(configuration), "--debug-stdout", f"-d{extra.detail}"]
    with started(command, port, state / "out", host=extra.host, environment=extra.environment):
        yield Samba(port, extra.host)


KEEPS_RIGHTS = ("vfs objects = acl_tdb", "acl_tdb:ignore system acls = yes")
"""Lines of a share that keeps access lists as Windows writes them, also where the disk has no attributes."""
READ = 0x00120089
"""The mask of a right to read ([MS-SMB2] 2.2.13.1.1): data, attributes, access list, and to wait for it."""
_WRITE_DAC, _DACL, _SECURITY = 0x00040000, 0x00000004, 3


def see_rights_kept() -> None:
    """Skip where Samba has no module that keeps access lists (Debian: samba-vfs-modules)."""
    if not any(Path("/usr").glob("lib*/**/samba/vfs/acl_tdb.so")):
        pytest.skip("Samba's module acl_tdb is not installed")


class RightEntry(NamedTuple):
    """An entry of an access list: whose, whether it grants or denies, and which rights."""

    sid: str
    is_granted: bool
    mask: int = READ


def set_rights(server: Samba, name: str, *entries: RightEntry) -> None:
    """Give a file an access list, as a client does."""
    smbclient = pytest.importorskip("smbclient")
    from smbprotocol.open import FilePipePrinterAccessMask, SMB2SetInfoRequest

    host, _, rest = server.url.removeprefix("smb://").partition(":")
    port, _, share = rest.partition("/")
    given = {"username": "root", "password": PASSWORD, "port": int(port), "connection_cache": {}}
    data = b"".join(_packed(each) for each in entries)
    listing = struct.pack("<BBHHH", 2, 0, 8 + len(data), len(entries), 0) + data
    descriptor = struct.pack("<BBHIIII", 1, 0, 0x8004, 0, 0, 0, 20) + listing
    try:
        with smbclient.open_file(
            f"//{host}/{share}/{name}", mode="rb", buffering=0, share_access="rwd",
            desired_access=FilePipePrinterAccessMask.READ_CONTROL | _WRITE_DAC,
            **given,
        ) as file:  # fmt: skip
            opened = file.fd
            change = SMB2SetInfoRequest()
            change["info_type"] = _SECURITY
            change["additional_information"] = _DACL
            change["file_id"] = opened.file_id
            change["buffer"] = descriptor
            session = opened.tree_connect.session
            request = opened.connection.send(change, session.session_id, opened.tree_connect.tree_connect_id)
            opened.connection.receive(request)
    finally:
        smbclient.reset_connection_cache(connection_cache=given["connection_cache"], fail_on_error=False)


def _packed(entry: RightEntry) -> bytes:
    _, revision, authority, *parts = entry.sid.split("-")
    sid = struct.pack("<BB6s", int(revision), len(parts), int(authority).to_bytes(6, "big"))
    sid += struct.pack(f"<{len(parts)}I", *map(int, parts))
    return struct.pack("<BBHI", 0 if entry.is_granted else 1, 0, 8 + len(sid), entry.mask) + sid


def set_password(state: Path, password: str) -> None:
    """Set the password of root in the Samba that has its state in a folder."""
    command = ["smbpasswd", "-c", str(state / "smb.conf"), "-a", "-s", "root"]
    subprocess.run(command, input=f"{password}\n{password}\n", text=True, capture_output=True, check=True)


def _word(setting: bool) -> str:
    return "yes" if setting else "no"


def write(server: Samba, name: str, text: str) -> None:
    """Write a file of the share, and its folder, as a client does: Samba reports to others what its clients change."""
    smbclient = pytest.importorskip("smbclient")
    address = server.url.removeprefix("smb://127.0.0.1:")
    port, _, share = address.partition("/")
    given = {"username": "root", "password": PASSWORD, "port": int(port), "connection_cache": {}}
    path = f"//127.0.0.1/{share}/{name}"
    try:
        smbclient.makedirs(path.rpartition("/")[0], exist_ok=True, **given)
        with smbclient.open_file(path, mode="w", **given) as file:
            file.write(text)
    finally:
        smbclient.reset_connection_cache(connection_cache=given["connection_cache"], fail_on_error=False)
