"""SMB client: folders, files and their rights on one share, by the library smbprotocol."""

from __future__ import annotations

import logging
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from typing import Any, Final
from uuid import UUID

import xxhash

from cormorant.base.clock import Clock, random_token
from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.model.acl import ACL, NOBODY
from cormorant.model.status import Status
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.remote.protocol import ConnectionBroken, EntryKind, RemoteEntry, RemoteFile, RemoteRefusal
from cormorant.sources.smb.change_notices import ChangeNotices, Concerns
from cormorant.sources.smb.lsa import LSARPC, Account, LsaRefusal, lookup
from cormorant.sources.smb.rpc_pipe import RpcFault, bound
from cormorant.sources.smb.settings import SmbSettings
from cormorant.sources.smb.sid_names import SidNames

MISSING: Final = 'SMB needs the package smbprotocol. Install it with `pip install "cormorant[smb]"`.'
NO_KERBEROS: Final = (
    "Kerberos needs packages that are compiled here: install a compiler and the headers of MIT Kerberos (Debian: gcc, "
    'python3-dev, libkrb5-dev), then `pip install "smbprotocol[kerberos]"`. Or set auth=ntlm.'
)
PIECE: Final = 65_536
"""Bytes of one request, for which one credit is enough ([MS-SMB2] 3.1.5.2)."""
DESCRIPTOR_BYTES: Final = 65_536
_READ_CONTROL, _READ_DATA, _READ_ATTRIBUTES = 0x00020000, 0x00000001, 0x00000080
_REPARSE_POINT, _DIRECTORY = 0x00000400, 0x00000010
_FOLDER_OPTION, _FILE_OPTION, _REPARSE_OPTION = 0x00000001, 0x00000040, 0x00200000
_OWNER, _DACL = 0x00000001, 0x00000004
_SHARED: Final = 1 | 2 | 4
"""Others may read, write and remove a file while it is open."""
_ABSENT: Final = frozenset((0xC0000034, 0xC000003A, 0xC000000F, 0xC0000056))
"""STATUS_OBJECT_NAME_NOT_FOUND, OBJECT_PATH_NOT_FOUND, NO_SUCH_FILE, DELETE_PENDING ([MS-ERREF] 2.3)."""
_DENIED: Final = frozenset((0xC0000022, 0xC0000061))
_PIPE_AWAY: Final = frozenset((0xC00000AC, 0xC00000AE, 0xC00000B0, 0xC00000B1, 0xC000014B))
"""STATUS_PIPE_NOT_AVAILABLE, BUSY, DISCONNECTED, CLOSING, BROKEN: the service behind the pipe starts, or did end."""
_NO_LOGIN: Final = frozenset((0xC000006D, 0xC0000064, 0xC000006A, 0xC000006E, 0xC0000071, 0xC0000072, 0xC0000234))
_NO_SHARE, _NO_MORE, _ELSEWHERE, _IN_USE = 0xC00000CC, 0x80000006, 0xC0000257, 0xC0000043
_IS_FOLDER, _NO_FOLDER = 0xC00000BA, 0xC0000103


