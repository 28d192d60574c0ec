"""Logins of SMB: a connection to a server, and a session on it, by the library smbprotocol."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from typing import Any, Final
from uuid import UUID

from cormorant.base.clock import random_token
from cormorant.base.errors import BadSetting, LoginRefused, Unreachable
from cormorant.net.egress.dialer import Dialer
from cormorant.sources.smb.faults import Login, translated
from cormorant.sources.smb.kerberos import NO_KERBEROS, kerberos_fault, library_errors, see_kerberos
from cormorant.sources.smb.settings import SmbSettings

MISSING: Final = 'SMB needs the package smbprotocol. Install it with `pip install "cormorant[smb]"`.'


def see_smbprotocol() -> Any:
    """Return the SMB library. Raises BadSetting with how to install it."""
    try:
        import smbprotocol.change_notify  # noqa: PLC0415 - optional, and it takes time to load
        import smbprotocol.connection  # noqa: PLC0415
        import smbprotocol.exceptions  # noqa: PLC0415
        import smbprotocol.ioctl  # noqa: PLC0415
        import smbprotocol.open  # noqa: PLC0415
        import smbprotocol.session  # noqa: PLC0415
        import smbprotocol.tree  # noqa: PLC0415
    except ImportError:
        raise BadSetting(MISSING) from None
    for name in ("smbprotocol", "spnego"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # they log the names of users, and packets
    return smbprotocol


def connected_share(smb: Any, settings: SmbSettings, login: Login, dialer: Dialer, password: str) -> Any:
    """Return the share of a login, on a connection that is logged in.

    Another server than that of the settings has to answer in a third of their time, so that it keeps nobody waiting.
    Raises Unreachable, LoginRefused, ConnectionBroken and BadSetting.
    """
    if settings.auth == "kerberos":
        see_kerberos()
    dialer.connect(login.host, settings.port, settings.connect_timeout_s).close()
    address = dialer.pinned(login.host, settings.port).addresses[0]
    connection = smb.connection.Connection(UUID(hex=random_token(16)), address, settings.port, require_signing=True)
    try:
        with translated(smb, login):
            connection.connect(timeout=int(settings.connect_timeout_s) or 1)
            share_of_time = 1 if login.host == settings.host.strip("[]") else 3
            patience_s = settings.timeout_s / share_of_time
            connection.receive = partial(connection.receive, timeout=patience_s)  # else it waits for ever
            session = smb.session.Session(
                connection, login.user, password or None, require_encryption=settings.encryption,
                hostname_override=login.host, auth_protocol=login.auth,
            )  # fmt: skip
            _log_in(smb, session, login)
            tree = smb.tree.TreeConnect(session, f"\\\\{login.host}\\{login.share}")
            tree.connect(require_secure_negotiate=True)
    except BaseException:
        disconnect(smb, connection)
        raise
    return tree


def disconnect(smb: Any, connection: Any) -> None:
    """Close a connection, in whatever state it is."""
    with suppress(smb.exceptions.SMBException, OSError, ValueError):
        connection.disconnect(close=False)


def _log_in(smb: Any, session: Any, login: Login) -> None:
    try:
        session.connect()
    except (smb.exceptions.SMBAuthenticationError, *library_errors()) as error:
        raise (kerberos_fault(error, login) or LoginRefused(login.refused)) from error
    except ImportError as error:  # a package that is there and cannot be loaded
        raise BadSetting(NO_KERBEROS) from error
    except smb.exceptions.SMBResponseException:
        raise
    except smb.exceptions.SMBException as error:
        if "ncryption" in str(error):
            raise Unreachable(
                f"{login.host} cannot encrypt. If what is read may be seen on the way, set encryption=false."
            ) from error
        raise LoginRefused(f"{login.host} takes user {login.user!r} for a guest. Check user and password.") from error
