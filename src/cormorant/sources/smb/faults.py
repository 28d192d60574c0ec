"""Faults of SMB: statuses of responses, and whatever the library raises, as faults of a connection and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from cormorant.base.errors import LoginRefused, Unreachable
from cormorant.model.status import Status
from cormorant.sources.remote.protocol import ConnectionBroken, RemoteRefusal

ABSENT: Final = frozenset((0xC0000034, 0xC000003A, 0xC000000F, 0xC0000056))
"""STATUS_OBJECT_NAME_NOT_FOUND, OBJECT_PATH_NOT_FOUND, NO_SUCH_FILE, DELETE_PENDING ([MS-ERREF] 2.3)."""
DENIED: Final = frozenset((0xC0000022, 0xC0000061))
_NO_LOGIN: Final = frozenset((
    0xC000006D, 0xC0000064, 0xC000006A, 0xC000006E, 0xC0000071, 0xC0000072, 0xC0000234,
    0xC0000193, 0xC0000224, 0xC000015B, 0xC000005E, 0xC000018B, 0xC000018C, 0xC000018D,
))  # fmt: skip
"""Of user and password, the account's state (ACCOUNT_EXPIRED, PASSWORD_MUST_CHANGE, LOGON_TYPE_NOT_GRANTED), and of the
domain: NO_LOGON_SERVERS, NO_TRUST_SAM_ACCOUNT, TRUSTED_DOMAIN_FAILURE, TRUSTED_RELATIONSHIP_FAILURE."""
_NO_SHARE, _ELSEWHERE, _IN_USE = 0xC00000CC, 0xC0000257, 0xC0000043
_IS_FOLDER, _NO_FOLDER = 0xC00000BA, 0xC0000103


class LiesElsewhere(RemoteRefusal):
    """The path is below a link of a DFS namespace, and another server has it (STATUS_PATH_NOT_COVERED)."""


class Login(NamedTuple):
    """A login that is tried: the server, its share, the user and the mechanism (the setting `auth`)."""

    host: str
    share: str
    user: str
    auth: str

    @property
    def refused(self) -> str:
        """Return what a server that refuses it means."""
        if self.auth == "kerberos":
            return (
                f"{self.host} does not take the Kerberos login of user {self.user!r}. Check that the account may use "
                "it, and that the server has the key of its domain; then crawl with --force."
            )
        return f"{self.host} refuses the login of user {self.user!r}. Check user and password."


@contextmanager
def translated(smb: Any, login: Login | None = None) -> Iterator[None]:
    """Turn what the library raises into faults of a connection, and refusals. `login` is given while it is tried."""
    try:
        yield
    except smb.exceptions.SMBResponseException as error:
        raise fault_of(int(error.status), login) from error
    except smb.exceptions.SMBConnectionClosed as error:
        raise ConnectionBroken("The server closed the connection.") from error
    except (smb.exceptions.SMBException, OSError, ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise ConnectionBroken("The connection to the server broke off, or its answer cannot be read.") from error


def fault_of(status: int, login: Login | None = None) -> Exception:
    """Return what a status of a response means ([MS-ERREF] 2.3), while a login is tried or behind it."""
    if login is not None and (found := _of_login(status, login)):
        return found
    if status in ABSENT:
        return RemoteRefusal(Status.NOT_FOUND, "The server has no such file.")
    if status in DENIED:
        return RemoteRefusal(Status.FORBIDDEN, "The server does not let the user read it.")
    if status in (_IS_FOLDER, _NO_FOLDER):
        return RemoteRefusal(Status.COLLECTION, "It is a folder, or none where one is named.")
    if status == _ELSEWHERE:
        return LiesElsewhere(Status.UNREADABLE, "It lies on another server (DFS).")
    if status == _IN_USE:
        return RemoteRefusal(Status.IO_ERROR, "Another program has the file open for itself alone.")
    return RemoteRefusal(Status.UNREADABLE, f"The server answered 0x{status:08x}.")


def is_of_share(error: Exception) -> bool:
    """Return whether the server answered that it does not give a share; another one of its shares may do."""
    return getattr(error.__cause__, "status", 0) in (_NO_SHARE, *DENIED)


def _of_login(status: int, login: Login) -> Exception | None:
    if status in _NO_LOGIN:
        return LoginRefused(login.refused)
    if status == _NO_SHARE:
        return Unreachable(f"{login.host} has no share {login.share!r}. Check the setting url.")
    if status in DENIED:
        return Unreachable(
            f"{login.host} does not let user {login.user!r} use share {login.share!r}. Check its rights."
        )
    return None