def see_smbprotocol() -> Any:
    """Return the SMB library. Raises BadSetting with how to install it."""
    try:
        import smbprotocol.change_notify  # noqa: PLC0415 - optional, and it takes time to load
        import smbprotocol.connection  # noqa: PLC0415
        import smbprotocol.exceptions  # noqa: PLC0415
        import smbprotocol.open  # noqa: PLC0415
        import smbprotocol.session  # noqa: PLC0415
        import smbprotocol.tree  # noqa: PLC0415
    except ImportError:
        raise BadSetting(MISSING) from None
    for name in ("smbprotocol", "spnego"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # they log the names of users, and packets
    return smbprotocol


def see_kerberos() -> None:
    """See that Kerberos can be used. Raises BadSetting with how to install it."""
    if not all(find_spec(each) for each in ("gssapi", "krb5")):
        raise BadSetting(NO_KERBEROS)


class SmbClient:
    """One connection to a share."""

    def __init__(self, smb: Any, tree: Any, settings: SmbSettings, names: SidNames) -> None:
        self._smb, self._tree, self._settings, self._names = smb, tree, settings, names

    def identity(self) -> str:
        """Return the number of the root folder on its disk, "" where the server gives none."""
        with _translated(self._smb), self._opened((), _READ_ATTRIBUTES | _READ_DATA, _FOLDER_OPTION) as folder:
            for found in self._pages(folder):
                if _name(found) == ".":
                    return str(found["file_id"].get_value() or "")
        return ""

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        """Yield the entries of a folder."""
        with _translated(self._smb), self._opened(folder, _READ_ATTRIBUTES | _READ_DATA, _FOLDER_OPTION) as opened:
            for found in self._pages(opened):
                name = _name(found)
                if name in (".", "..", "") or any(each in name for each in "/\\\0"):
                    continue
                yield self._entry(folder, name.encode("utf-8", "surrogatepass"), found)

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        """Return the beginning of a file."""
        access = _READ_DATA | _READ_ATTRIBUTES | (_READ_CONTROL if self._settings.owner_grants else 0)
        with _translated(self._smb), self._opened(parts, access, _FILE_OPTION | _REPARSE_OPTION) as file:
            if int(file.file_attributes) & _REPARSE_POINT:
                raise RemoteRefusal(Status.OUTSIDE_BOUNDARY, "symlinks = false")
            acl = self._readers(file) if self._settings.owner_grants else None
            size = int(file.end_of_file)
            wanted = min(size, limit + 1) if size <= limit or self._settings.too_big == "cut" else 0
            body = self._bytes(file, wanted)
            return RemoteFile(body, size, _seconds(file.last_write_time), acl=acl, received=len(body))

    def notices(self, concerns: Concerns, clock: Clock) -> ChangeNotices:
        """Begin to watch the folder and everything below it, for as long as the connection is open."""
        with _translated(self._smb):
            handles = self._handle((), _READ_DATA, _FOLDER_OPTION), self._handle((), _READ_DATA, _FOLDER_OPTION)
            return ChangeNotices(self._smb, handles, concerns, clock, rights=self._settings.owner_grants)

    def wait(self, notices: ChangeNotices, timeout_s: float) -> bool:
        """Wait for a change, as `ChangeNotices.wait` does."""
        with _translated(self._smb):
            return notices.wait(timeout_s)

    def close(self) -> None:
        """Close the connection."""
        with suppress(self._smb.exceptions.SMBException, OSError, ValueError):
            self._tree.session.connection.disconnect(close=False)

    def _path(self, parts: Sequence[bytes]) -> str:
        """Return a path in the share; one of a DFS namespace has the names of server and share ([MS-SMB2] 2.2.13)."""
        path = _path((*self._settings.folder, *parts))
        namespace = str(self._tree.share_name).lstrip("\\") if self._tree.is_dfs_share else ""
        return "\\".join(each for each in (namespace, path) if each)

    def _entry(self, folder: Sequence[bytes], name: bytes, found: Any) -> RemoteEntry:
        attributes = int(found["file_attributes"].get_value())
        if attributes & _REPARSE_POINT:
            return RemoteEntry((name,), EntryKind.LINK)
        if attributes & _DIRECTORY:
            return RemoteEntry((name,), EntryKind.FOLDER)
        where = found["file_id"].get_value() or xxhash.xxh3_64_hexdigest(b"/".join((*folder, name)))
        version = f"{found['end_of_file'].get_value()}-{_ticks(found['last_write_time'])}-{where}"
        acl = self._readers_of((*folder, name)) if self._settings.owner_grants else None
        return RemoteEntry((name,), EntryKind.FILE, version, acl)

    def _readers(self, file: Any) -> ACL:
        """Return who may read an open file, by its own rights.

        Those of the folders above do not count, since Windows lets everybody pass through them by default.
        """
        session = self._tree.session
        request = session.connection.send(self._question(file), session.session_id, self._tree.tree_connect_id)
        return self._answer(request)

    def _readers_of(self, parts: Sequence[bytes]) -> ACL:
        """Return who may read a file that is not open, in one round trip; NOBODY where the user may not ask.

        Samba gives the time of a file's content for that of its rights, so they are asked for at each listing.
        """
        session, opened = self._tree.session, self._smb.open.Open(self._tree, self._path(parts))
        create, _ = opened.create(2, _READ_CONTROL, 0, _SHARED, 1, _FILE_OPTION | _REPARSE_OPTION, send=False)
        close, _ = opened.close(get_attributes=False, send=False)
        sent = session.connection.send_compound(
            [create, self._question(opened), close], session.session_id, self._tree.tree_connect_id, related=True
        )
        faults, acl = list[int](), NOBODY
        for number, request in enumerate(sent):  # each answer has to be taken, also behind a refusal
            try:
                acl = self._answer(request) if number == 1 else acl
                if number != 1:
                    session.connection.receive(request)
            except self._smb.exceptions.SMBResponseException as error:
                faults.append(int(error.status))
        if faults and faults[0] not in (*_DENIED, *_ABSENT):
            raise _of_status(faults[0], None)
        return NOBODY if faults else acl

    def _question(self, file: Any) -> Any:
        query = self._smb.open.SMB2QueryInfoRequest()
        query["info_type"] = self._smb.open.InfoType.SMB2_0_INFO_SECURITY
        query["output_buffer_length"] = DESCRIPTOR_BYTES
        query["additional_information"] = _OWNER | _DACL
        query["file_id"] = file.file_id
        return query

    def _answer(self, request: Any) -> ACL:
        answer = self._smb.open.SMB2QueryInfoResponse()
        answer.unpack(self._tree.session.connection.receive(request)["data"].get_value())
        return self._names.readers(answer["buffer"].get_value(), self._accounts)

    def _accounts(self, sids: Sequence[str]) -> Mapping[str, Account]:
        """Ask the server for the accounts of SIDs. Raises Unreachable where it refuses: then no right changes."""
        session, smb = self._tree.session, self._smb
        pipes = smb.tree.TreeConnect(session, f"\\\\{self._settings.host.strip('[]')}\\IPC$")
        try:
            pipes.connect(require_secure_negotiate=True)
            with bound(smb, pipes, LSARPC) as pipe:
                return lookup(pipe, sids)
        except (smb.exceptions.SMBResponseException, LsaRefusal, RpcFault) as error:
            if error.status in _PIPE_AWAY:
                raise ConnectionBroken("The server's pipe for the names of accounts broke off.") from error
            raise Unreachable(
                f"{self._settings.host} does not say which accounts may read its files (0x{error.status:08x}). Name "
                "the readers with sid_names and set sid_lookup=off, or let the user of the source look up SIDs."
            ) from error
        except (struct.error, ValueError) as error:
            raise ConnectionBroken("The names of accounts that the server sent cannot be read.") from error
        finally:
            with suppress(smb.exceptions.SMBException, OSError, ValueError, KeyError):
                pipes.disconnect()

    def _bytes(self, file: Any, wanted: int) -> bytes:
        body = bytearray()
        while len(body) < wanted:
            try:
                piece = file.read(len(body), min(PIECE, wanted - len(body)))
            except self._smb.exceptions.EndOfFile:
                break
            if not piece:
                break
            body += piece
        return bytes(body[:wanted])

    def _pages(self, folder: Any) -> Iterator[Any]:
        """Yield what is in an open folder, page by page."""
        kind = self._smb.open.FileInformationClass.FILE_ID_BOTH_DIRECTORY_INFORMATION
        while True:
            try:
                page = folder.query_directory("*", kind, max_output=PIECE)
            except self._smb.exceptions.NoMoreFiles:
                return
            yield from page

    def _handle(self, parts: Sequence[bytes], access: int, options: int) -> Any:
        opened = self._smb.open.Open(self._tree, self._path(parts))
        opened.create(2, access, 0, _SHARED, 1, options)  # impersonation, of what exists
        return opened

    @contextmanager
    def _opened(self, parts: Sequence[bytes], access: int, options: int) -> Iterator[Any]:
        opened = self._handle(parts, access, options)
        try:
            yield opened
        finally:
            with suppress(self._smb.exceptions.SMBException, OSError, ValueError):
                opened.close(get_attributes=False)


def connected(settings: SmbSettings, dialer: Dialer, password: str, names: SidNames) -> SmbClient:
    """Return a client that is logged in. Raises Unreachable, LoginRefused, ConnectionBroken and BadSetting."""
    smb = see_smbprotocol()
    if settings.auth == "kerberos":
        see_kerberos()
    host = settings.host.strip("[]")
    dialer.connect(host, settings.port, settings.connect_timeout_s).close()
    address = dialer.pinned(host, settings.port).addresses[0]
    connection = smb.connection.Connection(UUID(hex=random_token(16)), address, settings.port, require_signing=True)
    try:
        with _translated(smb, settings):
            connection.connect(timeout=int(settings.connect_timeout_s) or 1)
            connection.receive = partial(connection.receive, timeout=settings.timeout_s)  # else it waits for ever
            session = smb.session.Session(
                connection, settings.user, password, require_encryption=settings.encryption, hostname_override=host,
                auth_protocol=settings.auth,
            )  # fmt: skip
            _log_in(smb, session, settings)
            tree = smb.tree.TreeConnect(session, f"\\\\{host}\\{settings.share}")
            tree.connect(require_secure_negotiate=True)
    except BaseException:
        with suppress(smb.exceptions.SMBException, OSError, ValueError):
            connection.disconnect(close=False)
        raise
    return SmbClient(smb, tree, settings, names)


def _log_in(smb: Any, session: Any, settings: SmbSettings) -> None:
    try:
        session.connect()
    except smb.exceptions.SMBAuthenticationError as error:
        raise LoginRefused(_refused(settings)) from error
    except ImportError as error:  # a package that is there and cannot be loaded
        raise BadSetting(NO_KERBEROS) from error
    except smb.exceptions.SMBResponseException:
        raise
    except smb.exceptions.SMBException as error:
        if "ncryption" in str(error):
            raise Unreachable(
                f"{settings.host} cannot encrypt. If what is read may be seen on the way, set encryption=false."
            ) from error
        raise LoginRefused(
            f"{settings.host} takes user {settings.user!r} for a guest. Check user and password."
        ) from error


@contextmanager
def _translated(smb: Any, settings: SmbSettings | None = None) -> Iterator[None]:
    """Turn what the library raises into faults of a connection, and refusals. `settings` are given at the login."""
    try:
        yield
    except smb.exceptions.SMBResponseException as error:
        raise _of_status(int(error.status), settings) from error
    except smb.exceptions.SMBConnectionClosed as error:
        raise ConnectionBroken("The server closed the connection.") from error
    except (smb.exceptions.SMBException, OSError, ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise ConnectionBroken("The connection to the server broke off, or its answer cannot be read.") from error


def _of_status(status: int, settings: SmbSettings | None) -> Exception:
    """Return what a status of a response means ([MS-ERREF] 2.3)."""
    if settings is not None:
        if status in _NO_LOGIN:
            return LoginRefused(_refused(settings))
        if status == _NO_SHARE:
            return Unreachable(f"{settings.host} has no share {settings.share!r}. Check the setting url.")
        if status in _DENIED:
            return Unreachable(
                f"{settings.host} does not let user {settings.user!r} use share {settings.share!r}. Check its rights."
            )
    if status in _ABSENT:
        return RemoteRefusal(Status.NOT_FOUND, "The server has no such file.")
    if status in _DENIED:
        return RemoteRefusal(Status.FORBIDDEN, "The server does not let the user read it.")
    if status in (_IS_FOLDER, _NO_FOLDER):
        return RemoteRefusal(Status.COLLECTION, "It is a folder, or none where one is named.")
    if status == _ELSEWHERE:
        return RemoteRefusal(Status.UNREADABLE, "It lies on another server (DFS). Add a source for that server.")
    if status == _IN_USE:
        return RemoteRefusal(Status.IO_ERROR, "Another program has the file open for itself alone.")
    return RemoteRefusal(Status.UNREADABLE, f"The server answered 0x{status:08x}.")


def _refused(settings: SmbSettings) -> str:
    if settings.auth == "kerberos":
        return (
            f"Kerberos gave user {settings.user!r} no login at {settings.host}. Check user and password, that url has "
            "the server's full name, and that /etc/krb5.conf leads to its domain; then crawl with --force."
        )
    return f"{settings.host} refuses the login of user {settings.user!r}. Check user and password."


def _path(parts: Sequence[bytes]) -> str:
    """Return a path as the server takes it. Raises RemoteRefusal for one that UTF-16 cannot hold."""
    path = b"\\".join(parts).decode("utf-8", "surrogatepass")
    try:
        path.encode("utf-16-le")
    except UnicodeEncodeError:
        raise RemoteRefusal(Status.BAD_REQUEST, "The name has half a character, and cannot be asked for.") from None
    return path


def _name(found: Any) -> str:
    return bytes(found["file_name"].get_value()).decode("utf-16-le", "surrogatepass")


def _ticks(field: Any) -> int:
    """Return a time in units of 100 nanoseconds, as the server has it."""
    return int.from_bytes(field.pack(), "little")


def _seconds(moment: Any) -> float | None:
    return moment.timestamp() if hasattr(moment, "timestamp") else None
