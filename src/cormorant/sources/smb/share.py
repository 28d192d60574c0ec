"""SMB share: folders, files and their rights on one share of a server, by the library smbprotocol."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import xxhash

from cormorant.base.clock import Clock
from cormorant.base.errors import Unreachable
from cormorant.model.acl import ACL, NOBODY
from cormorant.model.status import Status
from cormorant.sources.remote.protocol import ConnectionBroken, EntryKind, RemoteEntry, RemoteFile, RemoteRefusal
from cormorant.sources.smb.change_notices import ChangeNotices, Concerns
from cormorant.sources.smb.dfs_referral import Referral, SharePlace, referral_of, referral_request
from cormorant.sources.smb.faults import ABSENT, DENIED, Login, fault_of, translated
from cormorant.sources.smb.login import disconnect
from cormorant.sources.smb.lsa import LSARPC, Account, LsaRefusal, lookup
from cormorant.sources.smb.namespace import namespace_path
from cormorant.sources.smb.rpc_pipe import RpcFault, bound
from cormorant.sources.smb.settings import SmbSettings
from cormorant.sources.smb.sid_names import SidNames

PIECE: Final = 65_536
"""Bytes of one request, for which one credit is enough ([MS-SMB2] 3.1.5.2)."""
DESCRIPTOR_BYTES: Final = 65_536
_READ_CONTROL, _READ_DATA, _READ_ATTRIBUTES = 0x00020000, 0x00000001, 0x00000080
_REPARSE_POINT, _DIRECTORY = 0x00000400, 0x00000010
_FOLDER_OPTION, _FILE_OPTION, _REPARSE_OPTION = 0x00000001, 0x00000040, 0x00200000
_OWNER, _DACL = 0x00000001, 0x00000004
_SHARED: Final = 1 | 2 | 4
"""Others may read, write and remove a file while it is open."""
_NAMESPACE_TAGS: Final = frozenset((0x8000000A, 0x80000012))
"""IO_REPARSE_TAG_DFS and DFSR, which stand in the place of the size of attributes ([MS-FSCC] 2.1.2.1, 2.4.17)."""
MAX_REFERRAL: Final = 57_344
"""Bytes of a referral, as Windows asks for them."""
_PIPE_AWAY: Final = frozenset((0xC00000AC, 0xC00000AE, 0xC00000B0, 0xC00000B1, 0xC000014B))
"""STATUS_PIPE_NOT_AVAILABLE, BUSY, DISCONNECTED, CLOSING, BROKEN: the service behind the pipe starts, or did end."""


class SmbShare:
    """One connection to a share. Paths begin at the share."""

    def __init__(self, smb: Any, tree: Any, login: Login, settings: SmbSettings, names: SidNames) -> None:
        self._smb, self._tree, self._settings, self._names = smb, tree, settings, names
        self._host = login.host
        is_own = (login.host, login.share) == (settings.host.strip("[]"), settings.share)
        self._mark = "" if is_own else _mark_of(login)

    def identity(self, folder: Sequence[bytes]) -> str:
        """Return the number of a folder on its disk, "" where the server gives none."""
        with translated(self._smb), self._opened(folder, _READ_ATTRIBUTES | _READ_DATA, _FOLDER_OPTION) as opened:
            for found in self._pages(opened):
                if _name(found) == ".":
                    return str(found["file_id"].get_value() or "")
        return ""

    def entries(self, folder: Sequence[bytes]) -> Iterator[RemoteEntry]:
        """Yield the entries of a folder."""
        with translated(self._smb), self._opened(folder, _READ_ATTRIBUTES | _READ_DATA, _FOLDER_OPTION) as opened:
            for found in self._pages(opened):
                name = _name(found)
                if name in (".", "..", "") or any(each in name for each in "/\\\0"):
                    continue
                yield self._entry(folder, name.encode("utf-8", "surrogatepass"), found)

    def read(self, parts: Sequence[bytes], limit: int) -> RemoteFile:
        """Return the beginning of a file."""
        access = _READ_DATA | _READ_ATTRIBUTES | (_READ_CONTROL if self._settings.owner_grants else 0)
        with translated(self._smb), self._opened(parts, access, _FILE_OPTION | _REPARSE_OPTION) as file:
            if int(file.file_attributes) & _REPARSE_POINT:
                raise RemoteRefusal(Status.OUTSIDE_BOUNDARY, "symlinks = false")
            acl = self._readers(file) if self._settings.owner_grants else None
            size = int(file.end_of_file)
            wanted = min(size, limit + 1) if size <= limit or self._settings.too_big == "cut" else 0
            body = self._bytes(file, wanted)
            return RemoteFile(body, size, _seconds(file.last_write_time), acl=acl, received=len(body))

    def referral(self, place: SharePlace) -> Referral:
        """Ask to which servers a path leads that this one does not have. Raises RemoteRefusal and ConnectionBroken."""
        try:
            with translated(self._smb), self._pipes() as pipes:
                answer = self._referral_answer(pipes, namespace_path(place))
            return referral_of(answer)
        except (RemoteRefusal, ValueError) as error:
            raise RemoteRefusal(Status.UNREADABLE, "The server does not say where its link (DFS) leads.") from error

    def _referral_answer(self, pipes: Any, path: str) -> bytes:
        ioctl, session = self._smb.ioctl, self._tree.session
        question = ioctl.SMB2IOCTLRequest()
        question["ctl_code"] = ioctl.CtlCode.FSCTL_DFS_GET_REFERRALS
        question["file_id"] = b"\xff" * 16
        question["max_output_response"] = MAX_REFERRAL
        question["flags"] = ioctl.IOCTLFlags.SMB2_0_IOCTL_IS_FSCTL
        question["buffer"] = referral_request(path)
        request = session.connection.send(question, session.session_id, pipes.tree_connect_id)
        answer = ioctl.SMB2IOCTLResponse()
        answer.unpack(session.connection.receive(request)["data"].get_value())
        return bytes(answer["buffer"].get_value())

    def notices(self, folder: Sequence[bytes], concerns: Concerns, clock: Clock) -> ChangeNotices:
        """Begin to watch a folder and everything below it, for as long as the connection is open."""
        with translated(self._smb):
            handles = self._handle(folder, _READ_DATA, _FOLDER_OPTION), self._handle(folder, _READ_DATA, _FOLDER_OPTION)
            return ChangeNotices(self._smb, handles, concerns, clock, rights=self._settings.owner_grants)

    def wait(self, notices: ChangeNotices, timeout_s: float) -> bool:
        """Wait for a change, as `ChangeNotices.wait` does."""
        with translated(self._smb):
            return notices.wait(timeout_s)

    def close(self) -> None:
        """Close the connection."""
        disconnect(self._smb, self._tree.session.connection)

    def _path(self, parts: Sequence[bytes]) -> str:
        """Return a path in the share; one of a DFS namespace has the names of server and share ([MS-SMB2] 2.2.13)."""
        path = _path(parts)
        namespace = str(self._tree.share_name).lstrip("\\") if self._tree.is_dfs_share else ""
        return "\\".join(each for each in (namespace, path) if each)

    def _entry(self, folder: Sequence[bytes], name: bytes, found: Any) -> RemoteEntry:
        attributes = int(found["file_attributes"].get_value())
        if attributes & _REPARSE_POINT:
            is_of_namespace = found["ea_size"].get_value() in _NAMESPACE_TAGS
            return RemoteEntry((name,), EntryKind.FOLDER if is_of_namespace else EntryKind.LINK)
        if attributes & _DIRECTORY:
            return RemoteEntry((name,), EntryKind.FOLDER)
        where = found["file_id"].get_value() or xxhash.xxh3_64_hexdigest(b"/".join((*folder, name)))
        version = f"{found['end_of_file'].get_value()}-{_ticks(found['last_write_time'])}-{self._mark}{where}"
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
        if faults and faults[0] not in (*DENIED, *ABSENT):
            raise fault_of(faults[0])
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
        smb = self._smb
        try:
            with self._pipes() as pipes, bound(smb, pipes, LSARPC) as pipe:
                return lookup(pipe, sids)
        except (smb.exceptions.SMBResponseException, LsaRefusal, RpcFault) as error:
            if error.status in _PIPE_AWAY:
                raise ConnectionBroken("The server's pipe for the names of accounts broke off.") from error
            raise Unreachable(
                f"{self._host} does not say which accounts may read its files (0x{error.status:08x}). Name "
                "the readers with sid_names and set sid_lookup=off, or let the user of the source look up SIDs."
            ) from error
        except (struct.error, ValueError) as error:
            raise ConnectionBroken("The names of accounts that the server sent cannot be read.") from error

    @contextmanager
    def _pipes(self) -> Iterator[Any]:
        """Open the share of the server's pipes, IPC$."""
        pipes = self._smb.tree.TreeConnect(self._tree.session, f"\\\\{self._host}\\IPC$")
        try:
            pipes.connect(require_secure_negotiate=True)
            yield pipes
        finally:
            with suppress(self._smb.exceptions.SMBException, OSError, ValueError, KeyError):
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


def _path(parts: Sequence[bytes]) -> str:
    """Return a path as the server takes it. Raises RemoteRefusal for one that UTF-16 cannot hold."""
    path = b"\\".join(parts).decode("utf-8", "surrogatepass")
    try:
        path.encode("utf-16-le")
    except UnicodeEncodeError:
        raise RemoteRefusal(Status.BAD_REQUEST, "The name has half a character, and cannot be asked for.") from None
    return path


def _mark_of(login: Login) -> str:
    """Return what tells the numbers of files of one share from those of another."""
    return f"{xxhash.xxh3_64_hexdigest(f'{login.host}/{login.share}'.casefold().encode())}:"


def _name(found: Any) -> str:
    return bytes(found["file_name"].get_value()).decode("utf-16-le", "surrogatepass")


def _ticks(field: Any) -> int:
    """Return a time in units of 100 nanoseconds, as the server has it."""
    return int.from_bytes(field.pack(), "little")


def _seconds(moment: Any) -> float | None:
    return moment.timestamp() if hasattr(moment, "timestamp") else None
